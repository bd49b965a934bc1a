import type { KnowledgeReader } from "../knowledge/knowledge-access.ts";
import { hideSourcesOfEvent } from "../knowledge/readers/hide-sources.ts";
import type { FrameSource } from "../runs/frame-feed.ts";
import type { StoredRun } from "../runs/run-store.ts";

/**
 * Wraps the frames of a run that a client reads again or for another user, so that they name only sources that the reader may
 * read now. A run's own asker needs no check while it searches, because the search just made it.
 */
export const withReadableSources = (source: FrameSource, reader: KnowledgeReader, run: StoredRun): FrameSource => ({
  async next(afterSeq, timeoutMs) {
    const frames = await source.next(afterSeq, timeoutMs);
    return (
      frames &&
      Promise.all(
        frames.map(async (frame) => ({ ...frame, event: await hideSourcesOfEvent(reader, frame.event, run.user_id) })),
      )
    );
  },
});
