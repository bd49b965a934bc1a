import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Origin, Timestamp, TimestampInput, textOfAtMost } from "../fields.ts";
import { StricterActions } from "../governance/guardrail-policy.ts";
import { modelNamePattern } from "../personas/model-name.ts";
import { ACT_AS_SCOPE, openaiScopes, type ScopePreset, scopePresets, userScopes } from "../scopes.ts";

const scopeMessage =
  "must be chat.completions, models.read, endpoint:<slug>, or a scope of /v1 such as conversations.read";
/** Scope of an API key: operations, or `endpoint:<slug>` to restrict the key to certain endpoints. */
const Scope = v.union(
  [
    v.picklist([...openaiScopes, ...userScopes, ACT_AS_SCOPE]),
    // Message for an invalid string; the union's own message covers values of other types.
    v.pipe(v.string(), v.regex(new RegExp(`^endpoint:${modelNamePattern}$`), scopeMessage)),
  ],
  scopeMessage,
);

/** API key for servers: for the OpenAI-compatible API, for `/v1` or for both, by its scopes. */
export const ApiKey = v.object({
  id: v.string(),
  /** Start of the key, `swk_<slug>`; `shared/auth/credentials.ts` has the whole format. */
  key_prefix: describe(v.string(), "The start of the key, which all keys of the tenant share."),
  key_hint: describe(
    v.nullable(v.string()),
    "The last four characters of the key, which tell keys apart; null if they are no longer known.",
  ),
  description: v.string(),
  scopes: v.array(v.string()),
  allowed_origins: describe(
    v.array(v.string()),
    "Origins of pages that can read responses to requests with this key (CORS); `*` stands for all.",
  ),
  guardrails: StricterActions,
  expires_at: v.nullable(Timestamp),
  is_revoked: v.boolean(),
  created_at: Timestamp,
  created_by: describe(
    v.string(),
    "The user who created the key. On `/v1`, the key can do at most what this user can.",
  ),
  last_used_at: v.nullable(Timestamp),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

const listScopes = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(", ");

const NewApiKey = v.pipe(
  v.strictObject({
    description: textOfAtMost(500),
    preset: v.optional(v.picklist(Object.keys(scopePresets) as [ScopePreset, ...ScopePreset[]])),
    scopes: v.optional(
      v.pipe(
        v.array(Scope),
        v.minLength(1, "must name at least one scope"),
        v.maxLength(100, "must name at most 100 scopes"),
      ),
    ),
    allowed_origins: v.optional(
      v.pipe(
        v.array(v.union([v.literal("*"), Origin], "must be * or an origin such as https://www.example.com")),
        v.maxLength(50, "must name at most 50 origins"),
      ),
      [],
    ),
    guardrails: v.optional(StricterActions, {}),
    expires_at: v.nullish(TimestampInput, null),
  }),
  v.forward(
    v.check(({ preset, scopes }) => preset !== undefined || scopes !== undefined, "is required without a preset"),
    ["scopes"],
  ),
);

const route = routeGroup({ group: "api-keys", auth: "jwt", capability: "rbac.manage" });

export const createApiKeyRoute = route("POST /v1/tenant/api-keys", {
  id: "createApiKey",
  keys: "refused",
  idempotency: "required",
  body: NewApiKey,
  replies: { 201: v.object({ ...ApiKey.entries, key: v.string() }) },
  summary: "Create an API key",
  description: [
    "The response is the only one that contains `key`. A lost key cannot be recovered. Pages can read responses to requests with the key only if `allowed_origins` names their origin; every visitor of such a page can copy the key.",
    "A key with a scope of `/v1` calls `/v1` as a service with the user id `swk:<id of the key>`. It can do at most what the user who created it could at its creation and still can. A key without such a scope is refused on `/v1`.",
    "With the scope `users.act_as`, which only a caller with the capability `users.act_as` can give, `X-On-Behalf-Of: <user id>` makes a request that of a person, with the scopes of the key and at most its permissions. The first request for an unknown id creates the person with the role `member`. For people who have signed in, or whom an identity provider provisioned, keys get 403.",
    ...Object.entries(scopePresets).map(([preset, scopes]) => `Preset \`${preset}\`: ${listScopes(scopes)}.`),
  ].join("\n\n"),
});

export const listApiKeysRoute = route("GET /v1/tenant/api-keys", {
  id: "listApiKeys",
  replies: { 200: v.object({ keys: v.array(ApiKey) }) },
  summary: "List API keys",
});

export const revokeApiKeyRoute = route("DELETE /v1/tenant/api-keys/{id}", {
  id: "revokeApiKey",
  summary: "Revoke an API key",
  description: "Revocation takes effect immediately. Returns 404 if the key does not exist or is already revoked.",
});
