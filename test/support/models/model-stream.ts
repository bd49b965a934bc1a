import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ServiceError } from "#shared/lib/errors.ts";
import { type ModelStream, openStream } from "#shared/models/open-stream.ts";
import type { StreamTimeouts } from "#shared/models/supervise-stream.ts";

/** Call options with a question and two tools. */
export const callOptions: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Which tents are left?" }] },
  ],
  tools: ["search_knowledge", "current_time"].map((name) => ({
    type: "function",
    name,
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
  })),
};

/** Result of reading a model's stream to its end. */
export interface StreamOutcome {
  readonly opened: ModelStream | null;
  readonly parts: LanguageModelV4StreamPart[];
  readonly text: string;
  readonly reasoning: string;
  readonly error: unknown;
}

/** Opens a model stream, reads it to the end and returns its parts or its error. */
export async function readModelStream(
  models: readonly [string, ...string[]],
  options: Partial<LanguageModelV4CallOptions> = {},
  limits?: StreamTimeouts,
): Promise<StreamOutcome> {
  const parts: LanguageModelV4StreamPart[] = [];
  const joinDeltas = (type: "text-delta" | "reasoning-delta") =>
    parts.map((part) => (part.type === type ? part.delta : "")).join("");
  const toOutcome = (opened: ModelStream | null, error: unknown) => ({
    opened,
    parts,
    text: joinDeltas("text-delta"),
    reasoning: joinDeltas("reasoning-delta"),
    error,
  });
  let opened: ModelStream | null = null;
  try {
    opened = await openStream(models, { ...callOptions, ...options }, limits);
    for await (const part of opened.stream) parts.push(part);
    return toOutcome(opened, null);
  } catch (error) {
    return toOutcome(opened, error);
  }
}

/** Returns the error's code and the text that a caller sees. */
export function describeError(error: unknown): { code: string; text: string } {
  if (!(error instanceof ServiceError)) throw new Error("Expected a ServiceError", { cause: error });
  return { code: error.code, text: `${error.message} ${JSON.stringify(error.headers)}` };
}
