import type { OpenaiResponse } from "../../api/openai/answers.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ChatToolCall } from "../../models/chat-chunk.ts";
import type { CompletionAnswer, CompletionHead } from "../completions/completion.ts";
import { tokensOf } from "../redacted-text.ts";
import { getOfferedTools, toCalledTool } from "./response-tools.ts";

export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

const RESPONSE_PREFIX = "resp_";

/**
 * Returns the id of an output item. It contains the id of its response, by which a reference to the item is resolved.
 */
const toItemId = ({ id }: CompletionHead, prefix: string, index: number) =>
  `${prefix}_${id.slice(RESPONSE_PREFIX.length)}_${index}`;

/**
 * Returns the id of the response that an output item belongs to; undefined for an id that `toItemId` did not create.
 */
export function getResponseId(itemId: string): string | undefined {
  const rest = /^[a-z]+_(.+)_\d+$/.exec(itemId)?.[1];
  return rest && RESPONSE_PREFIX + rest;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the reasoning text of a message or delta, from either of the two fields that providers use; empty if there is
 * none.
 */
export function getReasoning({ reasoning_content, reasoning }: Fields): string {
  const text = reasoning_content || reasoning;
  return typeof text === "string" ? text : "";
}

/**
 * Prefixes of the ids of reasoning items, by the provider's message field. The prefix tells in which field to send the
 * reasoning back, because a provider accepts it only there.
 */
const reasoningPrefixes = { reasoning_content: "rs", reasoning: "rsn" } as const;

/** Message field in which a provider sends reasoning. */
export type ReasoningField = keyof typeof reasoningPrefixes;

/** Returns the field that contains the reasoning of a message or delta. */
export const getReasoningField = ({ reasoning_content }: Fields): ReasoningField =>
  reasoning_content ? "reasoning_content" : "reasoning";

/** Returns the provider's field from the id of a reasoning item; undefined for items that another service created. */
export function fieldOfReasoningItem(id: unknown): ReasoningField | undefined {
  const prefix = /^([a-z]+)_/.exec(String(id))?.[1];
  return (Object.keys(reasoningPrefixes) as ReasoningField[]).find((field) => reasoningPrefixes[field] === prefix);
}

/** Returns true if the request asks for a reasoning summary. The reasoning text is then returned as the summary. */
export const hasReasoningSummary = ({ reasoning }: ResponseRequest) =>
  Boolean(reasoning?.summary ?? reasoning?.generate_summary);

/** Creates the part of a reasoning item: a summary if the request asks for one, otherwise reasoning text. */
export const toReasoningPart = (request: ResponseRequest, text: string) => ({
  type: hasReasoningSummary(request) ? "summary_text" : "reasoning_text",
  text,
});

export function toReasoningItem(
  request: ResponseRequest,
  head: CompletionHead,
  text: string,
  field: ReasoningField,
  index = 0,
): OutputItem {
  const part = toReasoningPart(request, text);
  const parts = hasReasoningSummary(request) ? { summary: [part] } : { summary: [], content: [part] };
  return { id: toItemId(head, reasoningPrefixes[field], index), type: "reasoning", ...parts };
}

/**
 * Converts an annotation of a chat message, which nests its fields under its type, to the flat form of the responses
 * API.
 */
function toAnnotation(annotation: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type, ...fields } = annotation;
  const nested = fields[String(type)];
  return { type, ...(typeof nested === "object" && nested ? nested : fields) };
}

export const toTextPart = (text: string, annotations: unknown = [], logprobs: readonly unknown[] = []) => ({
  type: "output_text",
  text,
  annotations: Array.isArray(annotations) ? annotations.map(toAnnotation) : [],
  logprobs,
});

export const toMessageItem = (
  head: CompletionHead,
  status: string,
  content: readonly unknown[],
  index = 0,
): OutputItem => ({
  id: toItemId(head, "msg", index),
  type: "message",
  status,
  role: "assistant",
  content,
});

