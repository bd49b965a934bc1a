import { env } from "../lib/env.ts";
import { withFallback } from "../models/model.ts";
import { openStream } from "../models/open-stream.ts";
import type { Turn } from "./turn.ts";
import { addUsage } from "./usage.ts";

const fewest = 2;
const most = 5;

const instructions = `Somebody asks a question that is to be answered from a collection of documents. Write the ${fewest} to ${most} search queries that find what is needed, each on a line of its own: key words, no numbering, nothing else.`;

/** A question taken apart without a model: as it is, and sentence by sentence or by its longer words. */
function partsOf(question: string): string[] {
  const sentences = question.split(/(?<=[.?!;])\s+|\n+/).filter((sentence) => sentence.trim().length > 8);
  const words = question.match(/[\p{L}\p{N}-]{4,}/gu) ?? [];
  const parts =
    sentences.length > 1 ? sentences : [words.join(" "), words.slice(0, Math.ceil(words.length / 2)).join(" ")];
  return [question, ...parts];
}

function distinct(queries: readonly string[]): string[] {
  return [...new Set(queries.map((query) => query.trim()).filter(Boolean))].slice(0, most);
}

/** Queries that together cover a question: two to five, the question itself first. */
export async function planQueries(turn: Turn, question: string): Promise<string[]> {
  if (env("MODEL_PROVIDER").MODEL_PROVIDER === "builtin") return distinct(partsOf(question));
  const { stream } = await openStream(withFallback(turn.run.model), {
    prompt: [
      { role: "system", content: instructions },
      { role: "user", content: [{ type: "text", text: question }] },
    ],
    maxOutputTokens: 200,
    abortSignal: turn.signal,
  });
  let text = "";
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "finish") addUsage(turn, part.usage);
  }
  const planned = text.split("\n").map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, ""));
  const queries = distinct([question, ...planned]);
  return queries.length >= fewest ? queries : distinct(partsOf(question));
}
