import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ServiceError } from "#shared/lib/errors.ts";
import { type OpenedStream, openStream, type StreamLimits } from "#shared/models/open-stream.ts";

/** A question to a model, with two tools it may call. */
export const question: LanguageModelV4CallOptions = {
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

/** What a stream came to. */
export interface Outcome {
  readonly opened: OpenedStream | null;
  readonly parts: LanguageModelV4StreamPart[];
  readonly text: string;
  readonly reasoning: string;
  readonly error: unknown;
}

/** Asks, reads to the end, and tells how it ended. */
export async function ask(
  models: readonly [string, ...string[]],
  options: Partial<LanguageModelV4CallOptions> = {},
  limits?: StreamLimits,
): Promise<Outcome> {
  const parts: LanguageModelV4StreamPart[] = [];
  const joined = (type: "text-delta" | "reasoning-delta") =>
    parts.map((part) => (part.type === type ? part.delta : "")).join("");
  const outcome = (opened: OpenedStream | null, error: unknown) => ({
    opened,
    parts,
    text: joined("text-delta"),
    reasoning: joined("reasoning-delta"),
    error,
  });
  let opened: OpenedStream | null = null;
  try {
    opened = await openStream(models, { ...question, ...options }, limits);
    for await (const part of opened.stream) parts.push(part);
    return outcome(opened, null);
  } catch (error) {
    return outcome(opened, error);
  }
}

/** The error's code and what a caller sees of it. */
export function shown(error: unknown): { code: string; text: string } {
  if (!(error instanceof ServiceError)) throw new Error("Not an error for callers", { cause: error });
  return { code: error.code, text: `${error.message} ${JSON.stringify(error.headers)}` };
}
