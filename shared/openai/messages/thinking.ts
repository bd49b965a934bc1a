import type { MessageRequest } from "../../api/openai/message-requests.ts";
import { reasoningFields } from "../completions/delta-fields.ts";

/** Name of the field in which a provider sends reasoning. */
type ReasoningField = (typeof reasoningFields)[number];

/**
 * Thinking of an answer. Its signature names the provider's field, the only one in which the provider takes the thinking
 * back.
 */
export interface Thinking {
  readonly field: ReasoningField;
  readonly text: string;
}

/** Tells whether the caller wants to see thinking. */
export const showsThinking = ({ thinking }: MessageRequest): boolean =>
  !!thinking && thinking.type !== "disabled" && thinking.display !== "omitted";

/** Returns the reasoning of a message or delta; null if it has none. */
export function findThinking(fields: Readonly<Record<string, unknown>>): Thinking | null {
  for (const field of reasoningFields) {
    const text = fields[field];
    if (typeof text === "string" && text) return { field, text };
  }
  return null;
}

/** Returns the field for the thinking of an earlier answer; undefined for thinking of another service. */
export const toReasoningField = (signature: string | null | undefined): ReasoningField | undefined =>
  reasoningFields.find((field) => field === signature);
