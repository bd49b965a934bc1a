import type { ChatCompletionRequest, ChatMessage } from "../../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import type { ProgramRequest, ProgramTools } from "../../chat/tools/program-tools.ts";
import { ServiceError } from "../../lib/errors.ts";
import type { ReportedUsage } from "../../models/chat-chunk.ts";
import type { Endpoint } from "../../personas/endpoint-store.ts";
import { plainText } from "../content-parts.ts";
import { type ModelRequest, toolNamesOf } from "../model-request.ts";
import { reasoningFields } from "./delta-fields.ts";

/** Maximum number of calls that are executed per response of the model, as in a chat. */
const MAX_CALLS_PER_RESPONSE = 5;

/** Tool call in OpenAI's format. */
export interface Call {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Content of one response of the model. */
export interface Round {
  readonly calls: readonly Call[];
  readonly texts: Readonly<Record<string, string>>;
  readonly isCut: boolean;
}

/** Adds numbers, also those in details. */
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

/** Content of messages that others may have written: results of the caller's tools, images and files. */
const hasForeignText = ({ messages }: ChatCompletionRequest): boolean =>
  messages.some(
    ({ role, content }) =>
      role === "tool" ||
      role === "function" ||
      (Array.isArray(content) && content.some(({ type }) => type !== "text" && type !== "refusal")),
  );

/** Loads the service's tools for a request. Requests with several choices or the deprecated `functions` have none. */
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

/** Rounds of tool calls of one completion: calls of the service's tools run here, those of the caller's end the answer. */
export class ToolRounds {
  readonly #tools: ProgramTools;
  readonly #names: ReadonlySet<string>;
  readonly #signal: AbortSignal;
  #request: ModelRequest;
  #usage: ReportedUsage | null = null;
  #count = 0;
  #earlierPrompts = "";
  /** Calls that ran here, to estimate tokens. */
  generatedText = "";

  /**
   * @param first request of the first round
   * @param received request as the caller sent it; its tools come first where names are equal
   */
  constructor(tools: ProgramTools, first: ModelRequest, received: ChatCompletionRequest, signal: AbortSignal) {
    this.#tools = tools;
    this.#request = first;
    this.#signal = signal;
    const others = new Set(toolNamesOf(received));
    this.#names = new Set(tools.definitions.map(({ name }) => name).filter((name) => !others.has(name)));
  }

  /** Returns the usage of all rounds. */
  addUsage(usage: ReportedUsage | null | undefined): ReportedUsage | undefined {
    if (!usage) return this.#usage ?? undefined;
    return this.#usage ? sumUsage(this.#usage, usage) : usage;
  }

  /** Text that the model has read in all rounds, to estimate tokens. */
  promptText(): string {
    return this.#earlierPrompts + this.#request.promptText();
  }

  isOwn(call: Call): boolean {
    return this.#names.has(call.function?.name ?? "");
  }

  /** Returns the calls of a round that run here; none if the answer ends with the round. */
  takeCalls({ calls, isCut }: Round): readonly Call[] {
    if (isCut || this.#count >= this.#tools.rounds) return [];
    return calls.filter((call) => this.isOwn(call)).slice(0, MAX_CALLS_PER_RESPONSE);
  }

  /**
   * Runs calls and returns the request that continues with their results. Calls of the caller's tools in the same response
   * are dropped: the model makes them again when it knows the results, which the caller never sees.
   */
  async run(calls: readonly Call[], { texts }: Round, usage: ReportedUsage | undefined): Promise<ModelRequest> {
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

  /** Marks an error after tools ran: a retry of the client would run them again. */
  markError(error: unknown): unknown {
    if (this.#count === 0 || !(error instanceof ServiceError)) return error;
    return Object.assign(error, { headers: { ...error.headers, "x-should-retry": "false" } });
  }

  close(): Promise<void> {
    return this.#tools.close();
  }
}
