import * as v from "valibot";

/** Revision without sessions: each request carries its version and needs no earlier one. */
export const STATELESS_VERSION = "2026-07-28";

/** Revisions with a handshake and sessions, newest first. */
export const sessionVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** Error codes of JSON-RPC and of the protocol. */
export const rpcCodes = {
  methodNotFound: -32_601,
  unsupportedVersion: -32_022,
  urlElicitationRequired: -32_042,
} as const;

/** Capability of a client whose user can answer questions. */
export const elicitationCapability = { elicitation: { form: {}, url: {} } } as const;

export const clientInfo = { name: "switchboard", version: "1.0" } as const;

/** Keys of `_meta` that the protocol defines. */
export const metaKeys = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
} as const;

const RpcError = v.object({ code: v.number(), message: v.optional(v.string(), ""), data: v.optional(v.unknown()) });

/** Message of JSON-RPC in either direction. */
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

/** Page of a list of tools. Definitions are validated one by one, so that an invalid one does not hide the others. */
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

/** Tells whether a server that refuses a version names the revision without sessions as supported. */
export const listsStatelessVersion = ({ rpcCode, rpcData }: { rpcCode: number | null; rpcData: unknown }): boolean =>
  rpcCode === rpcCodes.unsupportedVersion &&
  v.is(VersionProblem, rpcData) &&
  rpcData.supported.includes(STATELESS_VERSION);
