import { now } from "../clock.ts";

/**
 * Returns the seconds that a `Retry-After` asks to wait, given as seconds or as a date; 0 without a valid one.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
 */
export function parseRetryAfter(header = ""): number {
  const seconds = Number.isNaN(Number(header)) ? (Date.parse(header) - now()) / 1_000 : Number(header);
  return seconds > 0 ? Math.ceil(seconds) : 0;
}
