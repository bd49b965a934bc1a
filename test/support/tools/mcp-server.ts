import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

// biome-ignore lint/suspicious/noExplicitAny: messages of any shape
type Json = any;

/** Request that the server received. */
export interface McpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly message: Json;
}

/** Small MCP server on localhost. Fields can be changed while it runs. */
export interface McpServer {
  readonly url: string;
  readonly requests: McpRequest[];
  /** Definitions that `tools/list` returns. */
  tools: Json[];
  /** Result of a call; by default, the arguments as text. */
  call: (name: string, input: Json) => Json | Promise<Json>;
  /** Handles a request instead of the server if it returns true. */
  intercept: (request: McpRequest, response: ServerResponse) => boolean | Promise<boolean>;
  stop(): Promise<void>;
}

export interface McpServerOptions {
  /** Revisions: one without sessions, one with them, or both. */
  readonly revisions?: readonly string[];
  /** Answers with an event stream instead of JSON. */
  readonly isStreaming?: boolean;
  /** Value that the header `authorization` must have. */
  readonly authorization?: string;
  /** Number of tools per page. */
  readonly pageSize?: number;
}

/** Definition of a tool with one text argument. */
export const toolDefinition = (name: string, fields: Json = {}): Json => ({
  name,
  description: `Runs ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  ...fields,
});

export async function startMcpServer(options: McpServerOptions = {}): Promise<McpServer> {
  const { revisions = ["2026-07-28"], isStreaming = false, authorization, pageSize = 100 } = options;
  const sessions = new Set<string>();
  const requests: McpRequest[] = [];
  const isStateless = (message: Json) =>
    message.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;

  async function resultOf({ method, params }: Json, state: McpServer): Promise<Json> {
    if (method === "server/discover")
      return { supportedVersions: revisions, capabilities: {}, ttlMs: 0, cacheScope: "private" };
    if (method === "initialize")
      return { protocolVersion: revisions[0], capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } };
    if (method === "tools/list") {
      const start = Number(params?.cursor ?? 0);
      const next = start + pageSize;
      return {
        tools: state.tools.slice(start, next),
        ...(next < state.tools.length && { nextCursor: String(next) }),
        ttlMs: 0,
        cacheScope: "private",
      };
    }
    if (method !== "tools/call") return undefined;
    return state.call(params.name, params.arguments);
  }

  const server = createServer(async (request, response) => {
    const message = request.method === "POST" ? JSON.parse(await readText(request)) : null;
    const received = { path: request.url ?? "", method: request.method ?? "", headers: request.headers, message };
    requests.push(received);
    if (await state.intercept(received, response)) return;
    const refuse = (status: number, code: number, text: string) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message: text } }));
    if (authorization && request.headers.authorization !== authorization) return response.writeHead(401).end();
    const session = String(request.headers["mcp-session-id"] ?? "");
    if (request.method === "DELETE") return response.writeHead(sessions.delete(session) ? 200 : 404).end();
    if (!message) return response.writeHead(405).end();
    const stateless = isStateless(message);
    if (stateless && !revisions.includes("2026-07-28")) return refuse(400, -32_000, "No valid session ID provided");
    if (!stateless && message.method !== "initialize" && !sessions.has(session))
      return refuse(404, -32_001, "No session");
    if (message.id === undefined) return response.writeHead(202).end();
    const result = await resultOf(message, state);
    const answer = {
      jsonrpc: "2.0",
      id: message.id,
      ...(result
        ? { result: { ...(stateless && { resultType: "complete" }), ...result } }
        : { error: { code: -32_601, message: "Method not found" } }),
    };
    const newSession = randomUUID();
    if (message.method === "initialize") {
      sessions.add(newSession);
      response.setHeader("mcp-session-id", newSession);
    }
    if (!isStreaming)
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const progress = { progressToken: message.params?._meta?.progressToken, progress: 1, message: "Half done" };
    response.write(
      `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: progress })}\n\n`,
    );
    response.end(`data: ${JSON.stringify(answer)}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const state: McpServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    tools: [toolDefinition("echo")],
    call: (_, input) => ({ content: [{ type: "text", text: JSON.stringify(input) }] }),
    intercept: () => false,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return state;
}
