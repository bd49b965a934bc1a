import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { type Script, searchThenCreateNote, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";
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

it("console lets the user confirm a tool call, which is then executed", async () => {
  const { page, pageErrors, noteTitles } = await askUntilConfirmation("Confirmed note");
  expect(await noteTitles()).not.toContain("Confirmed note");
  await saveScreenshot(page, "confirmation");
  await page.getByRole("button", { name: "Confirm", exact: true }).dblclick();
  await page.locator(".prose", { hasText: "Finished." }).waitFor();
  expect((await noteTitles()).filter((title: string) => title === "Confirmed note")).toHaveLength(1);
  expect(pageErrors).toEqual([]);
});

it("console lets the user refuse a tool call, which is then not executed", async () => {
  const { page, pageErrors, noteTitles } = await askUntilConfirmation("Refused note");
  await page.getByRole("button", { name: "Do not do it" }).click();
  await page.locator(".prose", { hasText: "Finished." }).waitFor();
  expect(await noteTitles()).not.toContain("Refused note");
  expect(pageErrors).toEqual([]);
});

it("console lists a tool call that needs confirmation in the approvals view, where it can be confirmed too", async () => {
  const { page, noteTitles } = await askUntilConfirmation("Listed note");
  const approvals = await suite.visit({ path: "/console/operate/approvals" });
  await approvals.page.getByRole("button", { name: "Confirm", exact: true }).click();
  await approvals.page.getByText("Nothing is waiting").waitFor();
  await page.locator(".prose", { hasText: "Finished." }).waitFor();
  expect(await noteTitles()).toContain("Listed note");
  expect(approvals.pageErrors).toEqual([]);
});

it("console shows the call of a server's tool with its arguments, result and time as a card", async () => {
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
    const card = page.locator(".tool-call", { hasText: "Desk: echo" });
    await expect
      .poll(() => card.allTextContents())
      .toEqual([expect.stringMatching(/succeeded, \d+\.\d s.*Berth 7.*Result.*Berth 7/)]);
    expect(pageErrors).toEqual([]);
  } finally {
    await mcp.stop();
  }
});

it("console adds a tool server after a check, changes the mode of a tool, and tries the tool", async () => {
  const mcp = await startMcpServer();
  const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  mcp.tools = [toolDefinition("echo", { inputSchema })];
  try {
    const { page, pageErrors } = await suite.visit({ path: "/console/assistants/tools" });
    await page.getByRole("button", { name: "New server" }).first().click();
    await page.getByLabel("Name").fill("Echoes");
    await page.getByLabel("Address").fill(mcp.url);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("1 tool found").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByLabel("Mode").selectOption("approve");
    await page.getByText("Saved.").waitFor();
    const id = page.url().split("/").at(-1);
    const client = await suite.client();
    expect((await client.get(`/v1/tools/servers/${id}`)).body.tool_modes).toEqual({ echo: "approve" });
    await page.getByRole("button", { name: "Try it" }).click();
    const field = page.getByLabel("text *");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("This must not be empty.").waitFor();
    expect(await field.evaluate((each) => each === document.activeElement)).toBe(true);
    await field.fill("Ahoy");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("dialog").getByText("succeeded").waitFor();
    expect(await page.getByRole("dialog").locator("pre").textContent()).toContain("Ahoy");
    expect(pageErrors).toEqual([]);
    await client.delete(`/v1/tools/servers/${id}`);
  } finally {
    await mcp.stop();
  }
});

/** Lets the model answer, and then propose these changes of the memories. */
const proposing =
  (changes: readonly unknown[]): Script =>
  (response, request) => {
    const isExtraction = String(request.body.messages[0].content).startsWith(
      "You maintain what an assistant remembers",
    );
    return streamText([isExtraction ? JSON.stringify({ changes }) : "Noted."])(response, request);
  };

/** Removes all memories of the console's user, and adds one. */
async function replaceMemories(text: string) {
  const client = await suite.client();
  const list = async (status = "active") =>
    (await client.get(`/v1/memories?status=${status}`)).body.memories as { id: string; text: string }[];
  for (const status of ["active", "proposed"]) {
    for (const { id } of await list(status)) await client.delete(`/v1/memories/${id}`);
  }
  await client.post("/v1/memories", { text, category: "profile" });
  return async (status?: string) => (await list(status)).map((memory) => memory.text);
}

