import { afterAll, beforeAll, expect, it } from "vitest";
import { listQuestions, recordQuestion, toQuestionId, updateQuestion } from "#shared/embed/question-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };
let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

const timeOf = (minute: number, day = 1) => `2026-03-0${day}T10:${String(minute).padStart(2, "0")}:00.000Z`;

/** Records a question that was asked at a minute, with the answer of this minute. */
const ask = (text: string, askedAt: string) =>
  recordQuestion(
    scope,
    { keyId: "k", sessionId: "s", messageId: `answer-${askedAt}`, text, retentionDays: undefined },
    "no_source",
    askedAt,
  );
const open = async () => (await listQuestions(scope, "k", "open", { limit: 10, cursor: undefined })).entries;

it("unanswered question is counted once for each answer, also when a batch of changes is delivered again", async () => {
  for (const minute of [1, 2, 3, 1, 2, 3]) await ask("Do you ship bicycles?", timeOf(minute));
  expect(await open()).toMatchObject([{ count: 3, first_asked_at: timeOf(1), last_asked_at: timeOf(3) }]);
});

it("unanswered question is counted again after it was answered and reopened", async () => {
  const text = "Do you repair kettles?";
  const id = toQuestionId(text) ?? "";
  await ask(text, timeOf(1));
  await updateQuestion(scope, "k", id, { status: "answered", document: null });
  await updateQuestion(scope, "k", id, { status: "open", document: null });
  await ask(text, timeOf(2));
  expect((await open()).find((question) => question.id === id)).toMatchObject({ count: 2, answered_at: null });
});
