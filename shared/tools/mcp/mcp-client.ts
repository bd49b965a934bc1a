import * as v from "valibot";
import { log } from "../../lib/log.ts";
import { requestToolServer } from "../request-tool-server.ts";
import { ToolServerError } from "../tool-server-error.ts";
import { exchangeMessages, notify } from "./exchange.ts";
import type { McpRequestOptions, McpTarget } from "./mcp-target.ts";
import { encodeHeaderValue } from "./param-headers.ts";
import {
  CallResult,
  clientInfo,
  DiscoverResult,
  InitializeResult,
  metaKeys,
  type RpcMessage,
  rpcCodes,
  STATELESS_VERSION,
  sessionVersions,
  ToolsPage,
} from "./protocol.ts";

/** Limits of a list of tools: a server could send pages without end. */
const MAX_PAGES = 20;
const MAX_TOOLS = 1_000;

/** Time for messages that the client does not wait for longer: cancellation and the end of a session. */
const FAREWELL_TIMEOUT_MS = 1_500;

const NO_SESSION = "";

/** Client of one MCP server over Streamable HTTP. It prefers the stateless revision and falls back to those with sessions. */
export class McpClient {
  readonly #target: McpTarget;
  #version: string | null;
  /** Session of a revision with sessions; null before the handshake, empty if the server needs none. */
  #session: string | null = null;
  #connection: Promise<void> | null = null;
  #lastId = 0;

  constructor(target: McpTarget) {
    this.#target = target;
    this.#version = target.protocolVersion;
  }

  /** Revision that the server speaks; null before the first request. */
  get protocolVersion(): string | null {
    return this.#version;
  }