async function tell(message: string) {
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill(message);
  await page.keyboard.press("Enter");
  return { page, proposal: page.locator(".proposal"), pageErrors };
}

it("console stores a proposed memory, in place of the one that it contradicts, only if the user accepts it", async () => {
  const list = await replaceMemories("I live in Graz");
  suite.scripted().upstream.script = proposing([{ op: "update", memory: 1, text: "I moved to Linz" }]);
  const { proposal, pageErrors } = await tell("I moved to Linz with my family.");
  await proposal.getByText("Remember this instead?").waitFor();
  await proposal.getByText("It replaces: I live in Graz").waitFor();
  expect(await list()).toEqual(["I live in Graz"]);
  await proposal.getByRole("button", { name: "Remember", exact: true }).click();
  await proposal.getByText("Remembered").waitFor();
  expect(await list()).toEqual(["I moved to Linz"]);
  expect(pageErrors).toEqual([]);
});

it("console keeps a decision on a proposal when the stored answer replaces the streamed one", async () => {
  await replaceMemories("I live in Graz");
  suite.scripted().upstream.script = proposing([{ op: "add", text: "I play the oboe" }]);
  const { page, pageErrors } = await suite.visit();
  const answer = Promise.withResolvers<void>();
  let areMessagesHeld = false;
  await page.route(/\/v1\/conversations\/[^/]+\/messages/, async (route) => {
    if (areMessagesHeld) await answer.promise;
    await route.continue();
  });
  await page.getByLabel("Message").fill("I play the oboe.");
  await page.keyboard.press("Enter");
  areMessagesHeld = true;
  const proposal = page.locator(".proposal");
  await proposal.getByRole("button", { name: "Remember", exact: true }).click();
  await proposal.getByText("Remembered").waitFor();
  expect(await page.getByRole("button", { name: "Copy the answer" }).count()).toBe(0);
  answer.resolve();
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  expect(await proposal.allTextContents()).toEqual([expect.stringContaining("Remembered")]);
  expect(pageErrors).toEqual([]);
});

it("console deletes a proposed memory that the user refuses", async () => {
  const list = await replaceMemories("I live in Graz");
  suite.scripted().upstream.script = proposing([{ op: "add", text: "I play the cello" }]);
  const { proposal } = await tell("I play the cello.");
  await proposal.getByRole("button", { name: "No", exact: true }).click();
  await proposal.getByText("Not remembered").waitFor();
  expect([await list(), await list("proposed")]).toEqual([["I live in Graz"], []]);
});

it.each([
  ["Keep", "Kept", ["I play chess"]],
  ["Forget", "Forgotten", []],
])(
  "console asks whether to forget a memory that no longer holds, and does what the button %s says",
  async (answer, result, rest) => {
    const list = await replaceMemories("I play chess");
    suite.scripted().upstream.script = proposing([{ op: "delete", memory: 1 }]);
    const { proposal, pageErrors } = await tell("I no longer play chess.");
    await proposal.getByText("Forget this?").waitFor();
    expect(await list()).toEqual(["I play chess"]);
    await proposal.getByRole("button", { name: answer, exact: true }).click();
    await proposal.getByText(result, { exact: true }).waitFor();
    expect(await list()).toEqual(rest);
    expect(pageErrors).toEqual([]);
  },
);

