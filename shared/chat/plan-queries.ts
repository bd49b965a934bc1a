import { detectLanguage } from "../knowledge/index/languages.ts";
import { splitCompoundQuestion } from "../knowledge/search/relevance.ts";
import { withFallback } from "../models/model.ts";
import { getModel } from "../models/model-table.ts";
import { openStream } from "../models/open-stream.ts";
import { addUsage } from "./add-usage.ts";
import type { Turn } from "./turn.ts";

const MIN_QUERIES = 2;
const MAX_QUERIES = 5;

const instructions = `A user asks a question that is to be answered from a collection of documents. Write the ${MIN_QUERIES} to ${MAX_QUERIES} search queries that find what is needed, one per line: keywords only, no numbering, nothing else.`;

/** Derives queries from a question without a model: the question, and its sentences or its longer words. */
function splitQuestion(question: string): string[] {
  const sentences = question
    .split(/(?<=[.?!;])\s+|\n+/)
    .filter((sentence) => sentence.trim().length > 8)
    .flatMap((sentence) => {
      const parts = splitCompoundQuestion(sentence, detectLanguage(question));
      return parts.length > 0 ? parts : [sentence];
    });
  const words = question.match(/[\p{L}\p{N}-]{4,}/gu) ?? [];
  const parts =
    sentences.length > 1 ? sentences : [words.join(" "), words.slice(0, Math.ceil(words.length / 2)).join(" ")];
  return [question, ...parts];
}

function uniqueQueries(queries: readonly string[]): string[] {
  return [...new Set(queries.map((query) => query.trim()).filter(Boolean))].slice(0, MAX_QUERIES);
}

/** Returns up to five search queries that cover a question, the question itself first. */
export async function planQueries(turn: Turn, question: string): Promise<string[]> {
  if (getModel(turn.run.model).provider.type === "builtin") return uniqueQueries(splitQuestion(question));
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
  const lines = text.split("\n").map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, ""));
  const queries = uniqueQueries([question, ...lines]);
  return queries.length >= MIN_QUERIES ? queries : uniqueQueries(splitQuestion(question));
}
