import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { type Script, streamText } from "#test/support/models/upstream.ts";
import { persona, setUpWidgetSuite } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

it("script of the website widget loads at most 10 KB until the launcher is usable, 22 KB until the panel is and 46 KB for Markdown, and may be cached publicly", async () => {
  const sizes: number[] = [];
  for (const path of ["widget.js", "widget/panel.js", "widget/texts-de.js", "widget/markdown.js"]) {
    const response = await fetch(`${suite.service.baseUrl}/v1/embed/${path}`);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("public");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const script = await response.text();
    sizes.push(gzipSync(script, { level: 9 }).length);
    // Scripts of old pages replace this method of arrays by one that returns an array.
    expect(script).not.toMatch(/\.entries\(\)/);
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
  }
  console.log(`widget: ${sizes.join(" + ")} bytes with gzip`);
  expect(sizes[0]).toBeLessThanOrEqual(10_240);
  expect(sizes.slice(0, 3).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(22_528);
  expect(sizes[3]).toBeLessThanOrEqual(47_104);
  expect((await fetch(`${suite.service.baseUrl}/v1/embed/widget/texts-xx.js`)).status).toBe(404);
});

it("script of the website widget provides methods and events to the page", async () => {
  const { page, panel, messages, waitForAnswer } = await suite.visit();
  suite.upstream.script = streamText(["All done."]);
  await page.evaluate(`
      window.heard = [];
      for (const name of ["open", "close", "ready", "message", "error"])
        assistantChat.on(name, (detail) => heard.push([name, detail?.role ?? detail?.persona?.name ?? null, detail?.text ?? null]));
      window.unheard = [];
      assistantChat.on("open", () => unheard.push("open"))();
      assistantChat.send("From the page");
    `);
  await waitForAnswer("All done.");
  await page.evaluate("assistantChat.close()");
  expect(await panel.isVisible()).toBe(false);
  expect(await page.evaluate("heard")).toEqual([
    ["open", null, null],
    ["ready", "Ada", null],
    ["message", "user", "From the page"],
    ["message", "assistant", "All done."],
    ["close", null, null],
  ]);
  expect(await page.evaluate("unheard")).toEqual([]);
  await page.evaluate("assistantChat.destroy()");
  expect(await page.locator("assistant-chat").count()).toBe(0);
  expect(await messages.count()).toBe(0);
});

it("script of the website widget renders the chat in an element that the page adds", async () => {
  const { page, site, pageErrors } = await suite.visit();
  await page.evaluate((key) => {
    document.querySelector("assistant-chat")?.remove();
    const element = document.createElement("assistant-chat");
    element.setAttribute("embed-key", key);
    document.body.append(element);
  }, site.key.key);
  await page.locator("assistant-chat .launcher").click();
  await page.locator("assistant-chat").getByText(persona.greeting).waitFor();
  expect(pageErrors).toEqual([]);
});

it("script of the website widget works on a page whose scripts add methods to arrays and strings", async () => {
  const form = { fields: [{ name: "name", label: "Your name" }] };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, form, attachments: true });
  const { page, launcher, panel, input, waitForAnswer, pageErrors } = await suite.visit({ site });
  await page.addInitScript(`
    Object.prototype.extend = function () {};
    Array.prototype.toJSON = function () { return "[" + this.map((each) => JSON.stringify(each)) + "]"; };
    String.prototype.toJSON = function () { return '"' + this + '"'; };
    Array.prototype.entries = Array.prototype.toArray = function () { return this.slice(); };
    Array.from = (list) => list.toArray?.() ?? Object.values(list);
    Element.prototype.remove = function () { this.parentNode.removeChild(this); return this; };
  `);
  await page.reload();
  await expect.poll(() => page.evaluate("localStorage.length")).toBe(1);
  // The form of the second visit is that of the browser's storage.
  await page.reload();
  await launcher.click();
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Start the chat" }).click();
  await input.waitFor();
  const file = { name: "order.txt", mimeType: "text/plain", buffer: Buffer.from("Order A-17") };
  await panel.locator("input[type=file]").setInputFiles(file);
  await panel.locator(".files").getByText("order.txt", { exact: true }).waitFor();
  suite.upstream.script = streamText(["Parcel **A-17** [1] is on its way."]);
  await input.fill('Say "when"');
  await expect.poll(() => panel.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
  await input.press("Enter");
  await waitForAnswer("Parcel A-17 [1] is on its way.");
  const prompt: string = suite.upstream.requests.at(-1)?.body.messages.at(-1).content;
  expect(prompt).toContain("Order A-17");
  expect(prompt).toContain('Say "when"');
  expect(prompt).not.toContain('"Say');
  expect(pageErrors).toEqual([]);
});

