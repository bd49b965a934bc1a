import * as v from "valibot";
import { describe, Id, Integer, Timestamp } from "../fields.ts";

/** Extents of a remembered consent, from none to all conversations. */
export const consentExtents = ["never", "conversation", "always"] as const;
export const ConsentExtent = v.picklist(consentExtents);
export type ConsentExtent = v.InferOutput<typeof ConsentExtent>;

/**
 * Consent that a call of a tool needs, from weak to strict: none (`auto`), that of the user who asked (`confirm`), or that of
 * another user with `approval.decide` (`approve`).
 */
export const toolModes = ["auto", "confirm", "approve"] as const;
export const ToolMode = v.picklist(toolModes);
export type ToolMode = v.InferOutput<typeof ToolMode>;

export const MAX_TOOLS_PER_SERVER = 64;

/** Name of a tool, as its server knows it. */
export const ServerToolName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_./-]{1,128}$/, "must be 1 to 128 letters, digits, _, -, . or /"),
);

const ActionRequest = v.object({
  method: v.string(),
  path: v.string(),
  places: v.record(v.string(), v.picklist(["path", "query", "header", "body"])),
});

/** Tool of a server, pinned by the hash of its definition. */
export const ServerTool = v.object({
  name: v.string(),
  title: v.string(),
  description: v.string(),
  input_schema: v.record(v.string(), v.unknown()),
  hints: describe(
    v.object({ read_only: v.boolean(), destructive: v.boolean() }),
    "The claims of the server. They are shown, and decide nothing.",
  ),
  hash: v.string(),
  request: describe(v.optional(ActionRequest), "The request of an action; only with the kind `http`."),
  status: describe(
    v.picklist(["approved", "new", "changed", "removed"]),
    "Only approved tools are offered to the model. `new`: listed by the server since the last approval. `changed`: the server has changed name, description or schema; `hash` is that of the new definition. `removed`: the server no longer lists the tool.",
  ),
});
export type ServerTool = v.InferOutput<typeof ServerTool>;

const Auth = describe(
  v.object({
    type: v.picklist(["none", "header", "oauth_user", "oauth_tenant"]),
    header: v.nullable(v.string()),
    issuer: describe(v.optional(v.string()), "The authorization server; only with sign-in."),
    client_id: v.optional(v.string()),
    scope: v.optional(v.nullable(v.string())),
  }),
  "The authentication of requests. The secret is never returned.",
);

const CallerContext = describe(
  v.nullable(
    v.object({
      issuer: describe(
        v.string(),
        "The claim `iss`, which names the tenant. The keys are at `/.well-known/jwks.json` of the deployment.",
      ),
      audience: describe(v.string(), "The claim `aud`: the `url` of the server."),
    }),
  ),
  "Issuer and audience of the signed context in the header `Switchboard-Caller` of each call. Null if calls have none.",
);

/** Values of the caller to which arguments can be bound. */
export const BoundValue = v.picklist(["user.sub", "user.email", "visitor.sub", "visitor.email"]);
export type BoundValue = v.InferOutput<typeof BoundValue>;

const summaryFields = {
  id: Id,
  name: v.string(),
  kind: describe(
    v.picklist(["mcp", "http"]),
    "`mcp`: a server of the Model Context Protocol. `http`: actions, each of which sends one request.",
  ),
  url: v.string(),
  auth: Auth,
  caller_context: v.optional(CallerContext, null),
  bind: describe(
    v.optional(v.record(v.string(), BoundValue), {}),
    "Arguments that the service sets to the id or the address of the caller, by name.",
  ),
  enabled: v.boolean(),
  allowed_tools: describe(v.nullable(v.array(v.string())), "The tools of the server that can be used. Null for all."),
  mode: describe(ToolMode, "The mode of tools without one of their own."),
  tool_modes: v.record(v.string(), ToolMode),
  trusted_tools: describe(
    v.array(v.string()),
    "Tools that an administrator declares harmless: they change nothing, and the server may receive any text. Other tools ask the user after the model has read text of others, also in the mode `auto`.",
  ),
  remember: describe(
    v.optional(ConsentExtent, "conversation"),
    "The longest extent for which a user's consent to calls in the mode `confirm` is remembered.",
  ),
  response_pointers: describe(
    v.optional(v.record(v.string(), v.array(v.string())), {}),
    "JSON pointers to the parts of an action's response that the model reads, by action. All without any.",
  ),
  limits: v.object({ timeout_seconds: Integer, max_result_characters: Integer }),
  protocol_version: describe(v.nullable(v.string()), "The revision of the protocol. Null before the first check."),
  tool_count: Integer,
  pending_count: describe(Integer, "The number of tools that wait for an approval of their definition."),
  checked_at: v.nullable(Timestamp),
  version: Integer,
  created_by: v.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** Tool server as lists show it. */
export const ToolServerSummary = v.object(summaryFields);

/** Server whose tools the assistant can call. */
export const ToolServer = v.object({
  ...summaryFields,
  tools: v.array(ServerTool),
  skipped_tools: describe(
    v.array(v.object({ name: v.string(), reason: v.string() })),
    "Tools that the server lists and that cannot be used.",
  ),
});
export type ToolServer = v.InferOutput<typeof ToolServer>;
