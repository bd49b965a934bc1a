import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, HttpUrl, Limit, lineOf, pageOf, textOfAtMost, wholeNumber } from "../fields.ts";
import { JsonObject } from "../json.ts";
import { AuthInput } from "./auth-input.ts";
import {
  BoundValue,
  ConsentExtent,
  MAX_TOOLS_PER_SERVER,
  ServerToolName,
  ToolMode,
  ToolServer,
  ToolServerSummary,
} from "./tool-server.ts";

const Names = v.pipe(
  v.array(ServerToolName),
  v.maxLength(MAX_TOOLS_PER_SERVER, `must name at most ${MAX_TOOLS_PER_SERVER} tools`),
  v.transform((names) => [...new Set(names)]),
);

/** Maximum number of arguments that a server binds. */
const MAX_BOUND = 20;

const limits = {
  timeout_seconds: describe(wholeNumber(1, 600), "The time for one call."),
  max_result_characters: describe(wholeNumber(500, 40_000), "The length at which a result is cut off in the prompt."),
};

const fields = {
  name: lineOf(60),
  url: HttpUrl,
  auth: AuthInput,
  caller_context: describe(
    v.boolean(),
    "Sends the header `Switchboard-Caller` with each call: a JWT of at most 60 seconds that names tenant, user, groups, conversation, persona, run, call and approval.",
  ),
  bind: describe(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.$-]{1,128}$/, "must be 1 to 128 letters, digits, _, ., $ or -")),
        BoundValue,
      ),
      v.check((bind) => Object.keys(bind).length <= MAX_BOUND, `must name at most ${MAX_BOUND} arguments`),
    ),
    "Arguments by name that the service sets to the id or the address of the user who asks (`user.sub`, `user.email`), or of the visitor whom a token of the website names (`visitor.sub`, `visitor.email`), in each tool that has them. The model does not know them; a call in which it sends one is refused. A name that no tool of the server has is refused.",
  ),
  enabled: v.boolean(),
  allowed_tools: v.nullable(Names),
  mode: ToolMode,
  tool_modes: v.pipe(
    v.record(ServerToolName, ToolMode),
    v.check(
      (modes) => Object.keys(modes).length <= MAX_TOOLS_PER_SERVER,
      `must name at most ${MAX_TOOLS_PER_SERVER} tools`,
    ),
  ),
  trusted_tools: Names,
  remember: ConsentExtent,
  limits: v.strictObject(limits),
};

