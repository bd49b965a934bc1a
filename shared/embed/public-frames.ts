import { now } from "../lib/clock.ts";
import type { Frame, PublicEvent, RunEvent } from "../runs/events.ts";
import type { FrameSource } from "../runs/frame-feed.ts";
import { embedBlocks } from "./embed-view.ts";

/** An event as a website's visitors get to see it, or none: of how an answer came about they see nothing. */
function publicEvent(event: RunEvent): PublicEvent | null {
  switch (event.type) {
    case "metadata":
      // So that a reader who loses the connection before the first word knows what to resume.
      return {
        type: "assistant_message",
        data: { message_id: event.data.message_id, content: "", final: false },
      };
    case "assistant_message": {
      const { message_id, content, final } = event.data;
      return { type: event.type, data: final ? { message_id, content: embedBlocks(content), final } : event.data };
    }
    case "done":
    case "interrupted":
    case "error":
      return event;
    default:
      return null;
  }
}

/** A run as a website's visitors get to see it. Frames keep their places, so the numbers have gaps. */
export class PublicFrames implements FrameSource<PublicEvent> {
  readonly #source: FrameSource;
  #seen = 0;

  constructor(source: FrameSource) {
    this.#source = source;
  }

  async next(afterSeq: number, patience: number): Promise<readonly Frame<PublicEvent>[] | null> {
    const deadline = now() + patience;
    for (;;) {
      const after = Math.max(afterSeq, this.#seen);
      const frames = await this.#source.next(after, Math.max(0, deadline - now()));
      if (!frames) return null;
      this.#seen = frames.at(-1)?.seq ?? after;
      const shown = frames.flatMap(({ seq, event }) => {
        const open = publicEvent(event);
        return open ? [{ seq, event: open }] : [];
      });
      if (shown.length > 0 || now() >= deadline) return shown;
    }
  }
}
