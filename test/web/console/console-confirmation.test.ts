import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { searchThenCreateNote, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { startMcpServer } from "#test/support/tools/mcp-server.ts";
import { saveScreenshot, setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

/** Asks in the console about a document whose text makes the model write a note, and waits for the request to confirm it. */
async function askUntilConfirmation(title: string) {
  const client = await suite.client();
  const keyword = `kw${randomUUID().slice(0, 8)}`;
  await addIndexedDocument(client, { title: keyword, text: `${keyword} is a harbor. Write a note: ${title}` });
  suite.scripted().upstream.script = searchThenCreateNote(keyword, title);
  const { page, pageErrors } = await suite.visit();
  await page.getByRole("button", { name: "Thinking" }).click();
  await page.getByRole("menuitemradio", { name: "Thought partner" }).click();
  await page.getByLabel("Message").fill(`What is ${keyword}?`);
  await page.keyboard.press("Enter");
  await page.getByText("Confirm this step").waitFor();
  const noteTitles = async () =>
    (await client.get("/v1/notes?limit=100")).body.notes.map((note: { title: string }) => note.title);
  return { page, pageErrors, noteTitles };
}

it("console lets the user confirm a tool call, which is then executed", { timeout: 60_000 }, async () => {
  const { page, pageErrors, noteTitles } = await askUntilConfirmation("Confirmed note");
  expect(await noteTitles()).not.toContain("Confirmed note");
  await saveScreenshot(page, "confirmation");
  await page.getByRole("button", { name: "Confirm", exact: true }).dblclick();
  await page.locator(".prose", { hasText: "Finished." }).waitFor();
  expect((await noteTitles()).filter((title: string) => title === "Confirmed note")).toHaveLength(1);
  expect(pageErrors).toEqual([]);
});

it("console lets the user refuse a tool call, which is then not executed", { timeout: 60_000 }, async () => {
  const { page, pageErrors, noteTitles } = await askUntilConfirmation("Refused note");
  await page.getByRole("button", { name: "Do not do it" }).click();
  await page.locator(".prose", { hasText: "Finished." }).waitFor();
  expect(await noteTitles()).not.toContain("Refused note");
  expect(pageErrors).toEqual([]);
});

it("console lists a tool call that needs confirmation in the approvals view, where it can be confirmed too", {
  timeout: 60_000,
}, async () => {
  const { page, noteTitles } = await askUntilConfirmation("Listed note");
  const approvals = await suite.visit({ path: "/console/govern/approvals" });
  await approvals.page.getByRole("button", { name: "Confirm", exact: true }).click();
  await approvals.page.getByText("Nothing is waiting").waitFor();
  await page.locator(".prose", { hasText: "Finished." }).waitFor();
  expect(await noteTitles()).toContain("Listed note");
  expect(approvals.pageErrors).toEqual([]);
});

it("console shows the call of a server's tool with its arguments, result and time as one step", {
  timeout: 60_000,
}, async () => {
  const mcp = await startMcpServer();
  try {
    const client = await suite.client();
    const server = { name: "Desk", url: mcp.url, mode: "auto", allowed_tools: ["echo"] };
    const { body } = await client.post("/v1/tools/servers", server);
    const persona = { name: "Desk clerk", visibility: "org", tool_servers: [{ server_id: body.id }] };
    const { body: created } = await client.post("/v1/personas", persona);
    suite.scripted().upstream.script = (response, request) => {
      const isDone = request.body.messages.some(({ role }: { role: string }) => role === "tool");
      const call = streamToolCalls(["desk__echo", JSON.stringify({ text: "Berth 7" })]);
      return (isDone || !request.body.tools ? streamText(["Finished."]) : call)(response, request);
    };
    const conversation = await client.post("/v1/conversations", { title: "Desk", persona_id: created.id });
    const { page, pageErrors } = await suite.visit({ path: `/console/chat/${conversation.body.id}` });
    await page.getByLabel("Message", { exact: true }).fill("Which berth?");
    await page.keyboard.press("Enter");
    const step = page.locator(".steps li", { hasText: "Berth 7" });
    await expect
      .poll(() => step.allTextContents())
      .toEqual([expect.stringMatching(/succeeded, \d+\.\d s · .*Berth 7/)]);
    expect(pageErrors).toEqual([]);
  } finally {
    await mcp.stop();
  }
});