/** Request that an administrator describes by hand. */
const Action = v.strictObject({
  name: ServerToolName,
  description: textOfAtMost(4_000),
  method: v.picklist(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: describe(
    v.pipe(
      v.string(),
      v.maxLength(1_000, "must have at most 1,000 characters"),
      v.check((path) => /^\/[^?#\s]*$/.test(path), "must start with a slash and have no query"),
    ),
    "The path below `url`, with `{name}` for arguments.",
  ),
  input_schema: describe(
    v.optional(v.looseObject({}), {}),
    "JSON Schema of the arguments. Those that the path does not name are sent as query with GET and DELETE, and otherwise as JSON body.",
  ),
});

const actionFields = {
  openapi: describe(
    v.optional(v.looseObject({})),
    "An OpenAPI document of version 3.0 or 3.1, whose operations become actions. `allowed_tools` chooses operations by `operationId`, at most 64. Requests go to `url`, not to the servers of the document.",
  ),
  actions: v.optional(
    v.pipe(v.array(Action), v.minLength(1, "must not be empty"), v.maxLength(16, "must have at most 16 actions")),
  ),
  response_pointers: v.optional(
    v.record(
      ServerToolName,
      v.pipe(
        v.array(
          v.pipe(
            v.string(),
            v.maxLength(500),
            v.check((pointer) => pointer.startsWith("/"), "must be a JSON pointer"),
          ),
        ),
        v.maxLength(20, "must have at most 20 pointers"),
      ),
    ),
  ),
};

/** Limits of a server that is created without them: 30 seconds for a call, and 20,000 characters of its result. */
const defaultLimits = { timeout_seconds: 30, max_result_characters: 20_000 };

const route = routeGroup({ group: "tools", auth: "jwt" });
const adminRoute = routeGroup({ group: "tools", auth: "jwt", capability: "tools.manage" });

export const createToolServerRoute = adminRoute("POST /v1/tools/servers", {
  id: "createToolServer",
  body: v.strictObject({
    name: fields.name,
    kind: v.optional(v.picklist(["mcp", "http"]), "mcp"),
    ...actionFields,
    url: fields.url,
    auth: v.optional(fields.auth, { type: "none" }),
    caller_context: v.optional(fields.caller_context, false),
    bind: v.optional(fields.bind, {}),
    enabled: v.optional(fields.enabled, true),
    allowed_tools: v.optional(fields.allowed_tools, null),
    mode: v.optional(fields.mode, "confirm"),
    tool_modes: v.optional(fields.tool_modes, {}),
    trusted_tools: v.optional(fields.trusted_tools, []),
    remember: v.optional(fields.remember, "conversation"),
    limits: v.optional(
      v.strictObject({
        timeout_seconds: v.optional(limits.timeout_seconds, defaultLimits.timeout_seconds),
        max_result_characters: v.optional(limits.max_result_characters, defaultLimits.max_result_characters),
      }),
      defaultLimits,
    ),
    dry_run: v.optional(describe(v.boolean(), "Lists the tools of the server and stores nothing."), false),
  }),
  replies: { 201: ToolServer, 200: ToolServer },
  errors: ["tool_server_failed", "conflict"],
  summary: "Add a tool server",
  description:
    "Connects to a server of the Model Context Protocol over Streamable HTTP and pins the definitions of its tools; the model sees the pinned ones. With `dry_run`, the response is 200 and nothing is stored. With `enabled: false`, the server is stored without a connection. The kind `http` takes `openapi` or `actions` instead and sends their requests to `url`. With `auth.type` `oauth_user`, each user signs in (`startToolSignIn`), and with `oauth_tenant` an administrator for all; the tools are listed by `checkToolServer` after the sign-in. Only personas that name the server use it.",
});

export const listToolServersRoute = route("GET /v1/tools/servers", {
  id: "listToolServers",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("servers", ToolServerSummary) },
  summary: "List tool servers",
});

export const getToolServerRoute = route("GET /v1/tools/servers/{id}", {
  id: "getToolServer",
  replies: { 200: ToolServer },
  summary: "Get a tool server",
});

export const updateToolServerRoute = adminRoute("PATCH /v1/tools/servers/{id}", {
  id: "updateToolServer",
  body: v.strictObject({
    ...v.partial(v.object({ ...fields, limits: v.strictObject(v.partial(v.object(limits)).entries) })).entries,
    ...actionFields,
    approved: describe(
      v.optional(v.record(ServerToolName, v.string())),
      "Hashes of new and changed definitions to approve, by the name of the tool.",
    ),
  }),
  replies: { 200: ToolServer },
  errors: ["conflict", "tool_server_failed"],
  summary: "Update a tool server",
  description:
    "A change of `url`, `auth` or `allowed_tools`, and enabling the server, connect to it again. A new origin needs `auth` in the same request, so that no secret is sent to another site. `approved` approves definitions that the last check has found: each with its hash, so that exactly what was shown is approved.",
});

export const checkToolServerRoute = adminRoute("POST /v1/tools/servers/{id}/check", {
  id: "checkToolServer",
  idempotency: "none",
  replies: { 200: ToolServer },
  errors: ["conflict", "tool_server_failed"],
  summary: "Check a tool server",
  description:
    "Lists the tools of the server again. New, changed and removed tools are marked and not offered to the model until they are approved. A turn does the same before it calls a tool of a server whose last check is more than an hour ago.",
});

export const deleteToolServerRoute = adminRoute("DELETE /v1/tools/servers/{id}", {
  id: "deleteToolServer",
  summary: "Delete a tool server",
  description: "Personas that name the server continue without it.",
});

export const callToolServerRoute = adminRoute("POST /v1/tools/servers/{id}/call", {
  id: "callToolServer",
  idempotency: "none",
  keys: "refused",
  body: v.strictObject({ tool: ServerToolName, input: v.optional(JsonObject, {}) }),
  replies: { 200: v.object({ result: v.string(), is_error: v.boolean(), duration_ms: v.number() }) },
  errors: ["tool_server_failed"],
  summary: "Try a tool",
  description:
    "Calls an approved tool, as the caller and without further consent, and returns the beginning of its result, which no model reads. Takes at most 25 seconds.",
});

const PublicKey = v.object({
  kty: v.literal("EC"),
  crv: v.literal("P-256"),
  x: v.string(),
  y: v.string(),
  kid: v.string(),
  alg: v.literal("ES256"),
  use: v.literal("sig"),
});
/** Key that verifies signatures with ES256 (RFC 7517). */
export type PublicKey = v.InferOutput<typeof PublicKey>;

export const getKeySetRoute = routeGroup({ group: "tools", auth: "none" })("GET /.well-known/jwks.json", {
  id: "getKeySet",
  replies: { 200: v.object({ keys: v.array(PublicKey) }) },
  summary: "Get the keys of caller contexts",
  description:
    "Public keys (RFC 7517) with which tool servers verify the header `Switchboard-Caller`. After a rotation of the app secret, the next key is listed ten minutes before it signs, and the previous one stays until the next rotation.",
});
