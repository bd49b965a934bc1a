import { expect, it } from "vitest";
import { withoutTitle } from "../../../functions/web/console/chat/alerts/without-title.ts";

it.each([
  ["Disk full", "Disk full", ""],
  ["Disk full", "Disk full: 90 % of /var", "90 % of /var"],
  ["Disk full", "Disk full - since noon", "since noon"],
  ["Disk full", "Disk full...\n\nSince noon", "Since noon"],
  ["Balance", "Balance: -5 EUR", "-5 EUR"],
  ["Balance", "Balance -5 EUR", "-5 EUR"],
  ["CPU", "CPUs are hot", "CPUs are hot"],
  ["CPU", "Hot CPU", "Hot CPU"],
])("withoutTitle() for %j and %j returns %j", (title, description, rest) => {
  expect(withoutTitle(description, title)).toBe(rest);
});
