import * as v from "valibot";
import { QuestionAnswer } from "../../api/tools/questions.ts";
import { redactAsAnswer } from "../../guardrails/guardrail.ts";
import { readQuestions } from "../../tools/questions.ts";
import { ToolServerError } from "../../tools/tool-server-error.ts";
import type { Turn } from "../turn.ts";
import { type DecidedCall, defineTool, type Tool, type ToolOutcome } from "./tool.ts";

const text = (maxLength: number) => v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(maxLength));

const Field = v.object({
  label: text(200),
  type: v.optional(v.picklist(["text", "number", "yes_no", "date", "email", "choice", "choices"]), "text"),
  options: v.optional(v.pipe(v.array(text(200)), v.minLength(2), v.maxLength(20))),
  required: v.optional(v.boolean(), true),
});
type Field = v.InferOutput<typeof Field>;

const Input = v.object({
  question: text(1_000),
  fields: v.pipe(
    v.array(
      v.pipe(
        Field,
        v.check(
          ({ type, options }) => type.startsWith("choice") === (options !== undefined),
          "options belong to the types choice and choices",
        ),
      ),
    ),
    v.minLength(1),
    v.maxLength(10),
    v.check((fields) => new Set(fields.map(({ label }) => label)).size === fields.length, "labels must differ"),
  ),
});

type Form = v.InferOutput<typeof Input>;

/** Key of the one question of a call. */
const KEY = "user";

/** Returns a field as the property of a form in the Model Context Protocol. */
function toProperty({ label: title, type, options }: Field): object {
  switch (type) {
    case "yes_no":
      return { title, type: "boolean" };
    case "number":
      return { title, type };
    case "choice":
      return { title, type: "string", enum: options };
    case "choices":
      return { title, type: "array", items: { enum: options } };
    case "date":
    case "email":
      return { title, type: "string", format: type };
    default:
      return { title, type: "string" };
  }
}

/** Returns a form as an answer could contain it; null if the policy blocks a text of it. */
const redactForm = ({ question, fields }: Form, policy: Turn["guardrails"]): Promise<Form | null> =>
  redactAsAnswer(policy, async (redact) => ({
    question: await redact(question),
    fields: await Promise.all(
      fields.map(async ({ label, options, ...rest }) => ({
        ...rest,
        label: await redact(label),
        options: options && (await Promise.all(options.map(redact))),
      })),
    ),
  }));

function toForm({ question, fields }: Form) {
  const entries = fields.map((field, index) => [`field_${index + 1}`, field] as const);
  const requestedSchema = {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, field]) => [name, toProperty(field)])),
    required: entries.flatMap(([name, { required }]) => (required ? [name] : [])),
  };
  return { method: "elicitation/create", params: { mode: "form", message: question, requestedSchema } };
}

/** Returns the answers of the user by the labels of the fields. */
function toResult(
  { fields }: v.InferOutput<typeof Input>,
  resumption: NonNullable<DecidedCall["resumption"]>,
): unknown {
  const { action, content = {} } = v.parse(QuestionAnswer, resumption.inputResponses[KEY]);
  if (action !== "accept") return { answered: false, note: "The user does not want to answer. Continue without it." };
  const answers = fields.map(({ label }, index) => [label, content[`field_${index + 1}`] ?? null]);
  return { answered: true, answers: Object.fromEntries(answers) };
}

const declared = defineTool({
  name: "ask_user",
  title: "Asking a question",
  description:
    "Asks the user a question with a form and waits for the answer. Use it if a decision or a fact is missing that only the user knows and that changes what you do; offer options where there are few. Never ask for passwords or keys.",
  input: Input,
  async run({ guardrails }, input, _, decided): Promise<ToolOutcome> {
    if (decided?.resumption) return { result: toResult(input, decided.resumption) };
    const refuse = (error: string) => ({ result: { error }, isFailed: true });
    const checked = await redactForm(input, guardrails);
    if (!checked) return refuse("The policy of the organization does not allow this question.");
    try {
      return { result: null, question: readQuestions(null, { inputRequests: { [KEY]: toForm(checked) } }) };
    } catch (error) {
      if (error instanceof ToolServerError) return refuse("A form cannot ask for passwords, keys or numbers of cards.");
      throw error;
    }
  },
});

/** Tool with which the assistant asks the user. The run pauses until the answer. */
export const askUserTool: Tool = { ...declared, isInternal: true };
