import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { ToolName } from "../../api/tools.ts";
import { truncate } from "../../lib/truncate.ts";

/** Pattern of questions that request a tool, which the built-in model uses because it does not understand questions. */
interface ToolPattern {
  readonly tool: ToolName;
  readonly pattern: RegExp;
  input(match: RegExpExecArray): Record<string, unknown>;
}

const MAX_TITLE_CHARACTERS = 80;

/** Maximum length of a question that is checked for a tool. It limits the cost of the patterns. */
const MAX_QUESTION_CHARACTERS = 2_000;

/** Returns the input of the note tool: the first line as title, and the whole text as body. */
function toNote(text: string): Record<string, unknown> {
  const [first = ""] = text.split("\n", 1);
  return { title: truncate(first, MAX_TITLE_CHARACTERS), body: text };
}

const toolPatterns: readonly ToolPattern[] = [
  {
    tool: "calculate",
    pattern:
      /^(?:(?:please )?(?:calculate|compute|evaluate|work out|what(?:['’]s| is)|how much is|berechne|was ist|cuánto es|combien fait) )?((?=.*[\d)]\s*[-+*/^%]\s*[-(\d])[-+*/^%().,\d\s]+)[=?.!\s]*$/iu,
    input: ([, expression = ""]) => ({ expression: expression.replaceAll(",", "").trim() }),
  },
  {
    tool: "current_time",
    pattern: /\bwhat(?:['’]s| is) the (?:time|date)\b|\bwhat (?:time|day|date) is it\b|\btoday['’]s date\b/i,
    input: () => ({}),
  },
  {
    tool: "create_note",
    pattern: /^(?:please )?(?:make|create|write|take|add) (?:me )?a note(?: (?:that|about|of))?[\s:]+(\S[\s\S]*)/i,
    input: ([, text = ""]) => toNote(text),
  },
  {
    tool: "read_note",
    pattern: /\b(?:read|show|open|find)(?: me)? (?:my|the) notes? (?:about |on |for |called |titled )?(.+?)[.?!]?$/i,
    input: ([, query = ""]) => ({ query: truncate(query, 200) }),
  },
  {
    tool: "search_conversation",
    pattern: /\bwhat did (?:I|we|you) say about (.+?)[.?!]?$/i,
    input: ([, query = ""]) => ({ query: truncate(query, 500) }),
  },
  {
    tool: "search_memory",
    pattern: /\bwhat do you (?:remember|know) about (.+?)[.?!]?$/i,
    input: ([, query = ""]) => ({ query: truncate(query, 500) }),
  },
];

interface ToolResult {
  readonly tool: string;
  readonly value: unknown;
  readonly hasFailed: boolean;
}

/** Returns the tool results in a prompt after the latest question. */
function findToolResults(prompt: LanguageModelV4Prompt): ToolResult[] {
  const questionIndex = prompt.findLastIndex(({ role }) => role === "user");
  return prompt.slice(questionIndex + 1).flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
          part.type === "tool-result" && "value" in part.output
            ? [
                {
                  tool: part.toolName,
                  value: part.providerOptions?.builtin?.result ?? part.output.value,
                  hasFailed: part.output.type === "error-text",
                },
              ]
            : [],
        )
      : [],
  );
}

/** Returns the tool call that a question requests, or null. There is at most one call per turn. */
export function findToolCall(question: string, options: LanguageModelV4CallOptions): LanguageModelV4ToolCall | null {
  const { tools = [], toolChoice, prompt } = options;
  if (question.length > MAX_QUESTION_CHARACTERS || toolChoice?.type === "none") return null;
  if (findToolResults(prompt).length > 0) return null;
  for (const { tool, pattern, input } of toolPatterns) {
    const match = tools.some(({ name }) => name === tool) && pattern.exec(question);
    if (match) {
      return { type: "tool-call", toolCallId: `call-${tool}`, toolName: tool, input: JSON.stringify(input(match)) };
    }
  }
  return null;
}

interface ToolResults {
  calculate: { expression: string; value: number };
  current_time: { local: string };
  create_note: { created: string };
  read_note: { notes: { title: string; body: string }[] };
  search_conversation: { messages: { date: string; text: string }[] };
  search_memory: { memories: { text: string }[] };
}

const formatList = (lines: readonly string[], emptyText: string) =>
  lines.length > 0 ? lines.map((line) => `- ${line}`).join("\n") : emptyText;

const formatters: { readonly [Name in keyof ToolResults]: (value: ToolResults[Name]) => string } = {
  calculate: ({ expression, value }) => `${expression} = **${value}**`,
  current_time: ({ local }) => `It is ${local}.`,
  create_note: ({ created }) => `I wrote the note “${created}” for you.`,
  read_note: ({ notes }) =>
    notes.map(({ title, body }) => `### ${title}\n\n${body}`).join("\n\n") || "I found no matching note.",
  search_conversation: ({ messages }) =>
    formatList(
      messages.map(({ date, text }) => `${date}: ${text}`),
      "We said nothing about this.",
    ),
  search_memory: ({ memories }) =>
    formatList(
      memories.map(({ text }) => text),
      "I remember nothing about this.",
    ),
};

/** Returns the answer that reports the tool results after the latest question; null if there are none. */
export function describeToolResults(prompt: LanguageModelV4Prompt): string | null {
  const results = findToolResults(prompt);
  if (results.length === 0) return null;
  return results
    .map(({ tool, value, hasFailed }) => {
      if (hasFailed) return `That did not work: ${String(value)}`;
      const format = formatters[tool as keyof ToolResults] as ((value: unknown) => string) | undefined;
      return format ? format(value) : JSON.stringify(value);
    })
    .join("\n\n");
}
