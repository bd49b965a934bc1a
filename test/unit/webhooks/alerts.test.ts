import { expect, it } from "vitest";
import { truncate } from "#shared/lib/truncate.ts";
import { findSource, normalizeAlert } from "#shared/webhooks/adapters/adapters.ts";

it.each([
  ["short", 10, "short"],
  ["a😀b", 4, "a😀b"],
  ["a😀b", 3, "a😀"],
  ["a😀b", 2, "a"],
  ["a😀b", 0, ""],
])("truncate(%j, %d) returns %j", (text, maxLength, truncated) => {
  expect(truncate(text, maxLength)).toBe(truncated);
});

it("adapter for webhook alerts truncates a long description without splitting a character", () => {
  const payload = { severity: "low", description: `${"a".repeat(19_998)}😀😀` };
  const { alert } = normalizeAlert(findSource(payload, {}), payload, { nowMs: 0, newAlertId: "1" });
  expect(alert.description).toBe(`${"a".repeat(19_998)}…`);
});
