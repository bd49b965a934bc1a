import { expect, it } from "vitest";
import { locateSentences } from "#shared/lib/language/locate-sentences.ts";

const sentencesOf = (text: string) => locateSentences(text).map(({ start, end }) => text.slice(start, end));

it("locateSentences() returns the sentences of a paragraph in several scripts", () => {
  expect(sentencesOf("It opens at nine. Is it free? 最初の文。次の文。")).toEqual([
    "It opens at nine.",
    "Is it free?",
    "最初の文。",
    "次の文。",
  ]);
});

it("locateSentences() joins the lines that a paragraph is wrapped into", () => {
  const text = "The lamp of the lighthouse was lit for the first time in the year\n1874. It burned oil.";
  expect(sentencesOf(text)).toEqual([text.slice(0, text.indexOf(" It")), "It burned oil."]);
});

it("locateSentences() does not end a sentence at an abbreviation, an initial or an ordinal number", () => {
  const sentences = ["Dr. J. Smith arrived.", "Am 3. Oktober kam er z. B. nach Bonn."];
  expect(sentencesOf(sentences.join(" "))).toEqual(sentences);
});

it("locateSentences() returns headings, list items without their marker, and rows of tables", () => {
  const text =
    "# Prices\n\n- Adults pay 5 euros\n- Children pay 2 euros\n\n| Day | Open |\n| --- | --- |\n| Monday | no |";
  expect(sentencesOf(text)).toEqual([
    "# Prices",
    "Adults pay 5 euros",
    "Children pay 2 euros",
    "| Day | Open |",
    "| Monday | no |",
  ]);
});

it("locateSentences() joins a sentence that continues on the next page", () => {
  const text = "The lamp of the lighthouse was lit for the\n\nfirst time in 1874. It burned oil.";
  expect(sentencesOf(text)).toEqual([text.slice(0, text.indexOf(" It")), "It burned oil."]);
});
