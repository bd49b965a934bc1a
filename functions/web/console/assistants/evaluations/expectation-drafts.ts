import type { Expectation } from "../../../../../shared/api/evaluations/expectations.ts";
import { isProblem } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { refuseValues } from "../../lib/schema-fields.ts";

/** Input for an expectation: the fields of all types as texts, of which the type uses some. */
export interface ExpectationDraft {
  readonly type: Expectation["type"];
  readonly text: string;
  readonly pattern: string;
  readonly ignore_case: boolean;
  /** JSON of the schema. */
  readonly schema: string;
  /** Id of a document, or the address of its page; empty for any. */
  readonly document_id: string;
  readonly tool: string;
  /** JSON of the arguments. */
  readonly arguments: string;
  readonly rubric: string;
  /** Number from 0 to 1. */
  readonly min_similarity: string;
  readonly votes: string;
}

/** Fields of a draft that are texts. */
export type TextFieldName = Exclude<keyof ExpectationDraft, "type" | "ignore_case">;

export const emptyExpectation: ExpectationDraft = {
  type: "contains",
  ...{ text: "", pattern: "", ignore_case: true, schema: "", document_id: "", tool: "", arguments: "{}" },
  ...{ rubric: "", min_similarity: "0.8", votes: "1" },
};

/** Names of the types of expectations, as the beginning of a sentence about the answer. */
export const expectationTexts = (): Readonly<Record<Expectation["type"], string>> => ({
  contains: t("Contains a text"),
  not_contains: t("Does not contain a text"),
  regex: t("Matches a regular expression"),
  json_schema: t("Is JSON of a schema"),
  cites: t("Cites a source"),
  refuses: t("Refuses to answer"),
  tool_call: t("Calls a tool"),
  similar: t("Means the same as a text"),
  judge: t("Satisfies a judge"),
});

/** Returns what an expectation demands besides its type; empty if the type tells all. */
export function detailOf(expectation: Expectation): string {
  switch (expectation.type) {
    case "contains":
    case "not_contains":
    case "similar":
      return expectation.text;
    case "judge":
      return expectation.rubric;
    case "regex":
      return expectation.pattern;
    case "json_schema":
      return JSON.stringify(expectation.schema);
    case "cites":
      return expectation.document_id ?? "";
    case "refuses":
      return "";
    case "tool_call":
      return [
        expectation.tool,
        ...(Object.keys(expectation.arguments).length > 0 ? [JSON.stringify(expectation.arguments)] : []),
      ].join(" ");
  }
}

const toText = (value: unknown) => JSON.stringify(value, null, 2);

/** Returns the input that shows an expectation. */
export function toExpectationDraft(expectation: Expectation): ExpectationDraft {
  const {
    schema,
    arguments: args,
    document_id,
    min_similarity,
    votes,
    ...others
  } = { ...emptyExpectation, ...expectation };
  return {
    ...others,
    ...{ min_similarity: String(min_similarity), votes: String(votes) },
    document_id: document_id ?? "",
    schema: typeof schema === "string" ? schema : toText(schema),
    arguments: typeof args === "string" ? args : toText(args),
  };
}

/** Fields that an expectation cannot be without, by its type. */
const requiredFields: Readonly<Record<Expectation["type"], readonly TextFieldName[]>> = {
  contains: ["text"],
  not_contains: ["text"],
  regex: ["pattern"],
  json_schema: ["schema"],
  cites: [],
  refuses: [],
  tool_call: ["tool"],
  similar: ["text"],
  judge: ["rubric"],
};

type Problems = { readonly path: string; readonly message: string }[];

/** Returns the object that a JSON text describes. If there is none, adds this to the problems. */
function readObject(text: string, path: string, problems: Problems) {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // A text that is no JSON is no object either.
  }
  problems.push({ path, message: "must be a JSON object" });
  return {};
}

/** Returns the expectation that an input describes, and adds its invalid fields to the problems. */
function toExpectation(draft: ExpectationDraft, path: string, problems: Problems): Expectation {
  const empty = requiredFields[draft.type].filter((field) => draft[field].trim() === "");
  problems.push(...empty.map((field) => ({ path: `${path}.${field}`, message: "must not be empty" })));
  const { type, text, pattern, ignore_case, schema, document_id, tool } = draft;
  switch (type) {
    case "regex":
      return { type, pattern, ignore_case };
    case "json_schema":
      return { type, schema: empty.length > 0 ? {} : readObject(schema, `${path}.schema`, problems) };
    case "cites":
      // The address of the page of a document ends with its id.
      return { type, document_id: document_id.trim().split(/[?#]/)[0]?.split("/").at(-1) || null };
    case "refuses":
      return { type };
    case "tool_call":
      return { type, tool, arguments: readObject(draft.arguments || "{}", `${path}.arguments`, problems) };
    case "similar":
      return { type, text, min_similarity: Number(draft.min_similarity) };
    case "judge":
      return { type, rubric: draft.rubric, votes: Number(draft.votes) as 1 | 3 | 5 };
    default:
      return { type, text, ignore_case };
  }
}

/**
 * Returns the expectations that inputs describe.
 * @param path path of the list in the request, at which errors are reported
 * @throws ProblemError `validation_failed` with the path of each invalid field
 */
export function toExpectations(drafts: readonly ExpectationDraft[], path: string): Expectation[] {
  const problems: Problems = [];
  const expectations = drafts.map((draft, index) => toExpectation(draft, `${path}.${index}`, problems));
  if (problems.length > 0) throw refuseValues(problems);
  return expectations;
}

/**
 * Returns an error with the paths of the expectations that it is about. The service names those that it cannot check in its
 * messages, such as `expectations.1: must be a regular expression`.
 */
export function locateExpectations(error: unknown, drafts: readonly ExpectationDraft[], path: string): unknown {
  const errors = (isProblem(error) && error.problem.errors) || [];
  let isLocated = false;
  const located = errors.map(({ path: ownPath, message }) => {
    const [, position, text] = /^expectations\.(\d+): (.+)$/s.exec(message) ?? [];
    const draft = drafts[Number(position)];
    if (!draft || text === undefined) return { path: ownPath, message };
    isLocated = true;
    const [field = "type"] = requiredFields[draft.type];
    return { path: `${path}.${position}.${field}`, message: text };
  });
  return isLocated ? refuseValues(located) : error;
}