  /**
   * Returns the definitions of all tools.
   * @throws ToolServerError if there are too many
   */
  async listTools(options: McpRequestOptions): Promise<{ readonly tools: unknown[]; readonly ttlMs: number | null }> {
    const tools: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = this.#parse(ToolsPage, await this.#request("tools/list", cursor ? { cursor } : {}, options));
      tools.push(...result.tools);
      if (tools.length > MAX_TOOLS) break;
      cursor = result.nextCursor || undefined;
      if (cursor === undefined) return { tools, ttlMs: result.ttlMs ?? null };
      if (cursors.has(cursor)) throw new ToolServerError("The server repeats a page of its list of tools.");
      cursors.add(cursor);
    }
    throw new ToolServerError(`The server lists more than ${MAX_TOOLS} tools or ${MAX_PAGES} pages.`);
  }

  /**
   * Calls a tool. With `canAsk`, the result can contain questions instead (`resultType` `input_required`).
   * @throws ToolServerError
   */
  async callTool(name: string, input: unknown, options: McpRequestOptions): Promise<CallResult> {
    const { resumption, canAsk } = options;
    const result = await this.#request("tools/call", { name, arguments: input, ...resumption }, options, name);
    const parsed = this.#parse(CallResult, result);
    if (parsed.resultType === "complete" || (parsed.resultType === "input_required" && canAsk)) return parsed;
    throw new ToolServerError("The tool asks for input, which is not supported here.");
  }

  /** Ends the session, if there is one. Errors are logged only. */
  async close(): Promise<void> {
    if (!this.#session) return;
    const signal = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
    try {
      const { body } = await requestToolServer(this.#target.url, {
        method: "DELETE",
        headers: this.#headers({}),
        signal,
      });
      body.destroy();
    } catch (error) {
      log.info("session of tool server not ended", { error });
    }
    this.#session = null;
  }

  #parse<const Schema extends v.GenericSchema>(schema: Schema, result: unknown): v.InferOutput<Schema> {
    const parsed = v.safeParse(schema, result);
    if (parsed.success) return parsed.output;
    throw new ToolServerError("The response of the server does not follow the protocol.", { isOutcomeUnknown: true });
  }

  #headers(extra: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...extra,
      ...this.#target.headers,
      ...(this.#version && { "mcp-protocol-version": this.#version }),
      ...(this.#session && { "mcp-session-id": this.#session }),
    };
  }

  /** Sends a request after the handshake. Repeats it once if the server has not executed it: its revision or session ended. */
  async #request(method: string, params: object, options: McpRequestOptions, name?: string): Promise<unknown> {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    for (let attempt = 1; ; attempt++) {
      await this.#connect(signal);
      try {
        return (await this.#send(method, params, { ...options, signal }, name)).result;
      } catch (error) {
        if (!(error instanceof ToolServerError) || attempt > 1) throw error;
        const isSessionLost =
          this.#version !== STATELESS_VERSION && error.status === 404 && this.#session !== NO_SESSION;
        const isVersionLost =
          this.#target.protocolVersion !== null &&
          (error.rpcCode === rpcCodes.unsupportedVersion || (error.status === 400 && !error.isOutcomeUnknown));
        if (!isSessionLost && !isVersionLost) throw error;
        if (!isSessionLost) this.#version = null;
        this.#session = null;
        this.#connection = null;
      }
    }
  }

  /** Concurrent calls share one handshake. A failed one is repeated by the next request. */
  #connect(signal: AbortSignal): Promise<void> {
    this.#connection ??= this.#negotiate(signal).catch((error: unknown) => {
      this.#connection = null;
      throw error;
    });
    return this.#connection;
  }

  async #negotiate(signal: AbortSignal): Promise<void> {
    if (this.#version === null && (await this.#discover(signal))) this.#version = STATELESS_VERSION;
    if (this.#version === STATELESS_VERSION) return;
    const requested = this.#version ?? (sessionVersions[0] as string);
    this.#version = null;
    const params = { protocolVersion: requested, capabilities: {}, clientInfo };
    const { result, headers } = await this.#send("initialize", params, { signal });
    const { protocolVersion } = this.#parse(InitializeResult, result);
    if (!sessionVersions.includes(protocolVersion)) {
      throw new ToolServerError(
        `The server speaks the revision ${protocolVersion.slice(0, 40)}, which is not supported.`,
      );
    }
    this.#version = protocolVersion;
    this.#session = String(headers["mcp-session-id"] ?? NO_SESSION);
    await notify(
      { method: "notifications/initialized" },
      { url: this.#target.url, headers: this.#headers({}), signal },
    );
  }

  /** Asks a server whether it speaks the stateless revision. Servers of earlier revisions refuse the question. */
  async #discover(signal: AbortSignal): Promise<boolean> {
    this.#version = STATELESS_VERSION;
    try {
      const { result } = await this.#send("server/discover", {}, { signal });
      // Some servers answer any method with an empty result.
      const parsed = v.safeParse(DiscoverResult, result);
      return parsed.success && parsed.output.supportedVersions.includes(STATELESS_VERSION);
    } catch (error) {
      const isRefused = error instanceof ToolServerError && ![0, 401, 403, 429].includes(error.status);
      if (isRefused && error.status < 500) return false;
      throw error;
    } finally {
      this.#version = null;
    }
  }

  async #send(
    method: string,
    params: object,
    { signal, meta, headers, onProgress, canAsk }: Omit<McpRequestOptions, "timeoutMs">,
    name?: string,
  ) {
    const { url } = this.#target;
    const id = ++this.#lastId;
    const isStateless = this.#version === STATELESS_VERSION;
    const _meta = {
      ...meta,
      ...(onProgress && { progressToken: id }),
      ...(isStateless && {
        [metaKeys.version]: STATELESS_VERSION,
        [metaKeys.capabilities]: canAsk ? { elicitation: { form: {}, url: {} } } : {},
        [metaKeys.clientInfo]: clientInfo,
      }),
    };
    const sent = this.#headers({
      ...headers,
      ...(isStateless && { "mcp-method": method }),
      ...(isStateless && name !== undefined && { "mcp-name": encodeHeaderValue(name) }),
    });
    const exchange = { url, headers: sent, signal };
    const fullParams = Object.keys(_meta).length > 0 ? { ...params, _meta } : params;
    try {
      const { message, headers: received } = await exchangeMessages(
        { id, method, params: fullParams },
        { ...exchange, onMessage: (other) => this.#receive(other, exchange, onProgress) },
      );
      return { result: message.result, headers: received };
    } catch (error) {
      // In the stateless revision, closing the connection cancels the request.
      if (signal.aborted && !isStateless && method !== "initialize") this.#cancel(id);
      throw error;
    }
  }

  /** Handles a message of the server that is no response: progress, or a request, all of which but `ping` are refused. */
  #receive(
    { id, method, params }: RpcMessage,
    exchange: { url: string; headers: Record<string, string>; signal: AbortSignal },
    onProgress: McpRequestOptions["onProgress"],
  ): void {
    if (method === "notifications/progress") {
      const { message, progress, total } = (params ?? {}) as Readonly<Record<string, unknown>>;
      onProgress?.(typeof message === "string" ? message : [progress, total].filter(Number.isFinite).join(" / "));
    }
    if (method === undefined || id === undefined || id === null || this.#version === STATELESS_VERSION) return;
    const refusal = { code: rpcCodes.methodNotFound, message: "This client does not support the method." };
    const reply = method === "ping" ? { id, result: {} } : { id, error: refusal };
    notify(reply, exchange).catch((error: unknown) => log.info("request of tool server not answered", { error }));
  }

  #cancel(requestId: number): void {
    const signal = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
    const message = { method: "notifications/cancelled", params: { requestId, reason: "The client stopped waiting." } };
    notify(message, { url: this.#target.url, headers: this.#headers({}), signal }).catch((error: unknown) =>
      log.info("call of tool not canceled", { error }),
    );
  }
}
