import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { ToolName } from "../api/tools.ts";
import { truncate } from "../lib/truncate.ts";

/** What is asked of a tool in so many words: the built-in model does not understand, it recognises. */
interface Wish {
  readonly tool: ToolName;
  readonly pattern: RegExp;
  input(match: RegExpExecArray): Record<string, unknown>;
}

const titleAtMost = 80;

/** Characters of a question that can ask for a tool: a longer one is about something else. */
const questionAtMost = 2_000;

/** The first line as a title, the whole as the text. */
function noteOf(text: string): Record<string, unknown> {
  const [first = ""] = text.split("\n", 1);
  return { title: truncate(first, titleAtMost), body: text };
}

const wishes: readonly Wish[] = [
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
    input: ([, text = ""]) => noteOf(text),
  },
  {
    tool: "read_note",
    pattern: /\b(?:read|show|open|find)(?: me)? (?:my|the) notes? (?:about |on |for |called |titled )?(.+?)[.?!]?$/i,
    input: ([, query = ""]) => ({ query: truncate(query, 200) }),
  },
  {
    tool: "search_memory",
    pattern: /\bwhat do you (?:remember|know) about (.+?)[.?!]?$/i,
    input: ([, query = ""]) => ({ query: truncate(query, 500) }),
  },
];

/** What came of a tool, by its name. */
interface Outcome {
  readonly tool: string;
  readonly value: unknown;
  readonly failed: boolean;
}

function outcomesIn(prompt: LanguageModelV4Prompt): Outcome[] {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  return prompt
    .slice(asked + 1)
    .flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) =>
            part.type === "tool-result" && "value" in part.output
              ? [{ tool: part.toolName, value: part.output.value, failed: part.output.type === "error-text" }]
              : [],
          )
        : [],
    );
}

/** The call of a tool that a question asks for, where it is offered and was not made yet. */
export function toolCallFor(question: string, options: LanguageModelV4CallOptions): LanguageModelV4ToolCall | null {
  const { tools = [], toolChoice, prompt } = options;
  if (question.length > questionAtMost || toolChoice?.type === "none" || outcomesIn(prompt).length > 0) return null;
  for (const { tool, pattern, input } of wishes) {
    const match = tools.some(({ name }) => name === tool) && pattern.exec(question);
    if (match) {
      return { type: "tool-call", toolCallId: `call-${tool}`, toolName: tool, input: JSON.stringify(input(match)) };
    }
  }
  return null;
}

interface Told {
  calculate: { expression: string; value: number };
  current_time: { local: string };
  create_note: { created: string };
  read_note: { notes: { title: string; body: string }[] };
  search_memory: { memories: { text: string }[] };
}

const listed = (lines: readonly string[], otherwise: string) =>
  lines.length > 0 ? lines.map((line) => `- ${line}`).join("\n") : otherwise;

/** How an outcome is told. */
const tellings: { readonly [Name in keyof Told]: (value: Told[Name]) => string } = {
  calculate: ({ expression, value }) => `${expression} = **${value}**`,
  current_time: ({ local }) => `It is ${local}.`,
  create_note: ({ created }) => `I wrote the note “${created}” for you.`,
  read_note: ({ notes }) =>
    notes.map(({ title, body }) => `### ${title}\n\n${body}`).join("\n\n") || "I found no such note of yours.",
  search_memory: ({ memories }) =>
    listed(
      memories.map(({ text }) => text),
      "I remember nothing about this.",
    ),
};

/** What the tools gave, in words; null where none was used. */
export function toldOutcomes(prompt: LanguageModelV4Prompt): string | null {
  const outcomes = outcomesIn(prompt);
  if (outcomes.length === 0) return null;
  return outcomes
    .map(({ tool, value, failed }) => {
      if (failed) return `That did not work: ${String(value)}`;
      const tell = tellings[tool as keyof Told] as ((value: unknown) => string) | undefined;
      return tell ? tell(value) : JSON.stringify(value);
    })
    .join("\n\n");
}
