import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { cutAfter, errorResponse, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";
import { findLayoutProblems, saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite({
  RATE_LIMIT_EMBED_SESSION: "500",
  TOOL_PRIVATE_RANGES: "127.0.0.0/8,::1/128",
});

/** Creates a website with a chat, a session without a message and a hand-over, and returns the path of its visitors. */
async function createVisitedSite() {
  suite.scripted().upstream.script = streamText(["Yes, we do."]);
  const client = await suite.client();
  const site = await createSite(client, { persona: { tier: "QUICK" }, handover: {} });
  const session = await site.createSession();
  await site.sendMessage(session, "Do you ship bicycles?", { accept: "application/json" });
  await site.createSession();
  await site.request("PUT", `/v1/embed/sessions/${await site.createSession()}/handover`, {});
  const path = `/v1/tenant/embed-keys/${site.key.id}/statistics`;
  await vi.waitFor(
    async () => {
      const { totals } = (await client.get(path)).body;
      expect(totals).toMatchObject({ opens: 3, chats: 2, handed_over: 1 });
      expect(totals.cost_usd).toBeGreaterThan(0);
    },
    { timeout: 180_000, interval: 50 },
  );
  return { site, path: `/console/assistants/widget/${site.key.id}` };
}

it("console shows the figures of a website as a chart of the chosen measure and as a table by day", async () => {
  const { path } = await createVisitedSite();
  const { page, pageErrors } = await suite.visit({ path });
  await page.getByRole("tab", { name: "Figures" }).click();
  await page.getByRole("img", { name: "Chats: 2", exact: true }).waitFor();
  await page.getByLabel("Measure").selectOption("Opened");
  await page.getByRole("img", { name: "Opened: 3", exact: true }).waitFor();
  await page.getByLabel("Measure").selectOption("Waiting time");
  await page.getByRole("img", { name: "Waiting time: 0 sec", exact: true }).waitFor();
  const rows = page.getByRole("row");
  await expect.poll(() => rows.count()).toBe(31);
  await page.getByLabel("Period").selectOption("7 days");
  await expect.poll(() => rows.count()).toBe(8);
  const values = await rows.nth(1).getByRole("cell").allTextContents();
  expect(values.slice(1, 8)).toEqual(["3", "2", "1", "1", "–", "0", "0"]);
  await saveScreenshot(page, "widget-figures");
  expect(await findLayoutProblems(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console shows the calls of tools in the session of a visitor", async () => {
  const mcp = await startMcpServer();
  try {
    mcp.tools = [toolDefinition("find_order", { title: "Find an order" })];
    const client = await suite.client();
    const server = { name: "Orders", url: mcp.url, mode: "auto", trusted_tools: ["find_order"] };
    const { id: server_id } = (await client.post("/v1/tools/servers", server)).body;
    const tools = [{ server_id, tools: ["find_order"], visitors: "anyone" }];
    const site = await createSite(client, { persona: { tier: "THINKING" }, tools });
    const scripts = [streamToolCalls(["orders__find_order", "{}"]), streamText(["It is on its way."])];
    suite.scripted().upstream.script = (response, request) =>
      ((request.body.tools && scripts.shift()) || streamText(["Done."]))(response, request);
    const session = await site.createSession();
    await site.sendMessage(session, "Where is my order?", { accept: "application/json" });
    const { page, pageErrors } = await suite.visit({ path: `/console/assistants/widget/${site.key.id}` });
    await page.getByRole("button", { name: "Where is my order?" }).click();
    await page.getByText("Find an order: succeeded").waitFor();
    expect(pageErrors).toEqual([]);
  } finally {
    await mcp.stop();
  }
});

it("console shows the figures of a website in Arabic from right to left on a phone", async () => {
  const { path } = await createVisitedSite();
  const { page, pageErrors } = await suite.visit({
    ...{ path, locale: "ar", colorScheme: "dark" },
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole("tab", { name: "الأرقام" }).click();
  await page.locator(".chart canvas").waitFor();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe("rtl");
  const { width } = (await page.locator(".chart").boundingBox()) ?? { width: 0 };
  expect(width).toBeLessThan(360);
  await saveScreenshot(page, "widget-figures-ar");
  expect(await findLayoutProblems(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console saves all sessions of a website as one CSV file, also if they are several pages", async () => {
  const { site, path } = await createVisitedSite();
  await Promise.all(Array.from({ length: 50 }, () => site.createSession()));
  const { page, pageErrors } = await suite.visit({ path });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(54);
  expect(lines.filter((line) => line.startsWith("session_id,"))).toHaveLength(1);
  expect(pageErrors).toEqual([]);
});

/** Creates a hand-over in which a person answered a question, and returns its id. */
async function createAnsweredHandover(): Promise<string> {
  const client = await suite.client();
  await client.post("/v1/knowledge/collections", { name: `Answers ${Date.now()}`, readers: ["tenant"] });
  const site = await createSite(client, { persona: { tier: "QUICK" }, handover: {} });
  const session = await site.createSession();
  await site.request("PUT", `/v1/embed/sessions/${session}/handover`, {});
  await site.sendMessage(session, "I am Anna. Can I have bikes sent to Iceland?", { accept: "application/json" });
  const { handovers } = (await client.get("/v1/handovers?limit=100")).body;
  const { id } = handovers.find(({ key_id }: { key_id: string }) => key_id === site.key.id);
  await client.patch(`/v1/handovers/${id}`, { status: "claimed" });
  await client.post(`/v1/handovers/${id}/messages`, { content: "Hello Anna! Yes, for 40 euros, in 9 days." });
  await client.patch(`/v1/handovers/${id}`, { status: "closed" });
  return id;
}

it("console rewrites the answer of a person with the model, names what differs, and stores the text that the reviewer chose", async () => {
  const id = await createAnsweredHandover();
  const { upstream } = suite.scripted();
  upstream.script = streamText(["Do you ship bicycles to Iceland?\n", "Yes, for 45 euros. It takes 9 days."]);
  const { page, pageErrors } = await suite.visit({ path: `/console/operate/visitors/${id}` });
  await page.getByRole("button", { name: "Make a document of the answer" }).click();
  const dialog = page.getByRole("dialog");
  const [title, text] = [dialog.getByLabel("Question"), dialog.getByLabel("Answer", { exact: true })];
  upstream.requests.length = 0;
  await dialog.getByRole("button", { name: "Rewrite with the model" }).click();
  await dialog.getByText("Not in the conversation").waitFor();
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
    "Yes, for 45 euros.",
    "Yes, for 40 euros, in 9 days.",
  ]);
  expect(JSON.stringify(upstream.requests[0]?.body.messages)).toContain("for 40 euros");
  expect(await text.inputValue()).toBe("Hello Anna! Yes, for 40 euros, in 9 days.");
  const choose = (name: string) =>
    dialog.getByRole("region", { name }).getByRole("button", { name: "Use this text" }).click();
  await choose("Rewriting");
  await expect.poll(() => title.inputValue()).toBe("Do you ship bicycles to Iceland?");
  await choose("Original");
  await expect.poll(() => text.inputValue()).toBe("Hello Anna! Yes, for 40 euros, in 9 days.");
  await choose("Rewriting");
  await saveScreenshot(page, "answer-rewriting");
  expect(await findLayoutProblems(page)).toEqual([]);
  const client = await suite.client();
  const listDocuments = async () => {
    const { collections } = (await client.get("/v1/knowledge/collections")).body;
    const pages = await Promise.all(
      collections.map((each: { id: string }) => client.get(`/v1/knowledge/collections/${each.id}/documents`)),
    );
    return pages.flatMap(({ body }) => body.documents.map((document: { title: string }) => document.title));
  };
  expect(await listDocuments()).toEqual([]);
  await dialog.getByRole("button", { name: "Answer", exact: true }).click();
  await expect.poll(listDocuments).toEqual(["Do you ship bicycles to Iceland?"]);
  expect((await client.get("/v1/conversations")).body.conversations).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console keeps the answer of a person when the model fails to rewrite it, and says so", async () => {
  const id = await createAnsweredHandover();
  suite.scripted().upstream.script = streamText(["I cannot do that."]);
  const { page } = await suite.visit({ path: `/console/operate/visitors/${id}` });
  await page.getByRole("button", { name: "Make a document of the answer" }).click();
  const dialog = page.getByRole("dialog");
  const rewrite = dialog.getByRole("button", { name: "Rewrite with the model" });
  await rewrite.click();
  await page.getByText("The model wrote no question and answer").waitFor();
  suite.scripted().upstream.script = errorResponse(400, "The request is not valid.");
  await rewrite.click();
  await page.getByText("The model did not answer").waitFor();
  suite.scripted().upstream.script = cutAfter({ content: "Do you deliver?\nYes, for 40 euros, and" });
  await rewrite.click();
  await page.getByText("This answer reached its maximum length.").waitFor();
  await expect.poll(() => rewrite.isEnabled()).toBe(true);
  expect(await dialog.getByLabel("Answer", { exact: true }).inputValue()).toContain("for 40 euros");
  expect(await dialog.getByRole("region", { name: "Rewriting" }).count()).toBe(0);
});

/** Creates a website with unanswered questions of two topics and two collections, and returns their names and the path. */
async function createUnansweredSite() {
  const { upstream } = suite.scripted();
  upstream.script = streamText(["I don't know that."]);
  const client = await suite.client();
  const [nearest, other] = ["Shipping", "Opening hours"].map((name) => `${name} ${Date.now()}`) as [string, string];
  const collectionIds: string[] = [];
  // The latest is the first choice of the form.
  for (const name of [nearest, other]) {
    const { id } = (await client.post("/v1/knowledge/collections", { name, readers: ["tenant"] })).body;
    collectionIds.push(id);
  }
  const persona = { tier: "QUICK", collection_ids: collectionIds };
  const site = await createSite(client, { persona, handover: null });
  const text = "Shipping. We ship bicycles to Norway.";
  await addIndexedDocument(client, { title: "Shipping of bicycles", text }, collectionIds[0]);
  const session = await site.createSession();
  const questions = [
    "Do you ship bicycles to Iceland?",
    "How long does shipping bicycles take?",
    "Is the jacket vegan?",
  ];
  for (const question of questions) await site.sendMessage(session, question, { accept: "application/json" });
  const path = `/v1/tenant/embed-keys/${site.key.id}/questions`;
  await vi.waitFor(async () => expect((await client.get(path)).body.questions).toHaveLength(3), {
    timeout: 180_000,
    interval: 50,
  });
  return { client, collectionIds, nearest, path, view: `/console/assistants/widget/${site.key.id}` };
}

it("console shows unanswered questions by topic, and one document in the nearest collection answers a topic", async () => {
  const { client, collectionIds, nearest, path, view } = await createUnansweredSite();
  const { page, pageErrors } = await suite.visit({ path: view });
  await page.getByRole("tab", { name: "Unanswered questions" }).click();
  const topic = page.getByRole("row").filter({ hasText: "2 times" });
  await topic.getByRole("link", { name: nearest }).waitFor();
  expect(await page.getByRole("row").count()).toBe(3);
  const [shipping, duration] = ["Do you ship bicycles to Iceland?", "How long does shipping bicycles take?"];
  await saveScreenshot(page, "widget-topics");
  await topic.getByRole("button", { name: "1 more question" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("listitem").first().waitFor();
  await saveScreenshot(page, "widget-topic");
  await dialog.getByRole("listitem").filter({ hasText: shipping }).getByRole("button", { name: "Answer" }).click();
  await expect.poll(() => dialog.getByLabel("Question").inputValue()).toBe(shipping);
  expect(await dialog.getByText("Also marked as answered").count()).toBe(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await topic.locator("td.actions").getByRole("button", { name: "Answer" }).click();
  await dialog.getByText(`Also marked as answered: ${shipping}`).waitFor();
  await expect.poll(() => dialog.getByLabel("Collection").inputValue()).toBe(collectionIds[0]);
  await dialog.getByLabel("Answer", { exact: true }).fill("By sea, in nine days.");
  await saveScreenshot(page, "widget-topic-answer");
  expect(await findLayoutProblems(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Answer", exact: true }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  const { questions } = (await client.get(`${path}?status=answered`)).body;
  expect(questions).toMatchObject([duration, shipping].map((question) => ({ question, status: "answered" })));
  expect(questions[0].document).toEqual({ collection_id: collectionIds[0], document_id: expect.any(String) });
  expect(questions[1].document).toEqual(questions[0].document);
  await page.getByRole("tab", { name: "Answered questions", exact: true }).click();
  await page.getByRole("row").filter({ hasText: shipping }).getByRole("button", { name: "Reopen" }).click();
  await page.getByRole("row").filter({ hasText: shipping }).waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});

it("console shows the topics of unanswered questions in the dark on a phone", async () => {
  const { view } = await createUnansweredSite();
  const viewport = { width: 360, height: 740 };
  const { page, pageErrors } = await suite.visit({ path: view, colorScheme: "dark", viewport });
  await page.getByRole("tab", { name: "Unanswered questions" }).click();
  const more = page.getByRole("button", { name: "1 more question" });
  await more.waitFor();
  await saveScreenshot(page, "widget-topics-dark-phone");
  await more.click();
  await page.getByRole("dialog").getByRole("button", { name: "Answer" }).first().waitFor();
  await saveScreenshot(page, "widget-topic-dark-phone");
  expect(await findLayoutProblems(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});
