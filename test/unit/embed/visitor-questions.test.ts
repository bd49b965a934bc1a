import { expect, it } from "vitest";
import type { Block } from "#shared/api/blocks.ts";
import { findGap, toVisitorQuestion } from "#shared/chat/questions/visitor-question.ts";
import type { AnswerDraft } from "#shared/chat/turn.ts";
import { toQuestionId } from "#shared/embed/question-store.ts";
import { toFirstPage } from "#shared/embed/visitor-sessions.ts";

const text: Block = { type: "text", text: "Yes." };
const citation = { type: "citation", index: 1, title: "Terms" } as unknown as Block;

it.each([
  ["I don't know that.", "unknown"],
  ["The documents do not contain information about this.", "unknown"],
  ["Dazu habe ich leider keine Informationen.", "unknown"],
  ["Je ne sais pas.", "unknown"],
  ["Delivery takes three days [1].", null],
  ["You know what I don't like: waiting.", null],
])("findGap(), which finds the gap of an answer to a visitor, returns for %s: %s", (answer, gap) => {
  expect(findGap(answer, [text, citation], "How long is the delivery?")).toBe(gap);
});

it("findGap(), which finds the gap of an answer to a visitor, reports a missing source only for a searched question with a subject", () => {
  expect(findGap("Yes.", [text], "How long is the delivery?")).toBe("no_source");
  expect(findGap("Yes.", [text], "")).toBeNull();
  for (const smallTalk of ["Hello!", "Guten Tag", "Thank you very much :)", "¡Gracias!"]) {
    expect([smallTalk, findGap("Yes.", [text], smallTalk)]).toEqual([smallTalk, null]);
  }
});

it("toVisitorQuestion() returns the gap of an answer with the visitor's question and the searched question", () => {
  const answer = { text: "Yes." } as AnswerDraft;
  const turn = { answer, questionText: "And to Iceland?", searchedQuestion: "Do you ship to Iceland?" };
  expect(toVisitorQuestion(turn, [text])).toEqual({
    text: "And to Iceland?",
    searched: "Do you ship to Iceland?",
    gap: "no_source",
  });
  expect(toVisitorQuestion({ ...turn, searchedQuestion: "" }, [text])).toEqual({ text: "And to Iceland?" });
});

it("id of a visitor's question is the same for a different order or inflection of its words", () => {
  const id = toQuestionId("How do I return a damaged bicycle?");
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(toQuestionId("returning damaged bicycles")).toBe(id);
  expect(toQuestionId("How do I return a damaged kettle?")).not.toBe(id);
});

it("id of a visitor's question is null for a text without a subject", () =>
  expect(toQuestionId("What is it?")).toBeNull());

const origin = "https://shop.example.com";
it.each([
  [`${origin}/a/b?token=1#x`, `${origin}/a/b`],
  ["https://other.example.com/a", null],
  ["no address", null],
  [`${origin}/${"x".repeat(600)}`, null],
  [undefined, null],
])("first page of a visitor's session of %s is %s", (page, expected) =>
  expect(toFirstPage(origin, page)).toEqual({ origin, page: expected }),
);
