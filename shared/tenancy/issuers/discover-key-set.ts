import * as v from "valibot";
import { HttpUrl } from "../../api/fields.ts";
import { env } from "../../lib/env.ts";
import { invalidField } from "../../lib/errors.ts";
import { fetchGuarded } from "../../lib/outgoing/fetch-guarded.ts";
import { OutgoingError } from "../../lib/outgoing/guarded-request.ts";

const MAX_METADATA_BYTES = 262_144;
const TIMEOUT_MS = 5_000;

const refuse = (message: string) => invalidField("issuer", "invalid_value", message);

const normalize = (url: string) => new URL(url).href.replace(/\/$/, "").toLowerCase();

/**
 * Reads the OpenID Connect metadata of an issuer.
 * @throws ServiceError `validation_failed` if it is missing or its address is not allowed
 */
async function readMetadata(issuer: string): Promise<unknown> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const response = await fetchGuarded(url, MAX_METADATA_BYTES, AbortSignal.timeout(TIMEOUT_MS));
    if (response.status === 200) return await response.json();
  } catch (error) {
    if (error instanceof OutgoingError && error.code.endsWith("not_allowed")) {
      throw refuse("must have a public address with https, or one in the ranges of the setting TOOL_PRIVATE_RANGES");
    }
    if (!(error instanceof OutgoingError || error instanceof SyntaxError)) throw error;
  }
  throw refuse("must serve /.well-known/openid-configuration");
}

/**
 * Returns the URL of an identity provider's key set (OpenID Connect Discovery 1.0, section 4).
 * @throws ServiceError `validation_failed` if the issuer is that of the deployment, or its metadata is missing or names
 * another issuer
 */
export async function discoverKeySet(issuer: string): Promise<string> {
  const { JWT_ISSUER } = env("JWT_ISSUER");
  if (JWT_ISSUER !== "" && normalize(JWT_ISSUER) === normalize(issuer)) {
    throw refuse("must not be the issuer of the deployment");
  }
  const Metadata = v.object({ issuer: v.literal(issuer), jwks_uri: HttpUrl });
  const metadata = v.safeParse(Metadata, await readMetadata(issuer));
  if (metadata.success) return metadata.output.jwks_uri;
  throw refuse("must be the issuer that its metadata names, with a jwks_uri");
}
