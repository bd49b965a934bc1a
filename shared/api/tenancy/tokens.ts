import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, textOfAtMost } from "../fields.ts";
import { ACT_AS_SCOPE } from "../scopes.ts";
import { isIdentityValue } from "../user-ids.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
/** Type of a user id as the subject of an exchange. The API key vouches for the user. */
export const USER_ID_TYPE = "urn:switchboard:token-type:user-id";

const MAX_LIFETIME_SECONDS = 3_600;
const lifetimeMessage = `must be a number of seconds from 60 to ${MAX_LIFETIME_SECONDS}`;

const route = routeGroup({ group: "users", auth: "jwt" });

export const createTokenRoute = route("POST /v1/tokens", {
  id: "createToken",
  scope: ACT_AS_SCOPE,
  // The response is a secret, which is not stored.
  idempotency: "none",
  acceptsForm: true,
  body: v.strictObject({
    grant_type: v.literal(GRANT_TYPE, `must be ${GRANT_TYPE}`),
    subject_token: describe(
      v.pipe(v.string(), v.check(isIdentityValue, "must name a user")),
      "The value by which your program knows the user: 1 to 255 characters.",
    ),
    subject_token_type: v.literal(USER_ID_TYPE, `must be ${USER_ID_TYPE}`),
    requested_token_type: v.optional(v.literal(ACCESS_TOKEN_TYPE, `must be ${ACCESS_TOKEN_TYPE}`)),
    scope: describe(
      v.optional(textOfAtMost(2_000)),
      "Scopes separated by spaces; by default those of a chat that the key has.",
    ),
    conversation_id: describe(
      v.optional(Id),
      "The only conversation that the token is for. The user must have access to it.",
    ),
    expires_in: describe(
      v.optional(
        v.pipe(
          v.union(
            [v.number(), v.pipe(v.string(), v.regex(/^\d{1,5}$/, lifetimeMessage), v.transform(Number))],
            lifetimeMessage,
          ),
          v.integer(lifetimeMessage),
          v.minValue(60, lifetimeMessage),
          v.maxValue(MAX_LIFETIME_SECONDS, lifetimeMessage),
        ),
        MAX_LIFETIME_SECONDS,
      ),
      "Lifetime in seconds.",
    ),
  }),
  replies: {
    200: v.object({
      access_token: v.string(),
      issued_token_type: v.literal(ACCESS_TOKEN_TYPE),
      token_type: v.literal("Bearer"),
      expires_in: Integer,
      scope: v.string(),
    }),
  },
  errors: ["forbidden", "not_found"],
  summary: "Exchange a user id for an access token",
  description:
    "OAuth 2.0 token exchange (RFC 8693), as JSON or `application/x-www-form-urlencoded`. A back end with an API key gets a token for the page of one of its users. The token is accepted on `/v1` and its streams for at most one hour and no longer than the key. It never has more scopes than the key, cannot make tokens or keys, and ends with the revocation of the key.",
});