it("data that the website widget receives contains only what the widget shows", async () => {
  const secret = "HOUSE-RULES-OF-ADA";
  const collection = await suite.admin.post("/v1/knowledge/collections", { name: "Wire", readers: ["tenant"] });
  const documents = `/v1/knowledge/collections/${collection.body.id}/documents`;
  const createdResponse = await suite.admin.post(documents, {
    title: "Zeppelins",
    // Visitors see the quoted part of a passage, but not the rest of it.
    text: `Zeppelins fly slowly. ${"They rarely land on water. ".repeat(30)}SOURCE-TEXT-ZEPPELIN`,
  });
  await expect
    .poll(async () => (await suite.admin.get(`${documents}/${createdResponse.body.id}`)).body.status)
    .toBe("ready");
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona: {
      ...persona,
      instructions: secret,
      tier: "THOUGHT_PARTNER",
      tools: ["calculate", "search_knowledge"],
      collection_ids: [collection.body.id],
    },
  });
  const { page, open, send, waitForAnswer } = await suite.visit({ site });
  // Records every byte that scripts of the page can read.
  await page.addInitScript(() => {
    const received: string[] = [];
    const originalFetch = window.fetch;
    const record = async (response: Response, index: number) => {
      const text = response.clone().body?.pipeThrough(new TextDecoderStream());
      for await (const part of text ?? []) received[index] += part;
    };
    const recordingFetch: typeof fetch = async (...request) => {
      const response = await originalFetch(...request);
      record(response, received.push("") - 1).catch(() => {});
      return response;
    };
    Object.assign(window, { received, fetch: recordingFetch });
  });
  const readReceived = async () => (await page.evaluate<string[]>("received")).join("\n");
  await page.reload();
  suite.upstream.script = streamToolCallAndAnswer(
    '{"expression":"17 * 3 + TOOL-ARGUMENT"}',
    "Zeppelins fly slowly [1].",
  );
  const requestsBefore = suite.upstream.requests.length;
  await open();
  await send("How do zeppelins fly?");
  await waitForAnswer("Zeppelins fly slowly");
  await expect.poll(readReceived).toContain("event: done");
  const streamed = await readReceived();
  await page.reload();
  await waitForAnswer("Zeppelins fly slowly");
  await expect.poll(readReceived).toContain("Zeppelins fly slowly");
  const bytes = `${streamed}\n${await readReceived()}`;
  const prompts = JSON.stringify(suite.upstream.requests.slice(requestsBefore));
  // Proves that the secrets were part of the prompts.
  for (const text of [secret, "SOURCE-TEXT-ZEPPELIN", "TOOL-ARGUMENT"]) expect(prompts).toContain(text);
  expect(streamed).toMatch(/event: assistant_message[\s\S]*Zeppelins fly slowly[\s\S]*event: done/);
  expect(bytes.match(/"id":"[\w-]{56}"/g)?.length).toBeGreaterThan(1);
  for (const text of [
    ...[secret, "SOURCE-TEXT-ZEPPELIN", "TOOL-ARGUMENT", "calculate", "expression"],
    ...[
      suite.admin.identity.tenant,
      suite.admin.identity.user,
      collection.body.id,
      createdResponse.body.id,
      site.key.persona_id,
      site.key.id,
    ],
    ...["thinking_step", "search_transparency", "guardrail_result", "execution_trace", "swtoken_update", "gpt-4o"],
  ]) {
    expect(bytes).not.toContain(text);
  }
});

/** Calls a tool with the given arguments and answers once its result is in the prompt. */
function streamToolCallAndAnswer(argument: string, answer: string): Script {
  const streamAnswer = streamText([answer]);
  return async (response, request) => {
    if (
      !request.body.stream ||
      !request.body.tools ||
      request.body.messages.some(({ role }: { role: string }) => role === "tool")
    )
      return streamAnswer(response, request);
    const call = { index: 0, id: "call-1", type: "function", function: { name: "calculate", arguments: argument } };
    const event = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${event({ role: "assistant", tool_calls: [call] }, null)}${event({}, "tool_calls")}data: [DONE]\n\n`);
  };
}
