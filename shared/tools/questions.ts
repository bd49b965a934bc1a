import * as v from "valibot";
import type { Question, QuestionAnswer, QuestionField } from "../api/tools/questions.ts";
import { sanitizeUntrusted } from "../guardrails/sanitize-untrusted.ts";
import { type FieldError, invalidFields } from "../lib/errors.ts";
import { truncate } from "../lib/truncate.ts";
import { ToolServerError } from "./tool-server-error.ts";

// Limits of a server's result that asks questions: questions, fields of a question, options of a field, and `requestState`.
const MAX_QUESTIONS = 5;
const MAX_FIELDS = 50;
const MAX_OPTIONS = 200;
const MAX_STATE_CHARACTERS = 64_000;

/**
 * Matches names and descriptions of fields that ask for a secret. The protocol forbids servers to ask for secrets in a
 * form.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
const secretField =
  /pass(?:word|phrase|wd|code)|secret|credential|api[\s_-]?key|(?:access|auth|bearer|refresh|session)[\s_-]?token|private[\s_-]?key|\b(?:pin|cvv|cvc|otp|iban)\b|(?:card|security)[\s_-]?(?:number|code)|one[\s_-]?time[\s_-]?code/i;

/**
 * Matches a warning in a field's description not to enter a secret, such as `do not give us your pin`. It is ignored
 * when secret fields are searched.
 */
const warning = /\b(?:do not|don't|never) (?:give|enter|send|share|include|provide|type)\b[^.)]*/gi;
const exception = /\b(?:but|except|only|unless|until|instead)\b/i;

function asksForSecret(name: string, { title, description = "" }: Property): boolean {
  const text = description.replace(warning, (match) => (exception.test(match) ? match : ""));
  return secretField.test(`${name} ${title} ${text}`);
}

const Text = v.optional(v.string());
const Titled = v.array(v.object({ const: v.string(), title: Text }));
const Property = v.looseObject({
  type: v.picklist(["string", "number", "integer", "boolean", "array"]),
  title: Text,
  description: Text,
  format: Text,
  enum: v.optional(v.array(v.string())),
  enumNames: v.optional(v.array(v.string())),
  oneOf: v.optional(Titled),
  items: v.optional(v.looseObject({ enum: v.optional(v.array(v.string())), anyOf: v.optional(Titled) })),
  minLength: v.optional(v.number()),
  maxLength: v.optional(v.number()),
  minimum: v.optional(v.number()),
  maximum: v.optional(v.number()),
  minItems: v.optional(v.number()),
  maxItems: v.optional(v.number()),
  default: v.optional(v.unknown()),
});
type Property = v.InferOutput<typeof Property>;

const Elicitation = v.object({
  method: v.literal("elicitation/create"),
  params: v.variant("mode", [
    v.looseObject({ mode: v.literal("url"), message: v.string(), url: v.string() }),
    v.looseObject({
      mode: v.optional(v.literal("form"), "form"),
      message: v.string(),
      requestedSchema: v.looseObject({
        properties: v.record(v.string(), Property),
        required: v.optional(v.array(v.string()), []),
      }),
    }),
  ]),
});

const InputRequired = v.looseObject({
  inputRequests: v.optional(v.record(v.string(), v.unknown()), {}),
  requestState: v.optional(v.string()),
});

/** Questions of a server, and the opaque state that is sent back with the answers. */
export interface AskedQuestions {
  readonly questions: readonly Question[];
  readonly state: string | null;
}

const clean = (text: string, maxCharacters: number) => truncate(sanitizeUntrusted(text), maxCharacters);

function toOptions({ type, enum: values, enumNames, oneOf, items }: Property): QuestionField["options"] {
  const titled = type === "array" ? items?.anyOf : oneOf;
  const plain = type === "array" ? items?.enum : values;
  const options =
    titled?.map(({ const: value, title }) => ({ value, label: title ?? value })) ??
    plain?.map((value, index) => ({ value, label: enumNames?.[index] ?? value }));
  return options?.slice(0, MAX_OPTIONS).map(({ value, label }) => ({ value, label: clean(label, 200) }));
}

const formats = ["email", "uri", "date", "date-time"] as const;

function toField(name: string, property: Property, required: boolean): QuestionField {
  const { type, title = name, description, minLength, maxLength, minItems, maxItems } = property;
  const options = toOptions(property);
  if (type === "array" && !options) throw unsupported();
  const [minimum, maximum] =
    type === "array"
      ? [minItems, maxItems]
      : type === "string"
        ? [minLength, maxLength]
        : [property.minimum, property.maximum];
  const format = formats.find((each) => each === property.format);
  const field: QuestionField = {
    name,
    title: clean(title, 200),
    description: description === undefined ? null : clean(description, 500),
    type: type === "array" ? "choices" : options ? "choice" : type === "string" ? "text" : type,
    required,
    ...(format && type === "string" && !options && { format }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(options && { options }),
  };
  const isValid = property.default !== undefined && findProblem(field, property.default) === null;
  return isValid ? { ...field, default: property.default as NonNullable<QuestionField["default"]> } : field;
}

const unsupported = () => new ToolServerError("The tool asks for input in a form that is not supported.");

/**
 * Returns a URL for the user to open.
 * @throws ToolServerError unless it is http or https, without credentials and at most 2,000 characters long
 */
function toAddress(url: string): string {
  const target = URL.canParse(url) ? new URL(url) : null;
  const isWeb = target && ["https:", "http:"].includes(target.protocol) && !target.username && !target.password;
  if (!isWeb || url.length > 2_000) throw unsupported();
  return target.href;
}

function toQuestion(key: string, serverName: string | null, request: unknown): Question {
  const parsed = v.safeParse(Elicitation, request);
  if (!parsed.success) throw unsupported();
  const { params } = parsed.output;
  const common = { key, server_name: serverName, message: clean(params.message, 2_000) };
  if (params.mode === "url") return { ...common, url: toAddress(params.url as string), fields: [] };
  const { properties, required } = params.requestedSchema;
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) throw unsupported();
  if (entries.some(([name, property]) => asksForSecret(name, property))) {
    throw new ToolServerError("The tool asks for a secret in a form, which the protocol does not allow.");
  }
  return { ...common, url: null, fields: entries.map(([name, each]) => toField(name, each, required.includes(name))) };
}

/**
 * Returns the questions of a call's result that requires input.
 * @param serverName null for a question of the assistant itself
 * @throws ToolServerError for requests other than questions, questions that cannot be displayed, and forms that ask for
 * secrets
 */
export function readQuestions(serverName: string | null, result: object): AskedQuestions {
  const { inputRequests, requestState = null } = v.parse(InputRequired, result);
  const entries = Object.entries(inputRequests);
  const isBounded = entries.length > 0 && entries.length <= MAX_QUESTIONS;
  if (!isBounded || (requestState?.length ?? 0) > MAX_STATE_CHARACTERS) throw unsupported();
  return { questions: entries.map(([key, request]) => toQuestion(key, serverName, request)), state: requestState };
}

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
const formatChecks: Readonly<Record<NonNullable<QuestionField["format"]>, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: isDate,
  "date-time": (text) => /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)),
};

