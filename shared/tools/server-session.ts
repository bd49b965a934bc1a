import type { ServerTool } from "../api/tools/tool-server.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { bindArguments } from "./bound-arguments.ts";
import { type Caller, signCaller } from "./caller-context.ts";
import { createClient, refreshTools } from "./check-server.ts";
import { callAction } from "./http/call-action.ts";
import type { McpClient } from "./mcp/mcp-client.ts";
import type { CallResumption } from "./mcp/mcp-target.ts";
import { paramHeaders } from "./mcp/param-headers.ts";
import type { CallResult } from "./mcp/protocol.ts";
import { isTokenRefused, loadServerHeaders, renewServerHeaders } from "./server-headers.ts";
import { replaceToolServer, type StoredToolServer } from "./server-store.ts";
import { ToolServerError } from "./tool-server-error.ts";

/** Maximum age of the tool list. If it is older, a turn lists the tools again before it calls one. */
const MAX_CHECK_AGE_MS = 3_600_000;

/** Minimum length of a secret, or of a word in it, that is removed from results. Shorter ones also occur by chance. */
const MIN_SECRET_CHARACTERS = 8;

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly canAsk?: boolean;
  readonly resumption?: CallResumption | undefined;
  readonly caller: Caller;
  onProgress(message: string): void;
}

/** Connection of one chat turn to one tool server. It is opened with the first call. */
export class ServerSession {
  readonly #scope: UserScope;
  #server: StoredToolServer;
  #headers: Promise<Record<string, string>> | null = null;
  #client: McpClient | null = null;
  #check: Promise<void> | null = null;

  constructor(scope: UserScope, server: StoredToolServer) {
    this.#scope = scope;
    this.#server = server;
  }

  /** User whose token is sent to a server with sign-in. */
  get member(): UserScope {
    return this.#scope;
  }

  get server(): StoredToolServer {
    return this.#server;
  }

  /**
   * Calls a tool if its definition is still the approved one. A rejected token is refreshed once.
   * @throws ToolServerError
   */
  async call(tool: ServerTool, input: unknown, options: CallOptions): Promise<CallResult> {
    this.#headers ??= loadServerHeaders(this.#scope, this.#server);
    const headers = this.#headers;
    try {
      return await this.#callOnce(tool, input, options);
    } catch (error) {
      if (!isTokenRefused(this.#server, error)) throw error;
      // A concurrent call may have renewed the token.
      if (this.#headers === headers) {
        this.#headers = renewServerHeaders(this.#scope, this.#server, await headers);
        this.#client = null;
      }
      return this.#callOnce(tool, input, options);
    }
  }

  async #callOnce(definition: ServerTool, chosen: unknown, options: CallOptions): Promise<CallResult> {
    const { name, hash } = definition;
    const { signal } = options;
    const input = bindArguments(this.#server, definition, chosen, options.caller);
    const caller = await signCaller(this.#scope, this.#server, name, options.caller);
    const credentials = await (this.#headers as Promise<Record<string, string>>);
    const headers = { ...credentials, ...caller };
    if (this.#server.kind === "http") {
      const action = this.#requireApproved(name, hash);
      const result = await callAction(this.#server, action, input as Record<string, unknown>, headers, signal);
      return this.#withoutSecrets(result, headers);
    }
    this.#client ??= createClient(this.#server, credentials);
    const client = this.#client;
    if (now() - Date.parse(this.#server.checked_at ?? "1970-01-01") > MAX_CHECK_AGE_MS) {
      this.#check ??= this.#refresh(client, signal, options.canAsk);
      await this.#check;
    }
    const tool = this.#requireApproved(name, hash);
    const result = await client.callTool(name, input, {
      ...options,
      headers: { ...paramHeaders(tool.input_schema, input), ...caller },
      timeoutMs: this.#server.limits.timeout_seconds * 1_000,
    });
    return this.#withoutSecrets(result, headers);
  }

  #requireApproved(name: string, hash: string): ServerTool {
    const tool = this.#server.tools.find((each) => each.name === name);
    if (tool?.status === "approved" && tool.hash === hash) return tool;
    throw new ToolServerError(
      "The server has changed the definition of this tool. An administrator has to approve it before it can be called.",
    );
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** Lists the tools again and stores the result, with changed definitions no longer approved. */
  async #refresh(client: McpClient, signal: AbortSignal, canAsk?: boolean): Promise<void> {
    const before = this.#server;
    this.#server = await refreshTools(before, client, signal, canAsk);
    try {
      this.#server = await replaceToolServer(this.#scope, before, this.#server);
    } catch (error) {
      // Another turn or an administrator has changed it, and the next turn reads what they stored.
      if (!(error instanceof ServiceError)) throw error;
      log.info("check of tool server not stored", { server_id: before.id, code: error.code });
    }
  }

  /**
   * Replaces the values of the authentication headers in a result by `[secret]`, because some servers echo the headers
   * of requests.
   */
  #withoutSecrets(result: CallResult, headers: Readonly<Record<string, string>>): CallResult {
    const values = Object.values(headers).flatMap((value) => [value, ...value.split(" ")]);
    const secrets = values.filter((value) => value.length >= MIN_SECRET_CHARACTERS);
    const clean = (_: string, value: unknown) =>
      typeof value === "string" ? secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), value) : value;
    return secrets.length === 0 ? result : JSON.parse(JSON.stringify(result, clean));
  }
}
