import { isJsonObject } from "../lib/parse-json.ts";

/** One choice in a chunk of OpenAI's chat completion stream, with all fields that the provider sent. */
export interface ChunkChoice {
  readonly index: number;
  readonly delta: Readonly<Record<string, unknown>>;
  readonly finish_reason?: string | null;
  readonly logprobs?: unknown;
  readonly [field: string]: unknown;
}

/** Tool call in OpenAI's format, of which a stream sends parts. */
export interface ChatToolCall {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Part of a tool call in a stream; those with the same index belong together. */
export interface ChatToolCallDelta extends ChatToolCall {
  readonly index: number;
}

/** Token usage in OpenAI's format; providers add details. */
export interface ReportedUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    /** Tokens that the provider wrote to its cache. Gateways name them differently. */
    readonly cache_write_tokens?: number;
    readonly cache_creation_tokens?: number;
  } | null;
  readonly [field: string]: unknown;
}

/** Returns the number of input tokens that the provider wrote to its cache; undefined if it reports none. */
export const cacheWriteOf = ({ prompt_tokens_details: details }: ReportedUsage): number | undefined =>
  details?.cache_write_tokens ?? details?.cache_creation_tokens;

/** Chunk of OpenAI's chat completion stream, with all fields that the provider sent. */
export interface ChatChunk {
  readonly choices: readonly ChunkChoice[];
  readonly usage?: ReportedUsage | null;
  readonly [field: string]: unknown;
}

/** One choice of a completion that is not streamed. */
export interface ChatChoice {
  readonly index: number;
  readonly message: Readonly<Record<string, unknown>>;
  readonly finish_reason?: string | null;
  readonly logprobs?: unknown;
  readonly [field: string]: unknown;
}

/** Completion that is not streamed, with all fields that the provider sent. */
export interface ChatCompletion {
  readonly choices: readonly ChatChoice[];
  readonly usage?: ReportedUsage | null;
  readonly [field: string]: unknown;
}

/** Returns the error that the provider sent instead of choices; undefined if there is none. */
function findError(value: Readonly<Record<string, unknown>>): unknown {
  const { error, object, type } = value;
  if (isJsonObject(error)) return Object.keys(error).length > 0 ? { ...error } : undefined;
  if (error) return new Error(String(error));
  // vLLM and Mistral send the error itself.
  return object === "error" || type === "error" ? value : undefined;
}

/**
 * Parses the JSON of a chunk or completion. Gateways send objects of their own between the chunks, such as pings, which have no
 * choices.
 * @param part field that each choice must have
 * @throws the error object that the provider sent instead of choices; an Error without the received text, which can quote the
 * conversation
 */
export function parseChoices(json: string, part: "delta" | "message"): Record<string, unknown> & { choices: never[] } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error("The provider sent malformed JSON");
  }
  if (!isJsonObject(value)) throw new Error("The provider sent JSON with an unexpected shape");
  const error = findError(value);
  if (error !== undefined) throw error;
  const choices = Array.isArray(value.choices) ? value.choices.filter(isJsonObject) : [];
  value.choices = choices;
  // Completed in place, because a copy of each chunk takes as long as its parsing.
  for (const [index, choice] of choices.entries()) {
    if (!("index" in choice)) choice.index = index;
    if (!isJsonObject(choice[part])) choice[part] = {};
  }
  return value as Record<string, unknown> & { choices: never[] };
}

/** Returns true if a chunk belongs to the answer itself: it has content, a tool call or a finish reason. */
export function isAnswerChunk({ choices }: ChatChunk): boolean {
  return choices.some(
    ({ delta, finish_reason }) =>
      finish_reason || Object.entries(delta).some(([name, value]) => name !== "role" && hasContent(value)),
  );
}

const hasContent = (value: unknown) =>
  value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
