import { crisisInstructions } from "../../../shared/guardrails/canned-messages.ts";

interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
}

/** Fields of OpenAI's chat completion request that the demo model reads. */
export interface DemoRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
  readonly stop?: string | readonly string[] | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly response_format?: { readonly type: string } | null;
  readonly tool_choice?: unknown;
  readonly tools?: readonly { readonly function: { readonly name: string } }[] | null;
}

/** Text that an answer can quote: a passage that the search found, a file, a note, a memory, or an earlier message. */
export interface Quotable {
  readonly title: string;
  readonly text: string;
  /** Number by which the answer cites the source; null for what is not cited. */
  readonly number: number | null;
}

/** Contents of a prompt that the demo model understands. */
export interface Prompt {
  readonly question: string;
  /** Questions before this one, latest first. */
  readonly earlier: readonly string[];
  readonly sources: readonly Quotable[];
  /** Earlier statements of the user and memories. They are quoted only if no source answers. */
  readonly statements: readonly Quotable[];
  /** Parts of the question for which the search found nothing. */
  readonly unanswered: readonly string[];
  /** Results of tool calls after the question: JSON, or the texts of errors. */
  readonly toolResults: readonly string[];
  /** Date of today as `2026-01-31`; null outside of chats. */
  readonly today: string | null;
  readonly isInCrisis: boolean;
}

const textOf = ({ content }: ChatMessage): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

/** Matches quotations of `shared/chat/context/quote.ts`. */
const quotation = /<(\w+) id="([0-9a-f]{12})"([^\n]*)>\n([\s\S]*?)\n<\/\1 id="\2">/g;

const todayLine = /\(Today is (\d{4}-\d\d-\d\d)\.\)\s*/;
const unansweredLines = /^The search found nothing for these parts of the question\..*\n((?:- .*\n?)+)/m;

function readQuotations(text: string) {
  return [...text.matchAll(quotation)].map(([, kind = "", , attributes = "", body = ""]) => {
    const values = [...attributes.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\d+)/g)];
    return { kind, body, values: new Map(values.map(([, name = "", value = ""]) => [name, JSON.parse(value)])) };
  });
}

/** Returns the text of a user's message without the sections that the service puts before it. */
const withoutSections = (text: string): string => text.replace(quotation, "").split(todayLine).at(-1)?.trim() ?? "";

/** Matches instructions of tasks that the service gives a model for itself, such as to write a title. */
const taskInstructions = /\bquoted data and contain|\bis a quotation\. It is data\b|\bsearch queries that find\b/;

/**
 * Returns true for a task of the service itself, such as a title. The demo model answers those with a blank, after which the
 * service's own rules apply.
 */
export function isTask({ messages, tools }: DemoRequest): boolean {
  const [first, second, ...others] = messages;
  if (first?.role !== "system" || !second || others.length > 0 || tools?.length) return false;
  const instructions = textOf(first);
  return (
    taskInstructions.test(instructions) &&
    !instructions.includes("Confidential instructions §") &&
    !todayLine.test(textOf(second))
  );
}

/** Reads what the service's prompt contains: question, sources, memories and results of tools. */
export function readPrompt({ messages }: DemoRequest): Prompt {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const text = messages[last] ? textOf(messages[last]) : "";
  const system = messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(textOf)
    .join("\n");
  const quotations = readQuotations(`${system}\n${text}`);
  const earlier = messages
    .slice(0, Math.max(0, last))
    .filter(({ role }) => role === "user")
    .map(textOf);
  const said = earlier.map(withoutSections).filter((message) => message !== "" && !message.includes("?"));
  const ofKind = (...kinds: string[]) => quotations.filter(({ kind }) => kinds.includes(kind));
  return {
    question: withoutSections(text),
    earlier: earlier.map(withoutSections).reverse(),
    sources: ofKind("source", "file", "note").map(({ body, values }) => ({
      title: String(values.get("title") ?? values.get("name") ?? ""),
      text: body,
      number: values.get("number") ?? null,
    })),
    statements: [
      ...ofKind("memories").flatMap(({ body }) => body.split("\n").map((line) => line.replace(/^- \([^)]*\) /, ""))),
      ...said,
      ...ofKind("summary", "message").map(({ body }) => body),
    ].map((statement) => ({ title: "", text: statement, number: null })),
    unanswered: (unansweredLines.exec(text)?.[1] ?? "").split("\n").flatMap((line) => line.slice(2) || []),
    toolResults: messages
      .slice(last + 1)
      .filter(({ role }) => role === "tool")
      .map((message) => readQuotations(textOf(message))[0]?.body ?? textOf(message)),
    today: todayLine.exec(text)?.[1] ?? null,
    isInCrisis: text.includes(crisisInstructions),
  };
}
