import * as v from "valibot";
import { Integer } from "../fields.ts";

/* Events of a streamed message as Anthropic's API reference defines them. */

const event = <const Type extends string, const Entries extends v.ObjectEntries>(type: Type, entries: Entries) =>
  v.looseObject({ type: v.literal(type), ...entries });

const Typed = v.looseObject({ type: v.string() });

/** Event of a streamed message. An error ends the stream. */
export const MessageStreamEvent = v.variant("type", [
  event("message_start", { message: v.looseObject({ id: v.string(), type: v.literal("message"), model: v.string() }) }),
  event("ping", {}),
  event("content_block_start", { index: Integer, content_block: Typed }),
  event("content_block_delta", { index: Integer, delta: Typed }),
  event("content_block_stop", { index: Integer }),
  event("message_delta", {
    delta: v.looseObject({ stop_reason: v.string() }),
    usage: v.looseObject({ input_tokens: Integer, output_tokens: Integer }),
  }),
  event("message_stop", {}),
  event("error", { error: v.looseObject({ type: v.string(), message: v.string() }) }),
]);
