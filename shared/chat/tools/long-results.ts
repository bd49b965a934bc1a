import * as v from "valibot";
import { ServiceError } from "../../lib/errors.ts";
import type { Turn } from "../turn.ts";
import type { Tool } from "./tool.ts";

/** Results that a turn keeps in memory, and the length of each. A paused turn does not store them. */
const MAX_RESULTS = 5;
const MAX_CHARACTERS = 400_000;

/** Length of a part that the model reads at once; it fits into a prompt with its quotes. */
const PART_CHARACTERS = 16_000;

const resultsByRun = new WeakMap<Turn["run"], string[]>();

/** Lets a turn keep results that are too long for a prompt. Its model can read the rest in a later round. */
export const keepLongResults = ({ run }: Turn): void => void (resultsByRun.has(run) || resultsByRun.set(run, []));

/**
 * Keeps a result that is cut off in the prompt.
 * @returns what tells the model how to read the rest
 */
export function keepResult({ run }: Turn, text: string, shownCharacters: number): string {
  const results = resultsByRun.get(run);
  if (!results || results.length === MAX_RESULTS) return "request less at once";
  results.push(text.slice(0, MAX_CHARACTERS));
  const length = Math.min(text.length, MAX_CHARACTERS);
  return `the rest, up to ${length}: read_result with result ${results.length} and offset ${shownCharacters}`;
}

const Input = v.object({
  result: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_RESULTS)),
  offset: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_CHARACTERS)),
});

const readResult = (results: readonly string[]): Tool => ({
  name: "read_result",
  title: "Read the rest of a result",
  definition: {
    type: "function",
    name: "read_result",
    description: `Reads ${PART_CHARACTERS} characters of a result of this answer that was cut off.`,
    inputSchema: {
      type: "object",
      properties: { result: { type: "integer" }, offset: { type: "integer" } },
      required: ["result", "offset"],
    },
  },
  input: Input,
  hasEffect: false,
  mode: "auto",
  isParallel: false,
  // It reads what the answer has received already.
  isInternal: true,
  async run(_, input) {
    const { result, offset } = input as v.InferOutput<typeof Input>;
    const text = results[result - 1];
    if (text === undefined) throw new ServiceError("not_found", "There is no such result.");
    const end = offset + PART_CHARACTERS;
    const more = end < text.length ? `\n(more at offset ${end})` : "";
    return { result: text.slice(offset, end) + more };
  },
});

/** Returns the tool that reads the rest of long results, if a turn has any. */
export function findResultReader({ run }: Turn): Tool[] {
  const results = resultsByRun.get(run) ?? [];
  return results.length > 0 ? [readResult(results)] : [];
}
