import { askModel } from "../../models/ask-model.ts";
import { addUsage } from "../add-usage.ts";
import type { Turn } from "../turn.ts";

const MIN_QUERIES = 2;
const MAX_QUERIES = 5;

const instructions = `A user asks a question that is to be answered from a collection of documents. Write the ${MIN_QUERIES} to ${MAX_QUERIES} search queries that find what is needed, one per line: keywords only, no numbering, nothing else.`;

/** Returns two search queries without a model: the words of at least four characters, and the first half of them. */
function toKeywords(question: string): string[] {
  const words = question.match(/[\p{L}\p{N}-]{4,}/gu) ?? [];
  return [words.join(" "), words.slice(0, Math.ceil(words.length / 2)).join(" ")];
}

function uniqueQueries(queries: readonly string[]): string[] {
  return [...new Set(queries.map((query) => query.trim()).filter(Boolean))].slice(0, MAX_QUERIES);
}

/**
 * Returns up to five search queries for a question: first its parts, or the question itself if it has one part. A model
 * writes the others; if the reply is unusable, rules do.
 * @param parts the question alone, or its parts
 */
export async function planQueries(turn: Turn, question: string, parts: readonly string[]): Promise<string[]> {
  const byRules = parts.length > 1 ? [...parts, question] : [question, ...toKeywords(question)];
  const { signal } = turn;
  const { text, isCut, usage } = await askModel(turn.run.model, {
    instructions,
    text: question,
    maxOutputTokens: 200,
    signal,
  });
  addUsage(turn, usage);
  const lines = text.split("\n").map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, ""));
  const queries = uniqueQueries([...parts, ...(isCut ? lines.slice(0, -1) : lines)]);
  return queries.length >= MIN_QUERIES ? queries : uniqueQueries(byRules);
}
