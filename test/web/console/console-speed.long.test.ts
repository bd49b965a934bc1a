import type { CDPSession, Page } from "playwright-core";
import { expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import { setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

/** Most that a long conversation costs, as a multiple of a short one. */
const MAX_RATIO = 1.3;
const ROUNDS = 6;
const SHORT = 2;
const LONG = 1_000;

const question = "Which **rooms** are open?";
const text =
  "The reading room opens at nine.\n\n- Monday\n- Tuesday\n\n```ts\nopen();\n```\n\n| day | time |\n|---|---|\n| Monday | 9 |";

// 500 words in paragraphs, lists and code.
const streamed = Array.from({ length: 500 }, (_, index) =>
  index % 50 === 49 ? `word${index}.\n\n` : index % 10 === 9 ? `word${index}\n- ` : `word${index} `,
);

/** Creates a conversation with a number of messages. */
async function createConversation(count: number): Promise<string> {
  const client = await suite.client();
  const id = String((await client.post("/v1/conversations", { title: `${count} messages` })).body.id);
  const messages = Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? { role: "user", text: question } : { role: "assistant", text },
  );
  while (messages.length > 0)
    await client.post(`/v1/conversations/${id}/messages/import`, { messages: messages.splice(0, 50) });
  return id;
}

/** Opens a conversation with all its messages on the page. */
async function open(id: string, count: number): Promise<{ readonly page: Page; readonly session: CDPSession }> {
  const { page, context } = await suite.visit({ path: `/console/chat/${id}` });
  await page.locator("article.message").first().waitFor();
  // A page that is at its top already has no event of scrolling.
  const load = `[...document.querySelectorAll(".transcript-inner button")].find((button) => button.textContent === "Show earlier messages")?.click(),
    document.querySelectorAll("article.message").length`;
  await expect.poll(() => page.evaluate(load)).toBe(count);
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session };
}

/** Script that waits until an answer has been written and stored. It looks seldom, because it is measured as well. */
const answerEnded = `new Promise((resolve) => {
  const log = document.querySelector(".transcript-inner");
  let hasStarted = false;
  const timer = setInterval(() => {
    const isWriting = !log.lastElementChild.matches(".turns");
    hasStarted ||= isWriting;
    if (!hasStarted || isWriting) return;
    clearInterval(timer);
    resolve();
  }, 100);
})`;

/** Returns the milliseconds of processor time that the script of an action takes on a page. */
async function measure(session: CDPSession, action: () => Promise<void>): Promise<number> {
  const read = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0);
  };
  const before = await read();
  await action();
  return (await read()) - before;
}

it("typing and a streamed answer take as much script with 1,000 messages on the page as with 2", async () => {
  suite.scripted().upstream.script = streamText(streamed, { pauseMs: 5 });
  const counts = [SHORT, LONG];
  const pages = await Promise.all(
    counts.map(async (count) => ({ count, ...(await open(await createConversation(count), count)) })),
  );
  const best = pages.map(() => ({ typing: Number.POSITIVE_INFINITY, answer: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { page, session }] of pages.entries()) {
      await page.bringToFront();
      const field = page.getByRole("textbox", { name: "Message" });
      await field.focus();
      const typing = await measure(session, () =>
        field.pressSequentially("Which rooms open on Mondays at", { delay: 20 }),
      );
      const answer = await measure(session, async () => {
        const ended = page.evaluate(answerEnded);
        await page.keyboard.press("Enter");
        await ended;
      });
      const { typing: bestTyping, answer: bestAnswer } = best[index] ?? { typing, answer };
      best[index] = { typing: Math.min(typing, bestTyping), answer: Math.min(answer, bestAnswer) };
    }
  }
  const [short, long] = best;
  expect(long?.typing).toBeLessThan((short?.typing ?? 0) * MAX_RATIO);
  expect(long?.answer).toBeLessThan((short?.answer ?? 0) * MAX_RATIO);
});
