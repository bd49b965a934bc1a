import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import { saveScreenshot, setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

/** Opens the thread of the last answer, once it is stored: its question has such a button before. */
async function replyToAnswer(page: Page): Promise<void> {
  const answer = page.getByRole("log").getByRole("article", { name: "Answer" }).last();
  await answer.getByRole("button", { name: "Reply in a thread" }).click();
}

it("console shows replies in the thread of a message with their number, also after a reload", async () => {
  suite.scripted().upstream.script = streamText(["The first answer."]);
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill("A question.");
  await page.keyboard.press("Enter");
  await page.getByText("The first answer.").first().waitFor();
  const transcript = page.getByRole("log");
  suite.scripted().upstream.script = streamText(["An answer ", "in the thread."], { pauseMs: 300 });
  await replyToAnswer(page);
  const thread = page.getByRole("complementary", { name: "Thread" });
  await thread.getByText("The first answer.").first().waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Reply");
  await page.keyboard.type("Say more.");
  await page.keyboard.press("Enter");
  await thread.getByText("An answer in the thread.").first().waitFor();
  await thread.getByText("2 replies").waitFor();
  await saveScreenshot(page, "thread");
  expect(await transcript.getByText("Say more.").count()).toBe(0);
  expect(await transcript.getByText("in the thread").count()).toBe(0);

  await page.reload();
  await thread.getByText("An answer in the thread.").first().waitFor();
  await thread.focus();
  await page.keyboard.press("Escape");
  await thread.waitFor({ state: "detached" });
  await transcript.getByRole("button", { name: "2 replies" }).click();
  await thread.getByText("Say more.").first().waitFor();
  expect(pageErrors).toEqual([]);
});

it("console continues an answer in a thread when the page is reloaded in the middle of it", async () => {
  suite.scripted().upstream.script = streamText(["The first answer."]);
  const { page } = await suite.visit();
  await page.getByLabel("Message").fill("A question.");
  await page.keyboard.press("Enter");
  await replyToAnswer(page);
  const words = Array.from({ length: 80 }, (_, index) => `word${index} `);
  suite.scripted().upstream.script = streamText(words, { pauseMs: 40 });
  await page.getByRole("textbox", { name: "Reply" }).fill("Count.");
  await page.keyboard.press("Enter");
  await page.locator(".prose").getByText("word10").first().waitFor();
  await page.reload();
  const thread = page.getByRole("complementary", { name: "Thread" });
  const answer = thread.locator(".message.assistant .prose").last();
  await expect.poll(async () => (await answer.textContent())?.trim()).toBe(words.join("").trim());
  expect(await page.getByRole("log").getByText("word10").count()).toBe(0);
});

it("console shows the first message and the number of all replies of a thread that is loaded in pages", async () => {
  suite.scripted().upstream.script = streamText(["An answer."]);
  const client = await suite.client();
  const conversation_id = await client.createConversation("A long thread");
  const ask = async (content: string, parent_message_id?: string) => {
    const frames = await client.chat({ conversation_id, content, tier: "QUICK", parent_message_id });
    return frames.find(({ event }) => event === "metadata")?.data.message_id as string;
  };
  for (let count = 0; count < 30; count++) await ask(`Earlier question ${count}.`);
  const answerId = await ask("The question with a thread.");
  for (let count = 0; count < 31; count++) await ask(`Reply ${count}.`, answerId);
  const { page, pageErrors } = await suite.visit({ path: `/console/chat/${conversation_id}` });
  const transcript = page.getByRole("log");
  await transcript.getByText("The question with a thread.").first().waitFor();
  // Replies are newer than their message, so all of them are loaded although older messages are not.
  await transcript.getByRole("button", { name: "Show earlier messages" }).waitFor();
  expect(await transcript.getByText("Earlier question 0.").count()).toBe(0);
  await transcript.getByRole("button", { name: "62 replies", exact: true }).waitFor();
  // Scrolling up to the button shows them.
  await transcript.getByRole("button", { name: "Show earlier messages" }).scrollIntoViewIfNeeded();
  await transcript.getByText("Earlier question 0.").waitFor();
  await transcript.getByRole("button", { name: "62 replies", exact: true }).waitFor();
  expect(pageErrors).toEqual([]);
});
