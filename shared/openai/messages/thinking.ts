import type { MessageRequest } from "../../api/openai/message-requests.ts";
import { reasoningFields } from "../completions/delta-fields.ts";

/** Message field in which a provider sends reasoning. */
type ReasoningField = (typeof reasoningFields)[number];

/**
 * Reasoning text of an answer. The signature of its thinking block contains `field`, because a provider accepts the
 * reasoning of earlier answers only in the field in which it sent it.
 */
interface Thinking {
  readonly field: ReasoningField;
  readonly text: string;
}

/** Returns true if the request enables thinking and does not set `display` to `omitted`. */
export const showsThinking = ({ thinking }: MessageRequest): boolean =>
  !!thinking && thinking.type !== "disabled" && thinking.display !== "omitted";

/** Returns the reasoning of a message or delta with its field; null if it has none. */
export function findThinking(fields: Readonly<Record<string, unknown>>): Thinking | null {
  for (const field of reasoningFields) {
    const text = fields[field];
    if (typeof text === "string" && text) return { field, text };
  }
  return null;
}

/**
 * Returns the provider's field that the signature of a thinking block names; undefined for a signature that this
 * service did not create.
 */
export const toReasoningField = (signature: string | null | undefined): ReasoningField | undefined =>
  reasoningFields.find((field) => field === signature);
