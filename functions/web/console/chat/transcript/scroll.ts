import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Distance in pixels from the end of the transcript within which the page scrolls along with new text. */
const FOLLOW_DISTANCE = 120;

/** Position of the reader in a transcript. */
export interface Scroll {
  readonly area: { current: HTMLDivElement | null };
  /** True while the page scrolls along with new text. */
  readonly follows: { current: boolean };
  /** True if the reader has left the end. */
  readonly isAway: Signal<boolean>;
  /** Distance of the shown messages from the end, while earlier ones are loaded above them; otherwise null. */
  readonly distance: { current: number | null };
}

export const useScroll = (): Scroll => ({
  area: useRef(null),
  follows: useRef(true),
  isAway: useSignal(false),
  distance: useRef(null),
});

export function readPosition({ area, follows, isAway }: Scroll): void {
  if (!area.current) return;
  const { scrollHeight, scrollTop, clientHeight } = area.current;
  follows.current = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE;
  isAway.value = !follows.current;
}

/** Keeps the distance of the shown messages from the end when earlier ones are added above them. */
export function holdPosition({ area, distance }: Scroll): void {
  if (area.current) distance.current = area.current.scrollHeight - area.current.scrollTop;
}

export const scrollToEnd = ({ area }: Scroll): void => area.current?.scrollTo({ top: area.current.scrollHeight });

/** Scrolls along whenever the size of the transcript or of the window changes, before it is painted. */
export function useFollowText({ area, follows, distance }: Scroll): void {
  useLayoutEffect(() => {
    const element = area.current;
    if (!element?.firstElementChild) return undefined;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
      else if (distance.current !== null) element.scrollTop = element.scrollHeight - distance.current;
      distance.current = null;
    });
    observer.observe(element);
    observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
}
