import { invalidField } from "./errors.ts";

/**
 * @param moment epoch milliseconds of now
 * @throws ServiceError `validation_failed` for a timestamp that is not in the future; null is no timestamp
 */
export function assertFutureDate(path: string, timestamp: string | null, moment: number): void {
  if (timestamp === null || Date.parse(timestamp) > moment) return;
  throw invalidField({ path, location: "body", code: "not_in_future", message: "must lie in the future" });
}
