import { truncate } from "../../../shared/lib/truncate.ts";
import type { DemoRequest, Prompt } from "./prompt.ts";

/** Call of a tool in OpenAI's format. */
export interface DemoToolCall {
  readonly name: string;
  /** Input as JSON. */
  readonly arguments: string;
}

const noteRequest =
  /^(?:please )?(?:make|create|write|take|add) (?:me )?a note(?: (?:that|about|of))?[\s:]+(?<text>\S[\s\S]*)/i;

/** Returns the call that writes a note, if the question requests one and the tool is offered. */
export function findToolCall({ tools, tool_choice }: DemoRequest, question: string): DemoToolCall | undefined {
  const name = "create_note";
  const text = noteRequest.exec(question)?.groups?.text;
  if (!text || tool_choice === "none" || !tools?.some((tool) => tool.function.name === name)) return undefined;
  return { name, arguments: JSON.stringify({ title: truncate(text.split("\n", 1)[0] ?? "", 80), body: text }) };
}

/** Returns the answer that reports the results of tools after the question. */
export const describeResults = ({ toolResults }: Prompt): string =>
  toolResults
    .map((text) => {
      const title = /^\{"created":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
      return title ? `I wrote the note “${JSON.parse(title)}” for you.` : text;
    })
    .join("\n\n");
