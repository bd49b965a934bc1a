import { randomInt } from "node:crypto";
import * as v from "valibot";
import { ToolServerError } from "../tool-server-error.ts";
import { CallQuestions, QuestionAsked, type WaitingStream } from "./call-questions.ts";
import { exchangeMessages, notify, resumeExchange } from "./exchange.ts";
import { listPages, type ToolList } from "./list-pages.ts";
import type { McpRequestOptions, McpTarget } from "./mcp-target.ts";
import { encodeHeaderValue } from "./param-headers.ts";
import {
  CallResult,
  clientInfo,
  DiscoverResult,
  elicitationCapability,
  InitializeResult,
  listsStatelessVersion,
  metaKeys,
  rpcCodes,
  STATELESS_VERSION,
  sessionVersions,
  ToolsPage,
} from "./protocol.ts";
import { cancelRequest, endMcpSession, listen, receiver } from "./session-messages.ts";

const NO_SESSION = "";

interface SendOptions extends Omit<McpRequestOptions, "timeoutMs"> {
  readonly questions?: CallQuestions | null;
}

/** Client for one MCP server over Streamable HTTP. It tries the stateless protocol revision first and falls back to revisions with sessions. */
export class McpClient {
  readonly #target: McpTarget;
  #version: string | null;
  /** Session id; null before the handshake, empty if the server uses no sessions. */
  #session: string | null = null;
  #connection: Promise<void> | null = null;
  /** Begins anywhere, because an answer to a question is sent by another client, and must not repeat the id of the call. */
  #lastId = randomInt(2 ** 30);
  /** True if a call of the session waits for a user's answer. The session then stays open. */
  #isWaiting = false;
  /** Stream on which the server sends requests outside of calls. */
  #listening: Promise<void> | null = null;
  readonly #closed = new AbortController();
  readonly #asking = new Set<CallQuestions>();

  constructor(target: McpTarget) {
    this.#target = target;
    this.#version = target.protocolVersion;
  }

  /** Protocol revision of the server; null before the first request. */
  get protocolVersion(): string | null {
    return this.#version;
  }

  /** Returns the definitions of all tools. @throws ToolServerError if there are too many */
  listTools(options: McpRequestOptions): Promise<ToolList> {
    return listPages(async (cursor) =>
      this.#parse(ToolsPage, await this.#request("tools/list", cursor ? { cursor } : {}, options)),
    );
  }

  /** Calls a tool. With `canAsk`, the result can contain questions to the user instead (`resultType` `input_required`). @throws ToolServerError */
  async callTool(name: string, input: unknown, options: McpRequestOptions): Promise<CallResult> {
    const questions = CallQuestions.of(options);
    if (questions) this.#asking.add(questions);
    try {
      const stream = questions?.waitingStream;
      const result = stream
        ? await this.#resume(stream, questions, options)
        : await this.#request("tools/call", { name, arguments: input }, { ...options, questions }, name);
      const parsed = questions?.toResult() ?? this.#parse(CallResult, result);
      if (parsed.resultType === "complete" || (parsed.resultType === "input_required" && options.canAsk)) return parsed;
    } catch (error) {
      questions?.addFromError(error);
      const asked = questions?.toResult();
      if (!asked) throw error;
      this.#isWaiting = error instanceof QuestionAsked;
      return asked;
    } finally {
      if (questions) this.#asking.delete(questions);
    }
    throw new ToolServerError("The tool asks for input, which is not supported here.");
  }

  /** Sends the user's answer for a call that an earlier function started, and returns the call's result from its resumed stream. */
  async #resume(stream: WaitingStream, questions: CallQuestions, options: McpRequestOptions): Promise<unknown> {
    this.#version = stream.version;
    this.#session = stream.session;
    this.#connection = Promise.resolve();
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    const exchange = { url: this.#target.url, headers: this.#headers({}), signal };
    const status = await notify({ id: stream.request_id, result: questions.lastAnswer }, exchange);
    if (status >= 400) {
      throw new ToolServerError("The server has forgotten the call.", { status, isOutcomeUnknown: true });
    }
    const message = await resumeExchange(stream.call_id, stream.last_event_id, {
      ...exchange,
      onMessage: receiver(exchange, { ...options, questions, stream }),
    });
    return message.result;
  }

