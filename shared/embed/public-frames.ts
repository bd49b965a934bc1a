import { now } from "../lib/clock.ts";
import type { Frame, PublicEvent, RunEvent } from "../runs/events.ts";
import type { FrameSource } from "../runs/frame-feed.ts";
import { toToolCard } from "../runs/tool-cards.ts";
import { toEmbedBlocks } from "./public-projections.ts";

/** Returns the part of an event that widget visitors see; null for events about how an answer is produced. */
function toPublicEvent(messageId: string, event: RunEvent): PublicEvent | null {
  switch (event.type) {
    case "metadata":
      // A client that loses the connection before the first text can only resume with the id of an event.
      return {
        type: "assistant_message",
        data: { message_id: event.data.message_id, content: "", final: false },
      };
    case "assistant_message": {
      const { message_id, content, final } = event.data;
      return { type: event.type, data: final ? { message_id, content: toEmbedBlocks(content), final } : event.data };
    }
    case "guardrail_result": {
      const { stage, removed } = event.data;
      return stage === "input" && removed ? { type: event.type, data: { stage, removed } } : null;
    }
    case "preflight_warning":
    case "tool_call": {
      const card = toToolCard(messageId, event);
      return card && { type: "tool_card", data: card };
    }
    case "done":
    case "interrupted":
    case "error":
      return event;
    default:
      return null;
  }
}

/**
 * Source of a run's events as widget visitors see them. Hidden events leave gaps in the sequence numbers. It ends when the run
 * waits for the visitor, because a connection would hold a function for as long.
 */
export class PublicFrames implements FrameSource<PublicEvent> {
  readonly #source: FrameSource;
  readonly #messageId: string;
  #lastSeq = 0;
  #isWaiting = false;

  constructor(source: FrameSource, messageId: string) {
    this.#source = source;
    this.#messageId = messageId;
  }

  async next(afterSeq: number, timeoutMs: number): Promise<readonly Frame<PublicEvent>[] | null> {
    if (this.#isWaiting) return null;
    const deadline = now() + timeoutMs;
    for (;;) {
      const after = Math.max(afterSeq, this.#lastSeq);
      const frames = await this.#source.next(after, Math.max(0, deadline - now()));
      if (!frames) return null;
      this.#lastSeq = frames.at(-1)?.seq ?? after;
      const publicFrames = frames.flatMap((frame) => {
        const projection = toPublicEvent(this.#messageId, frame.event);
        return projection ? [{ ...frame, event: projection }] : [];
      });
      const last = publicFrames.at(-1)?.event;
      this.#isWaiting = last?.type === "tool_card" && last.data.status === "waiting";
      if (publicFrames.length > 0 || now() >= deadline) return publicFrames;
    }
  }
}
