import { parseJson } from "../../lib/parse-json.ts";

/** Fields of an error in OpenAI's format. */
export interface ErrorFields {
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Error in a provider's response. Its message can contain keys and addresses, so it must not be shown as it is. */
export interface ReportedError {
  readonly message: string;
  readonly fields: ErrorFields;
}

export const unknownFields: ErrorFields = { type: "invalid_request_error", param: null, code: null };

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Returns the text of an error message. FastAPI and Mistral send a list of objects, of which the first is used. */
function toMessage(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return toMessage(value[0]);
  return isObject(value) ? toMessage(value.message ?? value.msg ?? value.detail) : "";
}

const toIdentifier = (value: unknown, pattern: RegExp) =>
  (typeof value === "string" || typeof value === "number") && pattern.test(String(value)) ? String(value) : null;

/**
 * Returns the error fields that have valid values. A code that repeats the HTTP status, as vLLM and OpenRouter send it, is
 * ignored.
 */
const toFields = ({ type, param, code }: Fields): ErrorFields => ({
  type: toIdentifier(type, /^[a-z]+(?:_[a-z]+)*_error$|^(?:tokens|requests)$/) ?? unknownFields.type,
  param: toIdentifier(param, /^[\w.[\]-]{1,200}$/),
  code: toIdentifier(code, /^(?![1-5]\d\d$)[\w.-]{1,64}$/),
});

/** Returns the error in a parsed body or event; null if its format is not known. */
export function toReportedError(value: unknown): ReportedError | null {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(outer)) return null;
  const inner = isObject(outer.error) ? outer.error : outer;
  // OpenRouter wraps the error of the provider that it called.
  const raw = isObject(inner.metadata) ? inner.metadata.raw : undefined;
  const wrapped = typeof raw === "string" ? toReportedError(parseJson(raw)) : null;
  if (wrapped) return wrapped;
  const message = typeof inner.error === "string" ? inner.error : toMessage(inner);
  const fields = toFields(inner);
  return message === "" && fields.code === null ? null : { message, fields };
}

/** Returns the error in the body of a response. */
export const parseReportedError = (body: string): ReportedError | null => toReportedError(parseJson(body));

/** Codes and types that name a context overflow: OpenAI, Azure, Groq and Cerebras; GitHub; Copilot; llama.cpp. */
const overflowNames: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "tokens_limit_reached",
  "model_max_prompt_tokens_exceeded",
  "exceed_context_size_error",
]);

/** Codes that say no more than the HTTP status. An error with any other code is classified by its code only. */
const genericCode = /^(?:\d+|(?:bad|invalid|validation)_?\w*|error|\w+(?:error|exception))$/i;

/** Request fields that count toward the context window. An error about another field is not a context overflow. */
const promptField = /^(?:messages|prompt|inputs?|input_tokens|contents)\b/;

/** Messages about the maximum length of the answer, which the caller set too high. They are not context overflows. */
const answerLimit = /^\W*(?:(?:invalid|value|the|for|parameter|field|your|error:)\W+)*max_(?:\w+_)?tokens\b/i;

/**
 * Messages about a context overflow from providers that send no code: vLLM, SGLang, TGI, llama.cpp, LM Studio, Ollama,
 * Mistral, DeepSeek, xAI, Gemini, Bedrock, Anthropic, Cohere, DashScope and Moonshot.
 */
const overflowPattern = new RegExp(
  [
    /maximum (?:context|prompt|input|sequence) (?:length|limit|window|size)/,
    /(?:exceed\w*|(?:longer|larger|more) than|too (?:large|long) for)\b[^.\n]{0,60} context (?:length|window|size|limit)/,
    /exceed\w* context (?:length|window|size|limit)/,
    /context (?:length|window|size|limit)\b[^.\n]{0,20} (?:exceed|overflow)/,
    /context length of only \d+ tokens/,
    /(?:prompt|input|conversation) (?:is|are) too long/,
    /too many (?:input |prompt |total )?tokens(?! per|,? please wait)/,
    /(?:input|prompt) tokens?\b[^.\n]{0,40} exceed/,
    /exceed\w* (?:the )?(?:model(?:'s)? token limit|(?:maximum|max) (?:number of )?(?:input|prompt) tokens)/,
    /(?:reduce|shorten) (?:the length of )?(?:the|your) (?:messages|prompt|input)\b/,
    /inputs\W{0,2} tokens \+ \W?max_new_tokens/,
    /current length is \d+ while limit is/,
    /range of input length should be/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);

/** Returns true if a text without a known format says that the prompt is too long. */
export const isOverflowMessage = (text: string) => overflowPattern.test(text) && !answerLimit.test(text);

/**
 * Returns true if a provider's error says that the prompt exceeds the context window of the model. The code or type decides;
 * without one, the message does.
 * @param isAboutRequest true if the HTTP status allows an error of this kind
 */
export function isContextOverflow({ message, fields }: ReportedError, isAboutRequest: boolean): boolean {
  const { type, param, code } = fields;
  if (overflowNames.has(type) || (code !== null && overflowNames.has(code))) return true;
  if (!isAboutRequest || (code !== null && !genericCode.test(code))) return false;
  return (param === null || promptField.test(param)) && isOverflowMessage(message);
}
