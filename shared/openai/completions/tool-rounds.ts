import type { ChatCompletionRequest, ChatMessage } from "../../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import type { ProgramRequest, ProgramTools } from "../../chat/tools/program-tools.ts";
import { ServiceError } from "../../lib/errors.ts";
import type { ChatToolCall, ReportedUsage } from "../../models/chat-chunk.ts";
import type { Endpoint } from "../../personas/endpoint-store.ts";
import { plainText } from "../content-parts.ts";
import { type ModelRequest, toolNamesOf } from "../model-request.ts";
import { reasoningFields } from "./delta-fields.ts";

/**
 * Maximum number of the service's tools that run per response of the model, as in a chat. Further calls of the response
 * are dropped.
 */
const MAX_CALLS_PER_RESPONSE = 5;

/** One response of the model: its tool calls and its texts by field. `isCut` is true if it ended at the token limit. */
export interface Round {
  readonly calls: readonly ChatToolCall[];
  readonly texts: Readonly<Record<string, string>>;
  readonly isCut: boolean;
}

/** Adds two usages, including the numbers in nested details. */
function sumUsage(a: ReportedUsage, b: ReportedUsage): ReportedUsage {
  const sum: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const other = sum[name];
    if (typeof value === "number") sum[name] = value + (typeof other === "number" ? other : 0);
    else if (typeof value === "object" && value !== null)
      sum[name] = sumUsage((other ?? {}) as ReportedUsage, value as ReportedUsage);
  }
  return sum;
}

/** Returns true if the messages contain text that may come from third parties: tool results, images, audio or files. */
const hasForeignText = ({ messages }: ChatCompletionRequest): boolean =>
  messages.some(
    ({ role, content }) =>
      role === "tool" ||
      role === "function" ||
      (Array.isArray(content) && content.some(({ type }) => type !== "text" && type !== "refusal")),
  );

/**
 * Loads the service's tools for a request. Null if the endpoint does not allow tools, the request sets `tool_choice` to
 * `none`, asks for several choices, or uses the deprecated `functions`.
 */
export async function loadTools(
  principal: ApiKeyPrincipal,
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  fields: Omit<ProgramRequest, "endpoint" | "hasForeignText" | "question">,
): Promise<ProgramTools | null> {
  const { n, functions, tool_choice } = request;
  const hasFunctions = Array.isArray(functions) && functions.length > 0;
  if (!endpoint.api_tools || (n ?? 1) > 1 || hasFunctions || tool_choice === "none") return null;
  const { loadProgramTools } = await import("../../chat/tools/program-tools.ts");
  const hasSources = endpoint.collection_ids.length > 0;
  return loadProgramTools(principal, {
    ...fields,
    endpoint,
    hasForeignText: hasSources || hasForeignText(request),
    question: plainText(request.messages.findLast(({ role }) => role === "user")?.content),
  });
}

/**
 * State of the rounds of one completion. Calls of the service's tools run in this function and start another round;
 * calls of the caller's tools end the answer.
 */
export class ToolRounds {
  readonly #tools: ProgramTools;
  readonly #names: ReadonlySet<string>;
  readonly #signal: AbortSignal;
  #request: ModelRequest;
  #usage: ReportedUsage | null = null;
  #count = 0;
  #earlierPrompts = "";
  /** JSON of the calls that ran, which the model generated, for estimating tokens. */
  generatedText = "";

  /**
   * @param first request of the first round
   * @param received request as the caller sent it; a tool of the caller hides a tool of the service with the same name
   */
  constructor(tools: ProgramTools, first: ModelRequest, received: ChatCompletionRequest, signal: AbortSignal) {
    this.#tools = tools;
    this.#request = first;
    this.#signal = signal;
    const others = new Set(toolNamesOf(received));
    this.#names = new Set(tools.definitions.map(({ name }) => name).filter((name) => !others.has(name)));
  }

  /** Returns the sum of the usages of all earlier rounds and `usage`; undefined if no round reported one. */
  addUsage(usage: ReportedUsage | null | undefined): ReportedUsage | undefined {
    if (!usage) return this.#usage ?? undefined;
    return this.#usage ? sumUsage(this.#usage, usage) : usage;
  }

  /** Returns the prompts of all rounds, for estimating tokens. */
  promptText(): string {
    return this.#earlierPrompts + this.#request.promptText();
  }

  isOwn(call: ChatToolCall): boolean {
    return this.#names.has(call.function?.name ?? "");
  }

  /**
   * Returns the calls of the service's tools in a response, at most `MAX_CALLS_PER_RESPONSE`. Empty if the response was
   * cut or no round is left.
   */
  takeCalls({ calls, isCut }: Round): readonly ChatToolCall[] {
    if (isCut || this.#count >= this.#tools.rounds) return [];
    return calls.filter((call) => this.isOwn(call)).slice(0, MAX_CALLS_PER_RESPONSE);
  }

  /**
   * Runs calls of the service's tools and returns the request for the next round, with their results. Calls of the
   * caller's tools in the same response are dropped: the model can repeat them in the next round, and the caller never
   * sees the results of the service's tools.
   */
  async run(calls: readonly ChatToolCall[], { texts }: Round, usage: ReportedUsage | undefined): Promise<ModelRequest> {
    this.#usage = usage ?? null;
    this.#earlierPrompts += this.#request.promptText();
    this.generatedText += JSON.stringify(calls);
    const used = calls.map(({ id = "", function: called }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: called?.name ?? "",
      input: called?.arguments ?? "{}",
    }));
    const results = await this.#tools.run(used, this.#signal);
    this.#count++;
    const { content, ...others } = texts;
    // Models continue their reasoning after the results.
    const reasoning = Object.fromEntries(
      reasoningFields.flatMap((name) => (others[name] ? [[name, others[name]]] : [])),
    );
    this.#request = this.#request.withMessages(
      [
        { role: "assistant", content: content || null, ...reasoning, tool_calls: calls } as unknown as ChatMessage,
        ...results.map(({ callId, text }) => ({ role: "tool" as const, tool_call_id: callId, content: text })),
      ],
      this.#count >= this.#tools.rounds,
    );
    return this.#request;
  }

  /** Adds `x-should-retry: false` to an error if tools have run, because a retry by the client would run them again. */
  markError(error: unknown): unknown {
    if (this.#count === 0 || !(error instanceof ServiceError)) return error;
    return Object.assign(error, { headers: { ...error.headers, "x-should-retry": "false" } });
  }

  close(): Promise<void> {
    return this.#tools.close();
  }
}
