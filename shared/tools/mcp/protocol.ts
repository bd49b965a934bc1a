import * as v from "valibot";

/** Protocol revision without sessions: each request names the version, and no handshake is needed. */
export const STATELESS_VERSION = "2026-07-28";

/** Protocol revisions with a handshake and sessions, newest first. */
export const sessionVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** Error codes of JSON-RPC and of MCP that the client handles. */
export const rpcCodes = {
  methodNotFound: -32_601,
  unsupportedVersion: -32_022,
  urlElicitationRequired: -32_042,
} as const;

/** Client capabilities that are announced if a user can answer questions. */
export const elicitationCapability = { elicitation: { form: {}, url: {} } } as const;

export const clientInfo = { name: "switchboard", version: "1.0" } as const;

/** Keys of `_meta` that the stateless revision requires in every request. */
export const metaKeys = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
} as const;

const RpcError = v.object({ code: v.number(), message: v.optional(v.string(), ""), data: v.optional(v.unknown()) });

/** JSON-RPC request, notification or response. */
export const RpcMessage = v.looseObject({
  id: v.optional(v.nullable(v.union([v.number(), v.string()]))),
  method: v.optional(v.string()),
  params: v.optional(v.unknown()),
  result: v.optional(v.looseObject({})),
  error: v.optional(RpcError),
});
export type RpcMessage = v.InferOutput<typeof RpcMessage>;

export const DiscoverResult = v.looseObject({ supportedVersions: v.array(v.string()) });

export const InitializeResult = v.looseObject({ protocolVersion: v.string() });

/** Page of a tool list. Definitions are validated one by one later, so that an invalid one does not hide the others. */
export const ToolsPage = v.looseObject({
  tools: v.array(v.unknown()),
  nextCursor: v.optional(v.nullable(v.string())),
  ttlMs: v.optional(v.number()),
});

export const CallResult = v.looseObject({
  content: v.optional(v.array(v.looseObject({ type: v.string() })), []),
  structuredContent: v.optional(v.unknown()),
  isError: v.optional(v.boolean(), false),
  resultType: v.optional(v.string(), "complete"),
});
export type CallResult = v.InferOutput<typeof CallResult>;

const VersionProblem = v.looseObject({ supported: v.array(v.string()) });

/** Returns true if the error for an unsupported version lists the stateless revision as supported. */
export const listsStatelessVersion = ({ rpcCode, rpcData }: { rpcCode: number | null; rpcData: unknown }): boolean =>
  rpcCode === rpcCodes.unsupportedVersion &&
  v.is(VersionProblem, rpcData) &&
  rpcData.supported.includes(STATELESS_VERSION);
