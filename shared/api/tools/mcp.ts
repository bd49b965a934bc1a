import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { textOfAtMost } from "../fields.ts";

/** Id of a request of JSON-RPC. */
export const McpId = v.union([v.string(), v.pipe(v.number(), v.integer())]);

/** Message of JSON-RPC, as a client of the Model Context Protocol sends it. */
export const McpMessage = v.strictObject({
  jsonrpc: v.literal("2.0"),
  id: v.optional(McpId),
  method: v.optional(textOfAtMost(200)),
  params: v.optional(v.looseObject({})),
  // A response of the client, which the service asks for nothing.
  result: v.optional(v.unknown()),
  error: v.optional(v.unknown()),
});
export type McpMessage = v.InferOutput<typeof McpMessage>;

/** Response of JSON-RPC. */
export const McpResponse = v.object({
  jsonrpc: v.literal("2.0"),
  id: v.nullable(McpId),
  result: v.optional(v.looseObject({})),
  error: v.optional(v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) })),
});
export type McpResponse = v.InferOutput<typeof McpResponse>;

const route = routeGroup({ group: "tools", auth: "jwt" });

export const callMcpRoute = route("POST /mcp", {
  id: "callMcp",
  scope: "tools.run",
  streaming: true,
  mediaTypes: ["application/json", "text/event-stream"],
  idempotency: "none",
  body: McpMessage,
  replies: { 200: McpResponse, 202: null },
  summary: "Use the service as an MCP server",
  description:
    "Server of the Model Context Protocol over Streamable HTTP, in the revisions 2026-07-28 (stateless), 2025-11-25 and 2025-06-18, without sessions. Its tools search the knowledge, read passages, list and add memories and notes, and ask personas (`ask_persona`, whose progress is streamed), with the rights of the caller; documents are resources, and templates are prompts. Keys need the scope `tools.run`, and `chat.run` to ask personas.",
});

/** Metadata of `/mcp` as a protected resource (RFC 9728). */
const ProtectedResource = v.object({
  resource: v.string(),
  resource_name: v.string(),
  authorization_servers: v.optional(v.array(v.string())),
  bearer_methods_supported: v.array(v.string()),
});

const metadataRoute = routeGroup({
  group: "tools",
  auth: "none",
  replies: { 200: ProtectedResource },
  description:
    "Metadata of `/mcp` (RFC 9728): with it, MCP clients need only the address to sign a user in at the identity provider.",
});

export const getMcpMetadataRoute = metadataRoute("GET /.well-known/oauth-protected-resource/mcp", {
  id: "getMcpMetadata",
  summary: "Get the metadata of the MCP server",
});

export const getResourceMetadataRoute = metadataRoute("GET /.well-known/oauth-protected-resource", {
  id: "getResourceMetadata",
  summary: "Get the metadata of the MCP server at the root",
});
