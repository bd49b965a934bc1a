import { now } from "../clock.ts";

/**
 * Returns the delay that a `Retry-After` header asks for, in seconds; 0 if the header is missing or invalid. The header is a
 * number of seconds or a date.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
 */
export function parseRetryAfter(header = ""): number {
  const seconds = Number.isNaN(Number(header)) ? (Date.parse(header) - now()) / 1_000 : Number(header);
  return seconds > 0 ? Math.ceil(seconds) : 0;
}
