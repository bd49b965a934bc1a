import { expect, it } from "vitest";
import { findUnsupported } from "../../../functions/web/console/knowledge/find-unsupported.ts";

const source =
  "Visitor: Do you ship to Iceland? I am Anna Berg, anna@example.com.\nTeam: Yes, with Nordic Post, for 1,240.50 euros until 2026-12-24. See https://shop.example.com/ship.";

it.each([
  ["a number", "Shipping costs 1,250.50 euros.", true],
  ["a part of a number", "Shipping costs 240 euros.", true],
  ["a date", "It arrives until 2026-12-25.", true],
  ["a name", "We send it with Nordic Mail.", true],
  ["an address of a page", "See https://shop.example.com/return.", true],
  ["an address of e-mail", "Write to team@example.com.", true],
  ["the same facts in other words", "Orders to Iceland go with Nordic Post. The price is 1240.50 euros.", false],
  ["the same addresses and dates", "Until 2026-12-24, look at https://shop.example.com/ship.", false],
])("finds a sentence of a rewriting with %s that the conversation lacks", (_, sentence, isFound) => {
  expect(findUnsupported(`Do you ship to Iceland? ${sentence}`, source).length > 0).toBe(isFound);
});

it("names only the sentences of a rewriting that the conversation does not support", () => {
  const text = "Do you ship to Iceland?\nYes, we do. It takes 9 days. Nordic Post brings it.";
  expect(findUnsupported(text, source)).toEqual(["It takes 9 days."]);
});

it("finds names in German rewritings, but no nouns", () => {
  const german = "Team: Wir liefern das Fahrrad mit der Post für 40 Euro, und es ist nicht versichert.";
  const noun = "Die Lieferung ist nicht versichert und das Paket kommt mit der Post.";
  expect(findUnsupported(noun, german)).toEqual([]);
  const name = "Das Fahrrad kommt mit der Nordischen Spedition, und es ist nicht versichert.";
  expect(findUnsupported(name, german)).toEqual([name]);
});

it("finds numbers and addresses of an original answer that its rewriting lacks, but no names", () => {
  const kinds = ["numbers", "addresses"] as const;
  expect(findUnsupported("Hello Anna Berg! It costs 40 euros.", "It is not free.", kinds)).toEqual([
    "It costs 40 euros.",
  ]);
});
