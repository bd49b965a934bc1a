import { canReadFindings, type Rights } from "../conversations/visible-checks.ts";
import type { Frame } from "./events.ts";
import type { FrameSource } from "./frame-feed.ts";

/**
 * Removes findings that caused no action, unless the caller may read them. The event itself stays, because sequence
 * numbers have no gaps.
 */
async function hideFindings(frame: Frame, rights: Rights): Promise<Frame> {
  const { event } = frame;
  if (event.type !== "guardrail_result" || event.data.action !== "allow" || event.data.categories.length === 0)
    return frame;
  if (await canReadFindings(rights)) return frame;
  return { ...frame, event: { type: event.type, data: { ...event.data, categories: [], rules: [] } } };
}

/** Wraps a source so that it hides guardrail findings that the caller may not read. */
export const visibleFrames = (source: FrameSource, rights: Rights): FrameSource => ({
  async next(afterSeq, timeoutMs) {
    const frames = await source.next(afterSeq, timeoutMs);
    return frames && Promise.all(frames.map((frame) => hideFindings(frame, rights)));
  },
});
