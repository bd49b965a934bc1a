import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { IdParams, Origin, Timestamp, TimestampInput } from "../fields.ts";
import { StricterActions } from "../governance/guardrail-policy.ts";

const scopeMessage = "must be chat.completions, models.read or endpoint:<slug>";
/** Scope of an API key: an operation, or `endpoint:<slug>` to restrict the key to certain endpoints. */
const Scope = v.union(
  [
    v.picklist(["chat.completions", "models.read"]),
    // Message for an invalid string; the union's own message covers values of other types.
    v.pipe(v.string(), v.regex(/^endpoint:[a-z0-9][a-z0-9-]{0,62}$/, scopeMessage)),
  ],
  scopeMessage,
);

/** API key for the OpenAI-compatible API. */
export const ApiKey = v.object({
  id: v.string(),
  key_prefix: v.pipe(v.string(), v.description("The start of the key, which all keys of the tenant share.")),
  key_hint: v.pipe(
    v.nullable(v.string()),
    v.description("The last four characters of the key, which tell keys apart; null if they are no longer known."),
  ),
  description: v.string(),
  scopes: v.array(v.string()),
  allowed_origins: v.pipe(
    v.array(v.string()),
    v.description("Origins of pages that can read responses to requests with this key (CORS); `*` stands for all."),
  ),
  // Items and recorded replies that are older than this field lack it.
  guardrails: v.optional(StricterActions, {}),
  expires_at: v.nullable(Timestamp),
  is_revoked: v.boolean(),
  created_at: Timestamp,
  last_used_at: v.nullable(Timestamp),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

export const createApiKey = defineRoute({
  id: "createApiKey",
  group: "api-keys",
  method: "POST",
  path: "/v1/tenant/api-keys",
  auth: "jwt",
  capability: "rbac.manage",
  idempotency: "required",
  body: v.strictObject({
    description: v.pipe(v.string(), v.maxLength(500, "must have at most 500 characters")),
    scopes: v.pipe(
      v.array(Scope),
      v.minLength(1, "must name at least one scope"),
      v.maxLength(50, "must name at most 50 scopes"),
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
  replies: { 201: v.object({ ...ApiKey.entries, key: v.string() }) },
  summary: "Create an API key",
  description:
    "The response is the only one that contains `key`. A lost key cannot be recovered. Pages can read responses to requests with the key only if `allowed_origins` names their origin; every visitor of such a page can copy the key.",
});

export const listApiKeys = defineRoute({
  id: "listApiKeys",
  group: "api-keys",
  method: "GET",
  path: "/v1/tenant/api-keys",
  auth: "jwt",
  capability: "rbac.manage",
  replies: { 200: v.object({ keys: v.array(ApiKey) }) },
  summary: "List API keys",
});

export const revokeApiKey = defineRoute({
  id: "revokeApiKey",
  group: "api-keys",
  method: "DELETE",
  path: "/v1/tenant/api-keys/{id}",
  auth: "jwt",
  capability: "rbac.manage",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found"],
  summary: "Revoke an API key",
  description: "Revocation takes effect immediately. Returns 404 if the key does not exist or is already revoked.",
});
