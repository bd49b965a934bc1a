import { expect, it } from "vitest";
import { findPersonId } from "../../../functions/web/console/lib/people/find-person-id.ts";

const people = [
  { id: "ann", name: "Ann Lee" },
  { id: "u-2", name: "Bo" },
  { id: "u-3", name: "Bo" },
  { id: "Cy", name: "Dee" },
  { id: "u-4", name: "cy" },
];

it.each([
  ["Ann Lee", "ann"],
  [" ann lee ", "ann"],
  ["ann", "ann"],
  ["Bo", "Bo"],
  ["Cy", "Cy"],
  ["unknown-5", "unknown-5"],
])("findPersonId() reads %j as %j", (text, id) => {
  expect(findPersonId(text, people)).toBe(id);
});