  /** Closes the connection. Ends the session, unless one of its calls waits for an answer. Errors are only logged. */
  async close(): Promise<void> {
    this.#closed.abort();
    if (!this.#session || this.#isWaiting) return;
    await endMcpSession({ url: this.#target.url, headers: this.#headers({}) });
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

  /**
   * Sends a request after the handshake. Negotiates and sends again once if the server did not execute the request
   * because its session has ended or it no longer supports the revision.
   */
  async #request(
    method: string,
    params: object,
    options: SendOptions & McpRequestOptions,
    name?: string,
  ): Promise<unknown> {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    for (let attempt = 1; ; attempt++) {
      await this.#connect(signal, options.canAsk);
      const listener = { url: this.#target.url, headers: this.#headers({}), signal: this.#closed.signal };
      if (options.questions && this.#session) this.#listening ??= listen(listener, this.#asking);
      await this.#listening;
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
        this.#listening = null;
      }
    }
  }

  /** Performs the handshake once; concurrent calls share it. After a failure, the next request repeats it. */
  #connect(signal: AbortSignal, canAsk = false): Promise<void> {
    this.#connection ??= this.#negotiate(signal, canAsk).catch((error: unknown) => {
      this.#connection = null;
      throw error;
    });
    return this.#connection;
  }

  async #negotiate(signal: AbortSignal, canAsk: boolean): Promise<void> {
    if (this.#version === null && (await this.#discover(signal))) this.#version = STATELESS_VERSION;
    if (this.#version === STATELESS_VERSION) return;
    const requested = this.#version ?? (sessionVersions[0] as string);
    this.#version = null;
    const capabilities = canAsk ? elicitationCapability : {};
    const params = { protocolVersion: requested, capabilities, clientInfo };
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

  /**
   * Returns true if the server supports the stateless protocol revision. Servers of earlier revisions reject the
   * request.
   * @throws ToolServerError if the server is unreachable, denies access or fails
   */
  async #discover(signal: AbortSignal): Promise<boolean> {
    this.#version = STATELESS_VERSION;
    try {
      const { result } = await this.#send("server/discover", {}, { signal });
      // Some servers answer any method with an empty result.
      const parsed = v.safeParse(DiscoverResult, result);
      return parsed.success && parsed.output.supportedVersions.includes(STATELESS_VERSION);
    } catch (error) {
      if (error instanceof ToolServerError && listsStatelessVersion(error)) return true;
      const isRefused = error instanceof ToolServerError && ![0, 401, 403, 429].includes(error.status);
      if (isRefused && error.status < 500) return false;
      throw error;
    } finally {
      this.#version = null;
    }
  }

  async #send(method: string, params: object, options: SendOptions, name?: string) {
    const { signal, meta, headers, onProgress, canAsk, resumption } = options;
    const { url } = this.#target;
    const id = ++this.#lastId;
    const isStateless = this.#version === STATELESS_VERSION;
    const _meta = {
      ...meta,
      ...(onProgress && { progressToken: id }),
      ...(isStateless && {
        [metaKeys.version]: STATELESS_VERSION,
        [metaKeys.capabilities]: canAsk ? elicitationCapability : {},
        [metaKeys.clientInfo]: clientInfo,
      }),
    };
    const sent = this.#headers({
      ...headers,
      ...(isStateless && { "mcp-method": method }),
      ...(isStateless && name !== undefined && { "mcp-name": encodeHeaderValue(name) }),
    });
    const exchange = { url, headers: sent, signal };
    const stream = isStateless ? null : { version: this.#version ?? "", session: this.#session ?? "", call_id: id };
    // Answers of the revisions with sessions are sent when the server asks again.
    const allParams = { ...params, ...(isStateless && resumption) };
    const fullParams = Object.keys(_meta).length > 0 ? { ...allParams, _meta } : allParams;
    try {
      const { message, headers: received } = await exchangeMessages(
        { id, method, params: fullParams },
        { ...exchange, onMessage: receiver(exchange, { ...options, stream }) },
      );
      return { result: message.result, headers: received };
    } catch (error) {
      // In the stateless revision, closing the connection cancels the request.
      if (signal.aborted && !isStateless && method !== "initialize") cancelRequest(id, exchange);
      throw error;
    }
  }
}
