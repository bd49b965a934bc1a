import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, HttpUrl, nonEmptyText, Timestamp } from "../fields.ts";

const ClaimName = v.pipe(v.string(), v.regex(/^[\w.:/-]{1,200}$/, "must be the name of a claim"));

/** Names of the claims that describe a user; null for those that the tokens do not have. */
const Claims = {
  user_id: describe(
    v.optional(ClaimName, "sub"),
    "A text of 1 to 255 characters that names the user; the id is derived from it.",
  ),
  name: v.optional(v.nullable(ClaimName), "name"),
  email: v.optional(v.nullable(ClaimName), "email"),
  roles: describe(
    v.optional(v.nullable(ClaimName), null),
    "An array of roles, or a text; without it, users have the role `member`.",
  ),
  groups: describe(
    v.optional(v.nullable(ClaimName), null),
    "An array with the names of groups of the tenant, of which the user becomes a member.",
  ),
};

/** Identity provider of a tenant, whose tokens `/v1` accepts in addition to those of the deployment's. */
export const Issuer = v.object({
  id: v.string(),
  issuer: v.string(),
  audience: v.string(),
  jwks_url: v.string(),
  claims: v.object(Claims),
  status: describe(
    v.picklist(["pending", "active"]),
    "Tokens of the provider are accepted once it is `active`: after a token has proved the pair of issuer and audience.",
  ),
  nonce: describe(v.nullable(v.string()), "The value that the claim of the proof must have; null once it is `active`."),
  created_at: Timestamp,
  created_by: v.nullable(v.string()),
});
export type Issuer = v.InferOutput<typeof Issuer>;

export const MAX_ISSUERS = 5;

const route = routeGroup({ group: "issuers", auth: "jwt", capability: "rbac.manage" });

export const listIssuersRoute = route("GET /v1/tenant/issuers", {
  id: "listIssuers",
  replies: { 200: v.object({ issuers: v.array(Issuer) }) },
  summary: "List identity providers",
});

export const createIssuerRoute = route("POST /v1/tenant/issuers", {
  id: "createIssuer",
  keys: "refused",
  idempotency: "none",
  body: v.strictObject({
    issuer: describe(HttpUrl, "The claim `iss` of the tokens, exactly."),
    audience: describe(
      nonEmptyText(200),
      "The claim `aud` of the tokens. One tenant at a time can have an active provider with the same pair of issuer and audience.",
    ),
    claims: v.optional(v.strictObject(Claims), {}),
    token: describe(
      v.optional(v.pipe(v.string(), v.maxLength(16_000))),
      "The proof: a token of the provider for the audience whose claim `nonce` or `switchboard_nonce` is the `nonce` of the pending provider.",
    ),
  }),
  replies: { 201: Issuer, 200: Issuer },
  errors: ["conflict", "forbidden"],
  summary: "Add an identity provider",
  description: `Reads \`<issuer>/.well-known/openid-configuration\` and adds the provider as \`pending\` (201), with a \`nonce\`. The same request with a \`token\` that has the nonce makes it \`active\` (200): from then on, its tokens are accepted for this tenant. \`claims\` are those of the first request. The provider can sign in every user of the tenant with any role that its claims name, so that adding it needs all permissions. At most ${MAX_ISSUERS}. To change one, delete it and add it again.`,
});

export const deleteIssuerRoute = route("DELETE /v1/tenant/issuers/{id}", {
  id: "deleteIssuer",
  errors: ["conflict"],
  summary: "Remove an identity provider",
  description: "Within 30 seconds, its tokens get 401. Users whom it signed in stay, with all that they own.",
});
