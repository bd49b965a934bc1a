import * as v from "valibot";
import { ServiceError } from "../../lib/errors.ts";
import type { Turn } from "../turn.ts";
import type { Tool } from "./tool.ts";

/** Maximum number of long results per turn, and the maximum length of each in characters. */
const MAX_RESULTS = 5;
const MAX_CHARACTERS = 400_000;

/**
 * Number of characters that `read_result` returns at once. With escaped quotation marks, they stay below the limit of
 * 20,000 for tool results.
 */
const PART_CHARACTERS = 16_000;

/**
 * Stores a tool result that is truncated in the prompt, so that the model can read the rest in a later round.
 * @returns an instruction for the model: how to read the rest, or to request less if the result could not be stored
 */
export function keepResult(turn: Turn, callId: string, text: string, shownCharacters: number): string {
  const { longResults, rounds } = turn.answer;
  if (!longResults || longResults.size === MAX_RESULTS) return "request less at once";
  // Some providers number the calls of each round from the beginning.
  const id = `${rounds}-${callId}`;
  longResults.set(id, text.slice(0, MAX_CHARACTERS));
  const length = Math.min(text.length, MAX_CHARACTERS);
  return `the rest, up to ${length}: read_result with result ${JSON.stringify(id)} and offset ${shownCharacters}`;
}

const Input = v.object({
  result: v.pipe(v.string(), v.maxLength(200)),
  offset: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_CHARACTERS)),
});

/** Tool that reads the next part of a truncated tool result. */
const readResult: Tool = {
  name: "read_result",
  title: "Read the rest of a result",
  definition: {
    type: "function",
    name: "read_result",
    description: `Reads ${PART_CHARACTERS} characters of a result of this answer that was cut off.`,
    inputSchema: {
      type: "object",
      properties: { result: { type: "string" }, offset: { type: "integer" } },
      required: ["result", "offset"],
    },
  },
  input: Input,
  hasEffect: false,
  mode: "auto",
  isParallel: false,
  // It reads what the answer has received already.
  isInternal: true,
  async run({ answer: { longResults } }, input) {
    const { result, offset } = input as v.InferOutput<typeof Input>;
    const text = longResults?.get(result);
    if (text === undefined) throw new ServiceError("not_found", "This result is not kept. Call its tool again for it.");
    const end = offset + PART_CHARACTERS;
    const more = end < text.length ? `\n(more at offset ${end})` : "";
    return { result: text.slice(offset, end) + more };
  },
};

/** Adds `read_result` to the tools if the turn has stored a long result. */
export const withResultReader = ({ answer: { longResults } }: Turn, tools: readonly Tool[]): readonly Tool[] =>
  longResults && longResults.size > 0 ? [...tools, readResult] : tools;
