import { now } from "../lib/clock.ts";
import type { Frame, PublicEvent, RunEvent } from "../runs/events.ts";
import type { FrameSource } from "../runs/frame-feed.ts";
import { toEmbedBlocks } from "./public-projections.ts";

/** Returns the part of an event that widget visitors see; null for events about how an answer is produced. */
function toPublicEvent(event: RunEvent): PublicEvent | null {
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
    case "done":
    case "interrupted":
    case "error":
      return event;
    default:
      return null;
  }
}

/** Source of a run's events as widget visitors see them. Hidden events leave gaps in the sequence numbers. */
export class PublicFrames implements FrameSource<PublicEvent> {
  readonly #source: FrameSource;
  #lastSeq = 0;

  constructor(source: FrameSource) {
    this.#source = source;
  }

  async next(afterSeq: number, timeoutMs: number): Promise<readonly Frame<PublicEvent>[] | null> {
    const deadline = now() + timeoutMs;
    for (;;) {
      const after = Math.max(afterSeq, this.#lastSeq);
      const frames = await this.#source.next(after, Math.max(0, deadline - now()));
      if (!frames) return null;
      this.#lastSeq = frames.at(-1)?.seq ?? after;
      const publicFrames = frames.flatMap((frame) => {
        const projection = toPublicEvent(frame.event);
        return projection ? [{ ...frame, event: projection }] : [];
      });
      if (publicFrames.length > 0 || now() >= deadline) return publicFrames;
    }
  }
}
