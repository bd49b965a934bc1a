import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { CompletionAnswer, CompletionHead } from "../completion.ts";

/** Item of a response's output. */
export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

interface ChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Returns the id of an output item, which is unique within the response. */
export const toItemId = ({ id }: CompletionHead, prefix: "msg" | "fc" | "rs", index: number) =>
  `${prefix}_${id.slice("resp_".length)}${index}`;

/** Creates a reasoning item. */
export const toReasoningItem = (id: string, text: string): OutputItem => ({
  id,
  type: "reasoning",
  summary: [],
  content: [{ type: "reasoning_text", text }],
});

/** Creates a content part with text. */
export const toTextPart = (text: string, annotations: unknown = []) => ({
  type: "output_text",
  text,
  annotations,
  logprobs: [],
});

/** Creates a message item. */
export const toMessageItem = (id: string, status: string, content: readonly unknown[]): OutputItem => ({
  id,
  type: "message",
  status,
  role: "assistant",
  content,
});

/** Creates a function call item. */
export const toCallItem = (id: string, status: string, call: ChatToolCall): OutputItem => ({
  id,
  type: "function_call",
  status,
  call_id: call.id,
  name: call.function.name,
  arguments: call.function.arguments,
});

/** Reasons for an incomplete response, by finish reason. */
const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** Returns the output items of a finished answer. */
export function toOutput({ head, choices }: CompletionAnswer): OutputItem[] {
  const [choice] = choices;
  if (!choice) return [];
  const { content, refusal, reasoning_content, annotations, tool_calls } = choice.message;
  const status = incompleteReasons[choice.finish_reason] ? "incomplete" : "completed";
  const parts = [
    ...(content ? [toTextPart(String(content), annotations)] : []),
    ...(refusal ? [{ type: "refusal", refusal }] : []),
  ];
  const calls = (tool_calls ?? []) as readonly ChatToolCall[];
  return [
    ...(reasoning_content ? [toReasoningItem(toItemId(head, "rs", 0), String(reasoning_content))] : []),
    ...(parts.length > 0 || calls.length === 0 ? [toMessageItem(toItemId(head, "msg", 0), status, parts)] : []),
    ...calls.map((call, index) => toCallItem(toItemId(head, "fc", index), status, call)),
  ];
}

/** Returns the fields that a response repeats from its request. */
function toRequestFields(request: ResponseRequest): Record<string, unknown> {
  return {
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { ...request.text, format: request.text?.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: (request.tools ?? []).map((tool) => ({ parameters: null, strict: null, ...tool })),
    top_p: request.top_p ?? 1,
    truncation: "disabled",
    user: request.user ?? null,
    background: false,
  };
}

/** Creates a response that is in progress. */
export function toStartedResponse(request: ResponseRequest, { id, created, model }: CompletionHead) {
  return {
    id,
    object: "response",
    created_at: created,
    status: "in_progress",
    error: null as unknown,
    incomplete_details: null as unknown,
    model,
    output: [] as readonly OutputItem[],
    usage: null as unknown,
    ...toRequestFields(request),
  };
}

/** Converts an answer to the schema of the responses API. */
export function toResponse(request: ResponseRequest, answer: CompletionAnswer) {
  const { head, choices, fields, reported } = answer;
  const reason = incompleteReasons[choices[0]?.finish_reason ?? ""];
  const details = reported as Record<string, Record<string, unknown> | undefined>;
  return {
    ...toStartedResponse(request, head),
    status: reason ? "incomplete" : "completed",
    incomplete_details: reason ? { reason } : null,
    output: toOutput(answer),
    ...(fields.service_tier !== undefined && { service_tier: fields.service_tier }),
    usage: {
      input_tokens: reported.prompt_tokens,
      input_tokens_details: { cached_tokens: details.prompt_tokens_details?.cached_tokens ?? 0 },
      output_tokens: reported.completion_tokens,
      output_tokens_details: { reasoning_tokens: details.completion_tokens_details?.reasoning_tokens ?? 0 },
      total_tokens: reported.total_tokens,
      ...(reported.estimated && { estimated: true }),
    },
  };
}
