import { expect, it } from "vitest";
import { parseRetryAfter } from "#shared/lib/outgoing/retry-after.ts";

it("parseRetryAfter() reads seconds and dates, and ignores times that have passed", () => {
  const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();
  expect(parseRetryAfter("120")).toBe(120);
  expect(parseRetryAfter(inTenMinutes)).toBeGreaterThan(590);
  expect(parseRetryAfter(inTenMinutes)).toBeLessThanOrEqual(600);
  const none = [undefined, "", "0", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"];
  expect(none.map((header) => parseRetryAfter(header))).toEqual(none.map(() => 0));
});
