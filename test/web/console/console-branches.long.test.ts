import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { saveScreenshot, setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

/** Scripts answers that repeat the question. */
function answerByQuestion(): void {
  suite.scripted().upstream.script = async (response, request) => {
    const last = request.body.messages.findLast(({ role }: { role: string }) => role === "user");
    const question = JSON.stringify(last?.content)
      .match(/(First|Second|Third|Fourth) question\./g)
      ?.at(-1);
    await streamText([`Answer to: ${question ?? "nothing"}`])(response, request);
  };
}

const transcriptOf = async (page: Page) =>
  (await page.getByRole("log").locator(".bubble, .message.assistant .prose").allTextContents()).map((text) =>
    text.trim(),
  );

async function startConversation(questions: readonly string[]): Promise<{ id: string; path: string }> {
  const client = await suite.client();
  const id = await client.createConversation("Branches");
  for (const content of questions) await client.chat({ conversation_id: id, content, tier: "QUICK" });
  return { id, path: `/console/chat/${id}` };
}

it("console asks an edited question again, switches between its versions and continues the older one", async () => {
  answerByQuestion();
  const { id, path } = await startConversation(["First question.", "Second question."]);
  const client = await suite.client();
  const { page, pageErrors } = await suite.visit({ path });
  const transcript = page.getByRole("log");
  const original = ["First question.", "Answer to: First question.", "Second question.", "Answer to: Second question."];
  await expect.poll(() => transcriptOf(page)).toEqual(original);

  await transcript.getByRole("article", { name: "Question" }).first().hover();
  await transcript.getByRole("button", { name: "Edit the question" }).first().click();
  await page.getByRole("textbox", { name: "Question" }).fill("Never sent.");
  await page.keyboard.press("Escape");
  await transcript.getByRole("button", { name: "Edit the question" }).first().click();
  await page.getByRole("textbox", { name: "Question" }).fill("Third question.");
  await page.keyboard.press("Control+Enter");
  const edited = ["Third question.", "Answer to: Third question."];
  await expect.poll(() => transcriptOf(page)).toEqual(edited);
  const versions = page.getByRole("group", { name: "Versions of the question" });
  await versions.getByText("Version 2 of 2").waitFor();

  await versions.getByRole("button", { name: "Previous version" }).click();
  await expect.poll(() => transcriptOf(page)).toEqual(original);
  await saveScreenshot(page, "branches");
  const stored = async () => (await client.get(`/v1/conversations/${id}`)).body.active_message_id;
  const { messages } = (await client.get(`/v1/conversations/${id}/messages`)).body;
  await versions.getByRole("button", { name: "Next version" }).click();
  await expect.poll(() => transcriptOf(page)).toEqual(edited);
  // A reload would abort a choice that is not stored yet.
  await expect.poll(stored).toBe(messages.at(-1).message_id);
  await versions.getByRole("button", { name: "Previous version" }).click();
  await expect.poll(() => transcriptOf(page)).toEqual(original);
  await expect.poll(stored).toBe(messages[3].message_id);
  await page.reload();
  await expect.poll(() => transcriptOf(page)).toEqual(original);

  await page.getByRole("textbox", { name: "Message" }).fill("Fourth question.");
  await page.keyboard.press("Enter");
  const continued = [...original, "Fourth question.", "Answer to: Fourth question."];
  await expect.poll(() => transcriptOf(page)).toEqual(continued);
  await page.getByRole("button", { name: "Copy the answer" }).nth(2).waitFor();
  await expect.poll(stored).toBe(null);
  await page.reload();
  await expect.poll(() => transcriptOf(page)).toEqual(continued);
  await versions.getByText("Version 1 of 2").waitFor();
  expect(pageErrors).toEqual([]);
});

it("console generates an earlier answer of a conversation again, and shows what followed it only with its first version", async () => {
  answerByQuestion();
  const { path } = await startConversation(["First question.", "Second question."]);
  const { page, pageErrors } = await suite.visit({ path });
  await page.getByText("Answer to: Second question.").waitFor();
  suite.scripted().upstream.script = streamText(["Another answer."]);
  await page.getByRole("button", { name: "Answer again" }).first().click();
  await expect.poll(() => transcriptOf(page)).toEqual(["First question.", "Another answer."]);
  const versions = page.getByRole("group", { name: "Versions of the answer" });
  await versions.getByText("Version 2 of 2").waitFor();
  await versions.getByRole("button", { name: "Previous version" }).click();
  await page.getByText("Answer to: Second question.").waitFor();
  await page.reload();
  await versions.getByText("Version 1 of 2").waitFor();
  expect(await transcriptOf(page)).toHaveLength(4);
  expect(pageErrors).toEqual([]);
});

it("console shows a version that a reader chose to this reader only", async () => {
  answerByQuestion();
  const { id, path } = await startConversation(["First question."]);
  const client = await suite.client();
  const { messages } = (await client.get(`/v1/conversations/${id}/messages`)).body;
  await client.chat({ conversation_id: id, content: "Second question.", edit_message_id: messages[0].message_id });
  const reader = await createColleague(client);
  await shareConversation(client, id, reader, "WRITE");
  const identity = { user: reader.identity.user, roles: "member" };
  const { page, pageErrors } = await suite.visit({ path, identity });
  await page.getByText("Version 2 of 2").waitFor();
  await page.getByRole("button", { name: "Previous version" }).click();
  const original = ["First question.", "Answer to: First question."];
  await expect.poll(() => transcriptOf(page)).toEqual(original);
  expect((await client.get(`/v1/conversations/${id}`)).body.active_message_id ?? null).toBe(null);
  await page.getByRole("textbox", { name: "Message" }).fill("Third question.");
  await page.keyboard.press("Enter");
  const continued = [...original, "Third question.", "Answer to: Third question."];
  await expect.poll(() => transcriptOf(page)).toEqual(continued);
  await page.reload();
  await expect.poll(() => transcriptOf(page)).toEqual(continued);
  expect(pageErrors).toEqual([]);
});

it("console loads the earlier versions of a question that are on older pages", async () => {
  answerByQuestion();
  const { id, path } = await startConversation(Array.from({ length: 32 }, () => "First question."));
  const client = await suite.client();
  const { messages } = (await client.get(`/v1/conversations/${id}/messages?limit=1`)).body;
  await client.chat({ conversation_id: id, content: "Second question.", edit_message_id: messages[0].message_id });
  const { page, pageErrors } = await suite.visit({ path });
  const versions = page.getByRole("group", { name: "Versions of the question" });
  await versions.getByText("Version 2 of 2").waitFor();
  expect(await transcriptOf(page)).toEqual(["Second question.", "Answer to: Second question."]);
  await versions.getByRole("button", { name: "Previous version" }).click();
  await expect.poll(async () => (await transcriptOf(page)).length).toBe(64);
  // The transcript is loaded again with its newest page, and then as far as the chosen branch reaches.
  await page.reload();
  await page.getByText("Answer to: First question.").first().waitFor();
  expect(await transcriptOf(page)).not.toContain("Second question.");
  expect(pageErrors).toEqual([]);
});

it("console edits a question in a thread, returns to its older version and continues the thread from there", async () => {
  answerByQuestion();
  const { id, path } = await startConversation(["First question."]);
  const client = await suite.client();
  const { messages } = (await client.get(`/v1/conversations/${id}/messages`)).body;
  const rootId = messages[1].message_id;
  await client.chat({ conversation_id: id, content: "Second question.", parent_message_id: rootId });
  const { page, pageErrors } = await suite.visit({ path: `${path}?thread=${rootId}` });
  const thread = page.getByRole("complementary", { name: "Thread" });
  const bubbles = () => thread.locator(".bubble").allTextContents();
  await thread.getByText("Answer to: Second question.").first().waitFor();
  await thread.getByRole("article", { name: "Question" }).hover();
  await thread.getByRole("button", { name: "Edit the question" }).click();
  await thread.getByRole("textbox", { name: "Question" }).fill("Third question.");
  await thread.getByRole("button", { name: "Send", exact: true }).first().click();
  await thread.getByText("Version 2 of 2").waitFor();
  expect(await bubbles()).toEqual(["Third question."]);
  await thread.getByRole("button", { name: "Previous version" }).click();
  await expect.poll(bubbles).toEqual(["Second question."]);
  await thread.getByRole("textbox", { name: "Reply" }).fill("Fourth question.");
  await page.keyboard.press("Enter");
  await thread.getByText("Answer to: Fourth question.").first().waitFor();
  await expect.poll(bubbles).toEqual(["Second question.", "Fourth question."]);
  expect(await page.getByRole("log").locator(".bubble").allTextContents()).toEqual(["First question."]);
  expect(pageErrors).toEqual([]);
});

it("console shows questions and answers that another device writes, without a reload", async () => {
  answerByQuestion();
  const { id, path } = await startConversation(["First question."]);
  const { page, pageErrors } = await suite.visit({ path });
  await expect.poll(() => transcriptOf(page)).toEqual(["First question.", "Answer to: First question."]);
  const client = await suite.client();
  await client.chat({ conversation_id: id, content: "Second question.", tier: "QUICK" });
  await expect
    .poll(() => transcriptOf(page))
    .toEqual(["First question.", "Answer to: First question.", "Second question.", "Answer to: Second question."]);
  expect(pageErrors).toEqual([]);
});
