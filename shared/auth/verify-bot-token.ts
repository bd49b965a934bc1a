import { type JWTVerifyGetKey, jwtVerify } from "jose";
import { ServiceError } from "../lib/errors.ts";
import { bearerToken } from "./jwt.ts";
import { endorsedKeySet, isKeySetOutage } from "./key-set.ts";

const ISSUER = "https://api.botframework.com";

const CLOCK_TOLERANCE_SECONDS = 300;

/** Time for which fetched keys stay valid while they cannot be fetched again. */
const STALE_MS = 24 * 3_600_000;

const keySets = new Map<string, JWTVerifyGetKey>();

function getKeySet(metadataUrl: string, channel: string): JWTVerifyGetKey {
  const name = `${channel} ${metadataUrl}`;
  const keySet = keySets.get(name) ?? endorsedKeySet(metadataUrl, STALE_MS, channel);
  keySets.set(name, keySet);
  return keySet;
}

/** Properties that the token of the Bot Connector service must have. */
interface ExpectedToken {
  /** Address of the OpenID metadata of the service. */
  readonly metadataUrl: string;
  /** Channel that the signing key must be endorsed for, such as Teams. */
  readonly channel: string;
  readonly appId: string;
  /**
   * URL in the activity to which the bot sends answers. The token must contain the same one, so that no other server receives
   * them.
   */
  readonly serviceUrl: string;
}

/**
 * Verifies the token with which the Bot Connector service calls a bot.
 * @throws ServiceError `unauthorized` for an invalid token, `unavailable` if the keys cannot be fetched
 * @see https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
 */
export async function verifyBotToken(
  authorization: string | undefined,
  { metadataUrl, channel, appId, serviceUrl }: ExpectedToken,
): Promise<void> {
  const token = bearerToken(authorization);
  try {
    const { payload } = await jwtVerify(token, getKeySet(metadataUrl, channel), {
      issuer: ISSUER,
      audience: appId,
      algorithms: ["RS256", "RS384", "RS512"],
      requiredClaims: ["iss", "aud", "exp", "serviceurl"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    if (payload.serviceurl === serviceUrl) return;
  } catch (error) {
    if (isKeySetOutage(error)) {
      throw new ServiceError("unavailable", "The keys of the Bot Connector service cannot be fetched.", {
        cause: error,
      });
    }
    throw new ServiceError("unauthorized", "The token is not one of the Bot Connector service for this bot.", {
      cause: error,
    });
  }
  throw new ServiceError("unauthorized", "The token is for another `serviceUrl` than the activity.");
}
