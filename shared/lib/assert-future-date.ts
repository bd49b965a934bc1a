import { invalidField } from "./errors.ts";

/**
 * Checks that a timestamp, if given, is in the future.
 * @param path dotted path of the field in the request body
 * @throws ServiceError `validation_failed` if it is not
 */
export function assertFutureDate(path: string, timestamp: string | null, nowMs: number): void {
  if (timestamp === null || Date.parse(timestamp) > nowMs) return;
  throw invalidField(path, "not_in_future", "must be in the future");
}
