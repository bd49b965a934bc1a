/** Fields of an error in OpenAI's format. */
export interface ErrorFields {
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Error as the provider reports it. Its message is not safe to show. */
export interface ReportedError {
  readonly message: string;
  readonly fields: ErrorFields;
}

export const unknownFields: ErrorFields = { type: "invalid_request_error", param: null, code: null };

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the text of a message: FastAPI and Mistral send a list of objects, the first of which is enough. */
function toMessage(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return toMessage(value[0]);
  return isObject(value) ? toMessage(value.message ?? value.msg ?? value.detail) : "";
}

const toIdentifier = (value: unknown, pattern: RegExp) =>
  (typeof value === "string" || typeof value === "number") && pattern.test(String(value)) ? String(value) : null;

/** Returns the known fields. A code that only repeats the HTTP status, as of vLLM and OpenRouter, is none. */
const toFields = ({ type, param, code }: Fields): ErrorFields => ({
  type: toIdentifier(type, /^[a-z]+(?:_[a-z]+)*_error$|^(?:tokens|requests)$/) ?? unknownFields.type,
  param: toIdentifier(param, /^[\w.[\]-]{1,200}$/),
  code: toIdentifier(code, /^(?![1-5]\d\d$)[\w.-]{1,64}$/),
});

/** Returns the error in a parsed body or event; null if it is in no known format. */
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

/** Codes that tell no more than the status. Any other code decides what an error is about. */
const genericCode = /^(?:\d+|(?:bad|invalid|validation)_?\w*|error|\w+(?:error|exception))$/i;

/** Fields whose value counts toward the context. An error about another field is no overflow. */
const promptField = /^(?:messages|prompt|inputs?|input_tokens|contents)\b/;

/** Messages whose subject is the limit of the answer, which the caller set too high. */
const answerLimit = /^\W*(?:(?:invalid|value|the|for|parameter|field|your|error:)\W+)*max_(?:\w+_)?tokens\b/i;

/**
 * Wordings of providers that send no code: vLLM, SGLang, TGI, llama.cpp, LM Studio, Ollama, Mistral, DeepSeek, xAI, Gemini,
 * Bedrock, Anthropic, Cohere, DashScope and Moonshot. Each names what is too long, in words and not as part of a name.
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

/** Returns true if a text in no known format says that the prompt is too long. */
export const isOverflowMessage = (text: string) => overflowPattern.test(text) && !answerLimit.test(text);

/**
 * Returns true if a provider says that the prompt exceeds the context of the model: by its code or type, and only if it
 * sends none by its words.
 * @param isAboutRequest whether the status allows it
 */
export function isContextOverflow({ message, fields }: ReportedError, isAboutRequest: boolean): boolean {
  const { type, param, code } = fields;
  if (overflowNames.has(type) || (code !== null && overflowNames.has(code))) return true;
  if (!isAboutRequest || (code !== null && !genericCode.test(code))) return false;
  return (param === null || promptField.test(param)) && isOverflowMessage(message);
}