export function toCallItem(
  request: ResponseRequest,
  head: CompletionHead,
  index: number,
  status: string,
  call: ChatToolCall,
): OutputItem {
  const { name = "", arguments: json = "" } = call.function ?? {};
  const called = toCalledTool(request, name, json);
  const id = toItemId(head, called.type === "function_call" ? "fc" : "ctc", index);
  return { id, status, call_id: call.id, ...called };
}

/** Reason why a response is incomplete, by finish reason. Other finish reasons mean a complete response. */
const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** Returns the output items of a complete answer: reasoning, message, and calls. */
function toOutput(request: ResponseRequest, { head, choices }: CompletionAnswer): OutputItem[] {
  const [choice] = choices;
  if (!choice) return [];
  const { content, refusal, annotations, tool_calls } = choice.message;
  const reasoning = getReasoning(choice.message);
  const status = incompleteReasons[choice.finish_reason] ? "incomplete" : "completed";
  const parts = [
    ...(content ? [toTextPart(String(content), annotations, tokensOf(choice.logprobs))] : []),
    ...(refusal ? [{ type: "refusal", refusal }] : []),
  ];
  const calls = (tool_calls ?? []) as readonly ChatToolCall[];
  return [
    ...(reasoning ? [toReasoningItem(request, head, reasoning, getReasoningField(choice.message))] : []),
    ...(parts.length > 0 || calls.length === 0 ? [toMessageItem(head, status, parts)] : []),
    ...calls.map((call, index) => toCallItem(request, head, index, status, call)),
  ];
}

export const toConversationId = (conversation: NonNullable<ResponseRequest["conversation"]>): string =>
  typeof conversation === "string" ? conversation : conversation.id;

/** Returns the request fields that a response repeats, with OpenAI's defaults. */
function toRequestFields(request: ResponseRequest): Record<string, unknown> {
  return {
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    ...(request.conversation && { conversation: { id: toConversationId(request.conversation) } }),
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? request.reasoning?.generate_summary ?? null,
    },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { ...request.text, format: request.text?.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: getOfferedTools(request).map((tool) =>
      tool.type === "function" ? { parameters: null, strict: null, ...tool } : tool,
    ),
    top_p: request.top_p ?? 1,
    truncation: "disabled",
    user: request.user ?? null,
    background: false,
  };
}

/** Creates the response object of the first stream events, with the status `in_progress`. */
export function toStartedResponse(request: ResponseRequest, { id, created, model }: CompletionHead): OpenaiResponse {
  return {
    id,
    object: "response",
    created_at: created,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
    ...toRequestFields(request),
  };
}

/** Creates the response object for a canceled response. Only the id is known; it contains the creation time. */
export function toCanceledResponse(id: string): OpenaiResponse {
  const createdMs = Buffer.from(id.slice(RESPONSE_PREFIX.length), "base64url").readUIntBE(0, 6);
  const request = { model: "", input: "", stream: true } satisfies ResponseRequest;
  const response = toStartedResponse(request, { id, created: Math.floor(createdMs / 1_000), model: "" });
  return { ...response, status: "cancelled" };
}

/** Converts an answer to a response object, complete or incomplete. */
export function toResponse(request: ResponseRequest, answer: CompletionAnswer): OpenaiResponse {
  const { head, choices, fields, reported } = answer;
  const reason = incompleteReasons[choices[0]?.finish_reason ?? ""];
  const details = reported as Record<string, Record<string, unknown> | undefined>;
  return {
    ...toStartedResponse(request, head),
    status: reason ? "incomplete" : "completed",
    incomplete_details: reason ? { reason } : null,
    output: toOutput(request, answer),
    ...(fields.service_tier !== undefined && { service_tier: fields.service_tier }),
    usage: {
      input_tokens: reported.prompt_tokens,
      input_tokens_details: {
        cached_tokens: details.prompt_tokens_details?.cached_tokens ?? 0,
        cache_write_tokens: details.prompt_tokens_details?.cache_write_tokens ?? 0,
      },
      output_tokens: reported.completion_tokens,
      output_tokens_details: { reasoning_tokens: details.completion_tokens_details?.reasoning_tokens ?? 0 },
      total_tokens: reported.total_tokens,
      ...(reported.estimated && { estimated: true }),
    },
  };
}
