import { expect, it } from "vitest";
import { alertTitleOf } from "#shared/webhooks/alert-facts.ts";

it.each([
  ["its title", { title: "Disk full" }, "Disk full"],
  ["the label that names it", { details: { alert: "DiskFull" } }, "DiskFull"],
  ["the first line of its description", {}, "Disk of host 1 is full"],
  ["200 characters at most", { title: "a".repeat(300) }, "a".repeat(200)],
])("alertTitleOf() returns as the title of an alert %s", (_, fields, expected) => {
  const alert = {
    title: null,
    details: {},
    metadata: {},
    description: "Disk of host 1 is full\nSince 14:00",
    ...fields,
  };
  expect(alertTitleOf(alert)).toBe(expected);
});