it("console imports a web page, says why it failed, tries again and deletes the import", async () => {
  const client = await suite.client();
  const { body: collection } = await client.post("/v1/knowledge/collections", { name: "Web", readers: ["tenant"] });
  const { page, pageErrors } = await suite.visit({ path: `/console/knowledge/${collection.id}` });
  await page.getByRole("tab", { name: "Web pages" }).click();
  await page.getByLabel("Address of a public web page or sitemap").fill(`${suite.service.baseUrl}/health`);
  await page.getByRole("button", { name: "Import page" }).click();
  const row = page.getByRole("row", { name: "/health" });
  await row.getByText("failed", { exact: true }).waitFor();
  await row.getByText("not on the public internet").waitFor();
  const imports = async () => (await client.get(`/v1/knowledge/collections/${collection.id}/imports`)).body.imports;
  const retried = page.waitForResponse(/\/retry$/);
  await row.getByRole("button", { name: "Retry" }).click();
  expect((await retried).status()).toBe(200);
  await row.getByText("failed", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  expect(await imports()).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console remembers a confirmation for the conversation, lists it, and asks again after it was withdrawn", async () => {
  const mcp = await startMcpServer();
  try {
    const client = await suite.client();
    const { body } = await client.post("/v1/tools/servers", { name: "Locks", url: mcp.url, mode: "confirm" });
    const persona = { name: "Lock keeper", visibility: "org", tool_servers: [{ server_id: body.id }] };
    const { body: created } = await client.post("/v1/personas", persona);
    suite.scripted().upstream.script = (response, request) => {
      const isDone = request.body.messages.at(-1).role === "tool";
      const script =
        isDone || !request.body.tools ? streamText(["Opened."]) : streamToolCalls(["locks__echo", '{"text":"1"}']);
      return script(response, request);
    };
    const conversation = await client.post("/v1/conversations", { title: "Lock", persona_id: created.id });
    const { page, pageErrors } = await suite.visit({ path: `/console/chat/${conversation.body.id}` });
    const answers = page.locator(".prose", { hasText: "Opened." });
    const ask = async () => {
      await page.getByLabel("Message", { exact: true }).fill("Open the lock");
      await page.keyboard.press("Enter");
    };
    await ask();
    const remember = page.getByRole("button", { name: "Confirm for this conversation" });
    await remember.waitFor();
    expect(await page.getByRole("button", { name: "Always confirm" }).count()).toBe(0);
    await saveScreenshot(page, "consent");
    await remember.click();
    await expect.poll(() => answers.count()).toBe(1);
    await ask();
    await expect.poll(() => answers.count()).toBe(2);
    await page.goto(`${suite.service.baseUrl}/console/account/consents`);
    const row = page.getByRole("row", { name: /Locks: echo.*Lock keeper.*Lock/ });
    await row.waitFor();
    await saveScreenshot(page, "consents");
    await row.getByRole("button", { name: "Ask me again" }).click();
    await row.waitFor({ state: "detached" });
    await page.goto(`${suite.service.baseUrl}/console/chat/${conversation.body.id}`);
    await ask();
    await page.getByRole("button", { name: "Do not do it" }).click();
    expect(pageErrors).toEqual([]);
  } finally {
    await mcp.stop();
  }
});

it("console shows the question of a tool server as a form, whose answer continues the reply", async () => {
  const mcp = await startMcpServer();
  const properties = {
    name: { type: "string", title: "Name of the ship" },
    kind: { type: "string", enum: ["tug", "ferry"] },
  };
  const question = { message: "Which ship?", requestedSchema: { type: "object", properties, required: ["name"] } };
  mcp.call = () => {
    const { inputResponses } = mcp.requests.at(-1)?.message.params ?? {};
    if (inputResponses) return { content: [{ type: "text", text: JSON.stringify(inputResponses) }] };
    return {
      resultType: "input_required",
      inputRequests: { ship: { method: "elicitation/create", params: question } },
    };
  };
  try {
    const client = await suite.client();
    const server = { name: "Quay", url: mcp.url, mode: "auto", allowed_tools: ["echo"] };
    const { body } = await client.post("/v1/tools/servers", server);
    const persona = { name: "Quay clerk", visibility: "org", tool_servers: [{ server_id: body.id }] };
    const { body: created } = await client.post("/v1/personas", persona);
    suite.scripted().upstream.script = (response, request) => {
      const isDone = request.body.messages.some(({ role }: { role: string }) => role === "tool");
      const script = isDone || !request.body.tools ? streamText(["Finished."]) : streamToolCalls(["quay__echo", "{}"]);
      return script(response, request);
    };
    const conversation = await client.post("/v1/conversations", { title: "Quay", persona_id: created.id });
    const { page, pageErrors } = await suite.visit({ path: `/console/chat/${conversation.body.id}` });
    await page.getByLabel("Message", { exact: true }).fill("Register a ship");
    await page.keyboard.press("Enter");
    await page.getByText("Quay asks").waitFor();
    await page.getByLabel("Name of the ship").fill("Sea Rose");
    await page.getByLabel("kind").selectOption("tug");
    await saveScreenshot(page, "question");
    await page.getByRole("button", { name: "Send answers" }).click();
    await page.locator(".prose", { hasText: "Finished." }).waitFor();
    expect(mcp.requests.at(-1)?.message.params.inputResponses).toEqual({
      ship: { action: "accept", content: { name: "Sea Rose", kind: "tug" } },
    });
    expect(pageErrors).toEqual([]);
  } finally {
    await mcp.stop();
  }
});