/** Returns an error message if a value does not fit a field; null if it does. */
function findProblem(field: QuestionField, value: unknown): string | null {
  const { type, format, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, options } = field;
  const isOption = (each: unknown) => options?.some((option) => option.value === each) ?? false;
  const inRange = (size: number) => (size >= minimum && size <= maximum ? null : "is out of range");
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? null : "must be a boolean";
    case "number":
    case "integer":
      if (typeof value !== "number" || (type === "integer" && !Number.isInteger(value)))
        return `must be of type ${type}`;
      return inRange(value);
    case "choice":
      return isOption(value) ? null : "must be one of the options";
    case "choices":
      if (!Array.isArray(value) || !value.every(isOption)) return "must contain options only";
      return inRange(value.length);
    default:
      if (typeof value !== "string") return "must be a text";
      if (format && !formatChecks[format](value)) return `must have the format ${format}`;
      return inRange(value.length);
  }
}

/**
 * Requires a valid answer to each question.
 * @throws ServiceError `validation_failed` that names each invalid field
 */
export function requireAnswers(
  questions: readonly Question[],
  answers: Readonly<Record<string, QuestionAnswer>>,
): void {
  const errors: FieldError[] = [];
  const add = (path: string, message: string) =>
    void errors.push({ path: `answers.${path}`, location: "body", code: "invalid_answer", message });
  for (const key of Object.keys(answers)) if (!questions.some((each) => each.key === key)) add(key, "is no question");
  for (const { key, url, fields } of questions) {
    const answer = answers[key];
    if (!answer) add(key, "is required");
    else if (answer.action !== "accept" || url !== null) {
      if (answer.content !== undefined) add(`${key}.content`, "is not allowed");
    } else {
      const content = answer.content ?? {};
      for (const name of Object.keys(content)) {
        if (!fields.some((field) => field.name === name)) add(`${key}.content.${name}`, "is no field");
      }
      for (const field of fields) {
        const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
        if (value === undefined && !field.required) continue;
        const problem = value === undefined ? "is required" : findProblem(field, value);
        if (problem) add(`${key}.content.${field.name}`, problem);
      }
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
}
