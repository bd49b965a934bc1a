import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { createPng } from "#test/support/chat/attachments.ts";
import type { Client } from "#test/support/client.ts";
import { getPolicyRules, setPolicy } from "#test/support/governance/policy.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { errorResponse, streamText } from "#test/support/models/upstream.ts";
import { type AlertSample, alertSamples } from "#test/support/webhooks/alert-payloads.ts";
import { createChannel } from "#test/support/webhooks/channel.ts";
import { saveScreenshot, setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite({ MESSAGE_SEARCH: "on" });

const longName = "Reisekostenabrechnungsbeauftragte_für_internationale_Dienstreisen";
const CONVERSATION_COUNT = 300;
const PERSONA_COUNT = 60;

let client: Client;

beforeAll(async () => {
  client = await suite.client();
  const create = (path: string, body: object) => client.post(path, body).then(({ status }) => expect(status).toBe(201));
  for (let index = 0; index < CONVERSATION_COUNT; index += 20) {
    const titles = Array.from({ length: 20 }, (_, offset) => `Conversation ${index + offset}`);
    await Promise.all(titles.map((title) => create("/v1/conversations", { title })));
  }
  for (let index = 0; index < PERSONA_COUNT; index++) {
    await create("/v1/personas", { name: `Persona ${index} ${longName}`, description: longName });
  }
});

/** Asks a question whose answer is `markdown`, and returns the conversation. */
async function answer(markdown: string): Promise<string> {
  suite.scripted().upstream.script = streamText([markdown]);
  const id = await client.createConversation("An answer");
  await client.chat({ conversation_id: id, content: "Tell me." });
  return id;
}

/** Opens a conversation and waits for its answer. */
async function openAnswer(markdown: string) {
  const visit = await suite.visit({ path: `/console/chat/${await answer(markdown)}` });
  await visit.page.getByRole("button", { name: "Copy the answer" }).waitFor();
  return { ...visit, prose: visit.page.locator(".message.assistant .prose") };
}

/** Returns by how many pixels the document, which has the height of the window, can be scrolled. */
const documentOverflow = (page: Page) =>
  page.evaluate(() => {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.documentElement;
    return Math.max(scrollHeight - clientHeight, scrollWidth - clientWidth);
  });

/** Returns the elements that reach out of their container or the window, by at least a pixel. */
const overflowing = (page: Page, selector: string) =>
  page.evaluate(
    (selector) =>
      Array.from(document.querySelectorAll(selector))
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .map((element) => element.className),
    selector,
  );

it("console with many entries finds one of 60 personas in a menu that fits into the window", async () => {
  const { page, pageErrors } = await suite.visit({ viewport: { width: 1024, height: 600 } });
  await page.getByTitle("Persona", { exact: true }).click();
  const box = await page.locator(".menu-popup").boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(600);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1024);
  await saveScreenshot(page, "persona-menu");
  await page.keyboard.type("persona 0 ");
  await expect.poll(() => page.getByRole("menuitemradio").count()).toBe(1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByTitle("Persona", { exact: true }).getByText("Persona 0").waitFor();
  expect(pageErrors).toEqual([]);
});

it("console with many entries loads older conversations when the list is scrolled, down to the oldest of 300", async () => {
  const { page } = await suite.visit();
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("link", { name: "Conversation 299" }).waitFor();
  for (let pages = 0; pages < 10 && (await list.getByText("Conversation 0", { exact: true }).count()) === 0; pages++) {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(500);
  }
  await list.getByText("Conversation 0", { exact: true }).click();
  await page.getByRole("heading", { name: "Conversation 0", exact: true }).waitFor();
});

it("console with many entries lists audit events page by page, with the names of what was changed", async () => {
  const { page } = await suite.visit({ path: "/console/admin/audit" });
  const rows = page.locator("tbody tr");
  await rows.getByText("Persona 59", { exact: false }).first().waitFor();
  expect(await rows.count()).toBe(50);
  // The button below the rows loads more of them as soon as it is in view.
  await page.locator(".page").evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect.poll(() => rows.count()).toBeGreaterThan(50);
});

it("console with many entries shows cards with long names at every width", async () => {
  const { page } = await suite.visit({ path: "/console/assistants/personas" });
  await page.getByRole("heading", { name: longName }).first().waitFor();
  for (const width of [1440, 1024, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await overflowing(page, ".card, .cards, .page")]).toEqual([width, []]);
  }
  await saveScreenshot(page, "personas-long-names");
});

it("console cuts a name that mixes two writing directions at its end and keeps its beginning visible", async () => {
  const arabicPart = "أوقات الدوام في أيام العطل الرسمية والمكتبة العامة والأرشيف";
  await client.post("/v1/knowledge/collections", { name: `Opening ${arabicPart}` });
  const { page } = await suite.visit({ path: "/console/knowledge" });
  const name = page.locator(".truncate", { hasText: arabicPart });
  await name.waitFor();
  const [isCut, isBeginningShown] = await name.evaluate((element) => {
    const text = element.firstChild as Text;
    const range = document.createRange();
    range.setStart(text, "Opening ".length);
    range.setEnd(text, "Opening ".length + 1);
    const [box, letter] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
    const isShown = letter.left >= box.left && letter.right <= box.right + 1 && letter.bottom <= box.bottom + 1;
    return [element.scrollHeight > element.clientHeight, isShown];
  });
  expect({ isCut, isBeginningShown }).toEqual({ isCut: true, isBeginningShown: true });
  await name.hover();
  expect(await name.getAttribute("title")).toBe(`Opening ${arabicPart}`);
});

it("console shows the first entry of the audit trail near the top of a phone's screen, with folded filters", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/audit" });
  await page.setViewportSize({ width: 360, height: 740 });
  const first = page.locator("tbody tr").first();
  await first.waitFor();
  expect((await first.boundingBox())?.y).toBeLessThan(200);
  expect(await page.getByLabel("Action", { exact: true }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("Action", { exact: true }).fill("Collection created");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("console with many entries shows tables with long names without cutting the buttons of their rows", async () => {
  const body = { description: longName, scopes: ["chat.completions"] };
  await client.post("/v1/tenant/api-keys", body, { "idempotency-key": "long" });
  const { page } = await suite.visit({ path: "/console/admin/api-keys" });
  await page.getByText(longName).waitFor();
  for (const width of [1440, 1024, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await overflowing(page, ".table-wrap")]).toEqual([width, []]);
  }
});

it("console does not scroll the document on the policy page, on a wide screen and on a phone", async () => {
  const rules = await getPolicyRules(client);
  await setPolicy(client, {
    ...rules,
    guardrails: { ...rules.guardrails, disabled_rules: ["exfiltrate"] },
  } as typeof rules);
  const { page } = await suite.visit({ path: "/console/admin/policy" });
  await page.getByRole("button", { name: "Switch on" }).waitFor();
  expect(await documentOverflow(page)).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await documentOverflow(page)).toBe(0);
});

it("console moves the focus to the message field with a skip link, which is the first stop of the Tab key", async () => {
  const { page } = await suite.visit({ path: `/console/chat/${await client.createConversation("Skip")}` });
  await page.getByRole("heading", { name: "Skip" }).waitFor();
  await page.getByLabel("Message", { exact: true }).evaluate((field) => field.blur());
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
  });
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the message field");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Message");
});

it("console answers render formulas as MathML with their source, and code in colors, under the content security policy", async () => {
  const { page, prose, pageErrors } = await openAnswer(
    "Inline \\(a^2 + b_1\\) and $\\frac{1}{2}$, but it costs $5 or $10.\n\n\\[\n\\begin{aligned}\nx &= 1 \\\\\n+ y &= 2\n\\end{aligned}\n\\]\n\n- item \\(\\alpha\\) and \\(\\href{javascript:alert(1)}{x}\\)\n\n| f |\n|---|\n| \\(\\beta\\) |\n\n```js\nconst a = '\\(raw\\)'; // note\n```",
  );
  await expect.poll(() => prose.locator("math").count()).toBeGreaterThanOrEqual(5);
  expect(await prose.locator("math[display=block]").count()).toBe(1);
  expect((await prose.locator("math annotation").allTextContents()).map((text) => text.trim())).toEqual(
    expect.arrayContaining([
      "a^2 + b_1",
      "\\frac{1}{2}",
      "\\begin{aligned}\nx &= 1 \\\\\n+ y &= 2\n\\end{aligned}",
      "\\alpha",
      "\\beta",
    ]),
  );
  expect(await prose.locator("[href]").count()).toBe(0);
  expect(await prose.textContent()).toContain("it costs $5 or $10");
  await prose.locator("pre .tok-kwd", { hasText: "const" }).waitFor();
  expect(await prose.locator("pre code").textContent()).toBe("const a = '\\(raw\\)'; // note");
  await saveScreenshot(page, "formulas");
  expect(pageErrors).toEqual([]);
});

it("console answers render task lists, footnotes, reference links and the start of numbered lists", async () => {
  const { prose, pageErrors } = await openAnswer(
    "- [x] packed\n- [ ] booked\n\nIt is known[^a], see [the manual][m].\n\n[Note]: shown once only\n\n3. third\n4. fourth\n\n[^a]: From the *handbook*.\n\n[m]: https://example.com/manual",
  );
  expect(await prose.getByRole("img", { name: "Done" }).count()).toBe(1);
  expect(await prose.getByRole("img", { name: "Open" }).count()).toBe(1);
  expect(await prose.textContent()).not.toMatch(/\[[ x^]/);
  expect(await prose.getByRole("link", { name: "the manual" }).getAttribute("href")).toBe("https://example.com/manual");
  expect((await prose.textContent())?.split("shown once only").length).toBe(2);
  expect(await prose.locator("ol").first().getAttribute("start")).toBe("3");
  await prose.getByRole("link", { name: "Footnote 1" }).click();
  expect(await prose.locator(".footnotes em").textContent()).toBe("handbook");
  expect(pageErrors).toEqual([]);
});

it("console answers keep links and emphasis in the cells of tables", async () => {
  const { prose } = await openAnswer("| name |\n|---|\n| [site](https://example.com/a) **b** `x\\|y` |");
  expect(await prose.locator("td a").getAttribute("href")).toBe("https://example.com/a");
  expect(await prose.locator("td strong").textContent()).toBe("b");
  expect(await prose.locator("td code").textContent()).toBe("x|y");
});

it("console answers keep line breaks and the alignment of tables, which are copied for spreadsheets", async () => {
  const { page, prose } = await openAnswer(
    'Harbor Street 1\n12345 Port\n\n| item | price |\n|:-:|--:|\n| a<br>b | 2 |\n| "c" | 3 |',
  );
  expect((await prose.locator("p").first().innerText()).split("\n")).toEqual(["Harbor Street 1", "12345 Port"]);
  const alignments = (selector: string) =>
    prose.locator(selector).evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).textAlign));
  expect(await alignments("th")).toEqual(await alignments("tr:last-child td"));
  expect((await alignments("th")).map((each) => each.replace("-webkit-", ""))).toEqual(["center", "right"]);
  await prose.getByRole("region").hover();
  await page.getByRole("button", { name: "Copy the table" }).click();
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe('item\tprice\n"a\nb"\t2\n"""c"""\t3');
});

it("console answers draw charts and diagrams, with their data and source on demand", async () => {
  const spec = {
    title: "Visitors",
    mark: "bar",
    data: {
      values: [
        { year: 2024, visitors: 1200 },
        { year: 2025, visitors: 1450 },
      ],
    },
    transform: [{ calculate: "datum.visitors * 2", as: "double" }],
    encoding: {
      x: { field: "year", type: "nominal" },
      y: { field: "visitors", title: "People", type: "quantitative" },
    },
  };
  const { page, prose, pageErrors } = await openAnswer(
    `\`\`\`vega-lite\n${JSON.stringify(spec)}\n\`\`\`\n\n\`\`\`mermaid\nflowchart LR\n  A[Ask] --> B[Answer]\n\`\`\``,
  );
  const chart = page.frameLocator("iframe[title=Visitors]");
  await chart.locator("svg path[aria-roledescription=bar]").first().waitFor();
  expect(await chart.locator("svg path[aria-roledescription=bar]").count()).toBe(2);
  await page.frameLocator("iframe[title=Diagram]").getByText("Answer").first().waitFor();
  await saveScreenshot(page, "chart");
  await prose.getByRole("button", { name: "Data" }).click();
  expect(await prose.locator("tbody tr").allTextContents()).toEqual(["20241,200", "20251,450"]);
  await prose.getByRole("button", { name: "Source text" }).click();
  expect(await prose.locator("pre").textContent()).toContain("A[Ask] --> B[Answer]");
  expect(pageErrors).toEqual([]);
});

it("console answers load the page of a diagram only when the diagram comes into view", async () => {
  const diagrams = Array.from({ length: 40 }, (_, index) => `\`\`\`mermaid\ngraph TD; A${index}-->B\n\`\`\``);
  const { page } = await openAnswer(diagrams.join("\n\n"));
  await page.locator(".diagram iframe:not(.pending)").first().waitFor();
  expect(await page.locator(".diagram iframe").count()).toBe(40);
  expect(page.frames().filter((frame) => frame.url().endsWith("/diagrams/mermaid.html")).length).toBeLessThan(20);
});

it("console answers show the source of an invalid diagram, and isolate hostile diagrams", async () => {
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const load = { mark: "bar", data: { url: `${evil}/data.json` }, encoding: {} };
  const image = {
    title: "Image",
    data: { values: [{ at: 1 }] },
    mark: { type: "image", url: `${evil}/pixel.png` },
    encoding: { x: { field: "at", type: "quantitative" } },
  };
  const script = `flowchart LR\n  A["<img src=${evil}/x onerror=parent.document.title='owned'>"] --> B\n  click B "javascript:parent.document.title='owned'"`;
  const blocks = [
    ["vega-lite", JSON.stringify(load)],
    ["vega-lite", JSON.stringify(image)],
    ["mermaid", script],
    ["mermaid", "flowchart LR\n  A --> ["],
  ];
  const { page, prose } = await openAnswer(
    blocks.map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``).join("\n\n"),
  );
  await page.reload();
  await prose.locator("pre").filter({ hasText: "A --> [" }).waitFor();
  await expect.poll(() => prose.locator("iframe:not(.pending)").count()).toBeGreaterThanOrEqual(1);
  await expect.poll(() => prose.locator("iframe.pending").count()).toBe(0);
  for (const frame of page.frames().slice(1)) {
    expect(await frame.evaluate(() => [window.origin, document.scripts.length])).toEqual(["null", 0]);
  }
  expect(await page.title()).not.toContain("owned");
  expect(requests).toEqual([]);
  server.close();
});

it("console answer that failed is shown with its reason and offers to try again when its page is opened and reloaded", async () => {
  suite.scripted().upstream.script = errorResponse(400, "The prompt is not accepted.");
  const id = await client.createConversation("Failure");
  await client.chat({ conversation_id: id, content: "Fail." });
  const { page } = await suite.visit({ path: `/console/chat/${id}` });
  const notice = page.locator(".message.assistant .notice.danger");
  const questions = page.locator(".bubble");
  await expect.poll(() => notice.textContent()).toMatch(/\w+.*Try again/);
  const reason = await notice.textContent();
  await page.reload();
  await expect.poll(() => notice.textContent()).toBe(reason);
  await expect.poll(() => questions.allTextContents()).toEqual(["Fail."]);
  suite.scripted().upstream.script = streamText(["A good answer."]);
  await notice.getByRole("button", { name: "Try again" }).click();
  await page.getByText("A good answer.").first().waitFor();
  await page.reload();
  await page.locator(".message.assistant").getByText("A good answer.").waitFor();
  await expect.poll(() => notice.count()).toBe(0);
  await expect.poll(() => questions.allTextContents()).toEqual(["Fail."]);
});

it("console shows the greeting of a persona as Markdown", async () => {
  const { body } = await client.post("/v1/personas", {
    name: "Greeter",
    greeting: "**Welcome!** Ask me about\n\n- travel\n- expenses",
  });
  const { page } = await suite.visit({ path: `/console/chat?persona=${body.id}` });
  expect(await page.locator(".welcome strong").textContent()).toBe("Welcome!");
  expect(await page.locator(".welcome li").count()).toBe(2);
});

it("console asks which collection a proposed text is added to if the proposal names none", async () => {
  for (const name of ["Alpha", "Beta"]) await client.post("/v1/knowledge/collections", { name });
  const { page } = await openAnswer("Shall I save this?");
  await page.route("**/messages?*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const proposal = {
      type: "knowledge_proposal",
      proposal_id: "p",
      collection_id: null,
      title: "Tea",
      text: "Green.",
    };
    body.messages.find(({ role }: { role: string }) => role === "assistant").content.push(proposal);
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  await page.locator(".proposal").getByRole("button", { name: "Add" }).click();
  const dialog = page.getByRole("dialog");
  const request = page.waitForRequest((each) => each.url().endsWith("/promote"));
  await dialog.getByRole("button", { name: "Beta" }).click();
  expect((await request).postDataJSON()).toMatchObject({ title: "Tea" });
  await page.getByText("Added to Beta.").waitFor();
});

it("console is in German in a German browser, including the options of select fields", async () => {
  const { page } = await suite.visit({ locale: "de-DE", path: "/console/admin/policy" });
  await page.getByRole("link", { name: "Verwaltung" }).waitFor();
  expect(await page.getByText("Steuern", { exact: true }).count()).toBe(0);
  const options = await page.locator("select option").allTextContents();
  expect(options.filter((option) => /^(internal|public|confidential|restricted)$/.test(option))).toEqual([]);
});

it("console keeps the number and the unit of a document's size on one line", async () => {
  const { body } = await client.post("/v1/knowledge/collections", { name: "Sizes" });
  await client.post(`/v1/knowledge/collections/${body.id}/documents`, { title: longName, text: "Some text." });
  const { page } = await suite.visit({ path: `/console/knowledge/${body.id}`, viewport: { width: 800, height: 700 } });
  const size = page.getByText("10 bytes");
  await size.waitFor();
  const lines = await size.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size;
  });
  expect(lines).toBe(1);
});

describe("console composer", () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}\n\n`);

  it("console composer keeps a draft of each conversation and asks the next question after the answer", async () => {
    suite.scripted().upstream.script = streamText(words, { pauseMs: 30 });
    const [id, other] = [await client.createConversation("First"), await client.createConversation("Second")];
    const { page, pageErrors } = await suite.visit({ path: `/console/chat/${id}` });
    const field = page.getByLabel("Message", { exact: true });
    await field.fill("Count.");
    await page.keyboard.press("Enter");
    await page.getByText("word3", { exact: true }).waitFor();
    await field.fill("And then?");
    await page.keyboard.press("Enter");
    await page.getByText("Next: And then?").waitFor();
    await field.fill("Not yet sent");
    await page.getByText("word59", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".bubble").allTextContents()).toEqual(["Count.", "And then?"]);
    await page.goto(`${suite.service.baseUrl}/console/chat/${other}`);
    expect(await field.inputValue()).toBe("");
    await page.goto(`${suite.service.baseUrl}/console/chat/${id}`);
    expect(await field.inputValue()).toBe("Not yet sent");
    await expect.poll(() => page.locator(".day").allTextContents()).toEqual(["today"]);
    expect(pageErrors).toEqual([]);
  });

  it("console composer sends a queued question without the files that were added after it, which the next question has", async () => {
    const { upstream } = suite.scripted();
    upstream.script = streamText(words, { pauseMs: 60 });
    const id = await client.createConversation("Queue");
    const { page } = await suite.visit({ path: `/console/chat/${id}` });
    const field = page.getByLabel("Message", { exact: true });
    await field.fill("Count.");
    await field.press("Enter");
    await page.getByText("word3", { exact: true }).waitFor();
    await field.fill("And then?");
    await field.press("Enter");
    await page.getByText("Next: And then?").waitFor();
    upstream.script = streamText(["A short answer."]);
    const file = { name: "tides.txt", mimeType: "text/plain", buffer: Buffer.from("High tide is at 14:32.") };
    await page.locator("input[type=file]").setInputFiles(file);
    const pending = page.getByRole("list", { name: "Files of the question" });
    await pending.getByText("tides.txt").waitFor();
    await page.getByText("A short answer.").first().waitFor();
    const questions = async () => {
      const { messages } = (await client.get(`/v1/conversations/${id}/messages`)).body;
      return messages
        .filter(({ role }: { role: string }) => role === "user")
        .map(
          ({ content, attachments = [] }: { content: { text: string }[]; attachments?: { file_name: string }[] }) => [
            content[0]?.text,
            attachments.map(({ file_name }) => file_name),
          ],
        );
    };
    expect(await questions()).toEqual([
      ["Count.", []],
      ["And then?", []],
    ]);
    expect(await pending.textContent()).toContain("tides.txt");
    await field.fill("When is high tide?");
    await expect.poll(() => page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    await field.press("Enter");
    await expect.poll(async () => (await questions()).at(-1)).toEqual(["When is high tide?", ["tides.txt"]]);
  });

  it("console composer returns the next question when the answer before it is stopped", async () => {
    suite.scripted().upstream.script = streamText(Array(100).fill(words).flat(), { pauseMs: 60 });
    const { page } = await suite.visit({ path: `/console/chat/${await client.createConversation("Stop")}` });
    const field = page.getByLabel("Message", { exact: true });
    await field.fill("Count.");
    await page.keyboard.press("Enter");
    await page.getByText("word3", { exact: true }).waitFor();
    await field.fill("And then?");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect.poll(() => field.inputValue()).toBe("And then?");
    expect(await page.locator(".bubble").count()).toBe(1);
  });

  it("console composer sends chosen, pasted and dropped files with a question, which shows them", async () => {
    const { upstream } = suite.scripted();
    upstream.script = streamText(["A red square."]);
    const { page, pageErrors } = await suite.visit({ path: "/console/chat" });
    const image = { name: "square.png", mimeType: "image/png", buffer: createPng() };
    await page.locator("input[type=file]").setInputFiles(image);
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["High tide is at 14:32."], "tides.txt", { type: "text/plain" }));
      return data;
    });
    await page.dispatchEvent(".conversation", "drop", { dataTransfer: transfer });
    const pending = page.getByRole("list", { name: "Files of the question" }).getByRole("listitem");
    await expect.poll(() => pending.count()).toBe(2);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("What is this?");
    await expect.poll(() => page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    await field.press("Enter");
    await page.getByRole("button", { name: "Show square.png" }).click();
    const shown = page.getByRole("dialog").getByRole("img", { name: "square.png" });
    await expect.poll(() => shown.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
    await saveScreenshot(page, "attached-image");
    await page.keyboard.press("Escape");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download tides.txt" }).click();
    expect((await download).suggestedFilename()).toBe("tides.txt");
    const prompts = () => upstream.requests.map(({ body }) => JSON.stringify(body.messages));
    const hasFiles = (text: string) =>
      text.includes("data:image/png;base64,") && text.includes("High tide is at 14:32.");
    await expect.poll(() => prompts().some(hasFiles)).toBe(true);
    expect(pageErrors).toEqual([]);
  });

  it("console composer keeps the question while a file is refused, and sends it without the file", async () => {
    suite.scripted().upstream.script = streamText(["An answer without a file."]);
    const { page } = await suite.visit({ path: `/console/chat/${await client.createConversation("Refused")}` });
    const files = [{ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("no image") }];
    await page.locator("input[type=file]").setInputFiles(files);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("What is this?");
    const refused = page.getByRole("listitem").filter({ hasText: "photo.png" }).getByRole("alert");
    await refused.waitFor();
    expect(await refused.textContent()).toContain("does not match its name");
    await saveScreenshot(page, "refused-file");
    await field.press("Enter");
    expect(await field.inputValue()).toBe("What is this?");
    await page.getByRole("button", { name: "Remove photo.png" }).click();
    await field.press("Enter");
    await page.getByText("An answer without a file.").first().waitFor();
  });

  it("console composer takes back a question with its files when the service refuses it", async () => {
    suite.scripted().upstream.script = streamText(["A square."]);
    const { page } = await suite.visit({ path: `/console/chat/${await client.createConversation("Taken back")}` });
    const refusal = { status: 422, contentType: "application/problem+json", body: '{"code":"unsupported_content"}' };
    let requests = 0;
    await page.route("**/v1/runtime/chat", (route) => (++requests === 1 ? route.fulfill(refusal) : route.continue()));
    const image = { name: "square.png", mimeType: "image/png", buffer: createPng() };
    await page.locator("input[type=file]").setInputFiles(image);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("What is this?");
    await expect.poll(() => page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    await field.press("Enter");
    await page.getByRole("button", { name: "Edit the question" }).click();
    expect(await field.inputValue()).toBe("What is this?");
    expect(await page.getByRole("list", { name: "Files of the question" }).textContent()).toContain("square.png");
    await field.press("Enter");
    await page.getByRole("button", { name: "Show square.png" }).waitFor();
  });

  it("console composer starts a conversation with the currently chosen persona, although a file was refused before", async () => {
    suite.scripted().upstream.script = streamText(["An answer."]);
    const { page } = await suite.visit({ path: "/console/chat" });
    const files = [{ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("no image") }];
    await page.locator("input[type=file]").setInputFiles(files);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("Question with other settings");
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Remove photo.png" }).click();
    await page.getByTitle("Persona", { exact: true }).click();
    await page.getByRole("menuitemradio").nth(1).click();
    await field.press("Enter");
    await page.getByText("An answer.").first().waitFor();
    const id = page.url().split("/").at(-1) ?? "";
    expect((await client.get(`/v1/conversations/${id}`)).body.persona_id).not.toBeNull();
  });

  it("console composer uploads files of a new conversation when they are chosen, and leaves no conversation in the list", async () => {
    suite.scripted().upstream.script = streamText(["A square."]);
    const { page } = await suite.visit({ path: "/console/chat" });
    const created = page.waitForResponse((response) => response.url().endsWith("/v1/conversations"));
    await page.locator("input[type=file]").setInputFiles([
      { name: "square.png", mimeType: "image/png", buffer: createPng() },
      { name: "setup.exe", mimeType: "application/x-msdownload", buffer: Buffer.from("MZ") },
      { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
    ]);
    const { id } = await (await created).json();
    const refused = (name: string) => page.getByRole("listitem").filter({ hasText: name }).getByRole("alert");
    await refused("setup.exe").getByText("format").waitFor();
    await refused("empty.txt").getByText("empty").waitFor();
    await expect.poll(async () => (await client.get(`/v1/conversations/${id}`)).body.temporary).toBe(true);
    await page.getByRole("link", { name: "Knowledge" }).first().click();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    for (const name of ["setup.exe", "empty.txt"]) await page.getByRole("button", { name: `Remove ${name}` }).click();
    await page.getByRole("textbox", { name: "Message", exact: true }).fill("What is this?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Show square.png" }).waitFor();
    expect(page.url()).toContain(id);
    expect((await client.get(`/v1/conversations/${id}`)).body.temporary).toBeUndefined();
    const { conversations } = (await client.get("/v1/conversations?limit=5")).body;
    expect(conversations.map((each: { id: string }) => each.id)).toContain(id);
  });

  it("console composer converts photos of iPhones that the browser can read, and names the format of others", async () => {
    suite.scripted().upstream.script = streamText(["A square."]);
    const { page } = await suite.visit({ path: "/console/chat" });
    await page.locator("input[type=file]").setInputFiles([
      // Chromium looks at the content, and so reads this one as Safari does real ones.
      { name: "IMG_1.HEIC", mimeType: "image/heic", buffer: createPng(5_000, 20) },
      { name: "IMG_2.heif", mimeType: "image/heif", buffer: Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic") },
    ]);
    await page.getByRole("alert").getByText("HEIC").waitFor();
    await page.getByRole("button", { name: "Remove IMG_2.heif" }).click();
    await page.getByRole("textbox", { name: "Message", exact: true }).fill("What is this?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Show IMG_1.jpg" }).click();
    const shown = page.getByRole("dialog").getByRole("img", { name: "IMG_1.jpg" });
    await expect.poll(() => shown.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth)).toBe(4_096);
  });

  it("console composer quotes a selected part of an answer, and a button leads to the end of the conversation", async () => {
    const { page, prose } = await openAnswer(`First line.\n\n${words.join("")}`);
    const toEnd = page.getByRole("button", { name: "To the end" });
    // While the conversation loads, it scrolls to its end.
    await expect
      .poll(async () => {
        await page.locator(".transcript").evaluate((element) => element.scrollTo(0, 0));
        return toEnd.count();
      })
      .toBe(1);
    await toEnd.click();
    await expect.poll(() => page.getByRole("button", { name: "To the end" }).count()).toBe(0);
    await prose.locator("p").first().selectText();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Quote in the next question" }).click();
    await expect.poll(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe("> First line.\n\n");
  });
});

it("console previews HTML and SVG next to the text, without their scripts and other hosts", async () => {
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const owned = "parent.document.title=top.document.title=document.body.textContent='owned'";
  const html = `<!doctype html><html><head><style>h1 { color: rgb(1, 2, 3) }</style><meta http-equiv="refresh" content="0;url=${evil}/r">
<script>${owned}</script></head><body><h1>Opening hours</h1><img src="${evil}/x" onerror="${owned}"><a href="${evil}/a">Away</a><form action="${evil}/f"><button>Go</button></form>
<iframe src="${evil}/i"></iframe><script src="${evil}/s.js"></script></body></html>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="${owned}"><circle r="9"/></svg>`;
  const text = `\`\`\`html\n${html}\n\`\`\`\n\n\`\`\`svg\n${svg}\n\`\`\`\n\n\`\`\`ts\nopen();\n\`\`\``;
  const { page, prose } = await openAnswer(text);
  const buttons = prose.getByRole("button", { name: "Preview" });
  expect(await buttons.count()).toBe(2);
  const panel = page.getByRole("complementary", { name: "Preview" });
  const drawn = page.frameLocator(".side-panel iframe:not(.pending)");
  await buttons.first().click();
  const heading = drawn.getByRole("heading", { name: "Opening hours" });
  await heading.waitFor();
  expect(await heading.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)");
  for (const name of ["Away", "Go"]) await drawn.getByText(name).click();
  expect(await heading.isVisible()).toBe(true);
  const [left, right] = [await prose.boundingBox(), await panel.boundingBox()];
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
  await saveScreenshot(page, "preview");
  await buttons.last().click();
  await drawn.locator("circle").waitFor();
  expect(await drawn.locator("circle").evaluate(() => window.origin)).toBe("null");
  await page.setViewportSize({ width: 360, height: 740 });
  expect((await panel.boundingBox())?.width).toBe(360);
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "detached" });
  expect(await page.title()).not.toContain("owned");
  expect(requests).toEqual([]);
  server.close();
});

it("console folds long code, wraps its lines and copies an answer with its formatting", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index} ${"x".repeat(200)}`).join("\n");
  const { page, prose } = await openAnswer(`A **bold** word.\n\n\`\`\`text\n${lines}\n\`\`\``);
  const code = prose.locator("pre");
  const folded = (await code.boundingBox())?.height ?? 0;
  await prose.getByRole("button", { name: "Show all 40 lines" }).click();
  expect((await code.boundingBox())?.height).toBeGreaterThan(folded);
  await prose.getByRole("button", { name: "Wrap long lines" }).click();
  expect(await overflowing(page, "pre")).toEqual([]);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Copy as formatted text" }).click();
  await page.getByText("Copied").waitFor();
  const html = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return (await item?.getType("text/html"))?.text();
  });
  expect(html).toContain("<strong>bold</strong>");
  expect(html).not.toContain("<button");
});

it("console lists its keyboard shortcuts", async () => {
  const { page } = await suite.visit({ path: "/console/knowledge" });
  await page.getByRole("heading", { name: "Knowledge" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
});

it("console finds a message by its words and jumps to it, in the list and in the palette", async () => {
  suite.scripted().upstream.script = streamText(["The **pomegranate** stand is next to the gate."]);
  const id = await client.createConversation("Market");
  await client.chat({ conversation_id: id, content: "Where is the fruit?" });
  suite.scripted().upstream.script = streamText(["Some other line.\n\n".repeat(60)]);
  await client.chat({ conversation_id: id, content: "Anything else?" });
  const search = "/v1/messages/search?q=pomegranates";
  await expect.poll(async () => (await client.get(search)).body.results.length).toBe(1);
  const { page, pageErrors } = await suite.visit();
  const answer = page.locator(".message.assistant").first();
  await page.getByLabel("Search conversations").fill("pomegranates");
  const hit = page.getByRole("region", { name: "Messages" }).getByRole("link");
  expect(await hit.locator("mark").textContent()).toBe("pomegranate");
  await hit.click();
  await expect.poll(() => answer.evaluate((element) => element === document.activeElement)).toBe(true);
  await expect.poll(async () => (await answer.boundingBox())?.y).toBeGreaterThan(0);
  await page.goto(`${suite.service.baseUrl}/console/knowledge`);
  await page.getByRole("heading", { name: "Knowledge" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("pomegranates");
  await page.getByRole("option", { name: "Market" }).filter({ hasText: "gate" }).click();
  await answer.waitFor();
  expect(page.url()).toContain(`/console/chat/${id}`);
  expect(pageErrors).toEqual([]);
});

it("console marks conversations with new activity until they are opened in one of the tabs", async () => {
  suite.scripted().upstream.script = streamText(["Done."]);
  const { page, context, pageErrors } = await suite.visit();
  await page.getByRole("link", { name: "Conversation 299" }).waitFor();
  const id = await client.createConversation("Awaited");
  await client.chat({ conversation_id: id, content: "Go." });
  await page.reload();
  const unread = (tab: Page) => tab.getByRole("link", { name: "Awaited unread" });
  await unread(page).waitFor();
  expect(await page.locator(".unread").count()).toBe(1);
  const other = await context.newPage();
  await other.goto(`${suite.service.baseUrl}/console/chat`);
  await unread(other).click();
  await unread(page).waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});

it("console marks an open conversation as seen when its tab is shown again", async () => {
  suite.scripted().upstream.script = streamText(["Done."]);
  const { page, context, pageErrors } = await suite.visit();
  await page.getByRole("link", { name: "Conversation 299" }).waitFor();
  const id = await client.createConversation("Behind");
  await client.chat({ conversation_id: id, content: "Go." });
  await page.reload();
  const unread = page.getByRole("link", { name: "Behind unread" });
  await unread.waitFor();
  const hidden = await context.newPage();
  await hidden.addInitScript(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "hidden" });
  });
  await hidden.goto(`${suite.service.baseUrl}/console/chat/${id}`);
  await hidden.locator(".prose", { hasText: "Done." }).waitFor();
  expect(await unread.count()).toBe(1);
  await hidden.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "visible" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await unread.waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});

it("console can be installed as an app", async () => {
  const { page, pageErrors } = await suite.visit();
  const href = await page.locator("link[rel=manifest]").getAttribute("href");
  const session = await page.context().newCDPSession(page);
  const { errors, data } = await session.send("Page.getAppManifest");
  expect([href, errors, JSON.parse(data ?? "").start_url]).toEqual(["/console/manifest.json", [], "/console/chat"]);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console asks a question that the answer suggests, if the policy allows suggestions", async () => {
  const { upstream } = suite.scripted();
  const isSuggestion = ({ body }: (typeof upstream.requests)[number]) =>
    JSON.stringify(body.messages).includes("You suggest what the user may ask next");
  const suggestions = streamText(["1. Who pays for it?\n- Who pays for it?\nHow long does it take?"]);
  const answer = streamText(["An answer."]);
  upstream.script = (response, request) => (isSuggestion(request) ? suggestions : answer)(response, request);
  const { page } = await suite.visit({ path: "/console/admin/policy" });
  const id = await client.createConversation("Suggestions");
  await client.chat({ conversation_id: id, content: "What is it?" });
  expect(upstream.requests.filter(isSuggestion)).toEqual([]);
  await page.getByLabel("Answers suggest further questions").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The policy was saved.").waitFor();
  expect((await client.get("/v1/policy")).body.follow_ups).toEqual({ enabled: true });
  await client.chat({ conversation_id: id, content: "And now?" });
  await page.goto(`${suite.service.baseUrl}/console/chat/${id}`);
  const group = page.getByRole("group", { name: "Further questions" });
  await group.waitFor();
  expect(await group.getByRole("button").allTextContents()).toEqual(["Who pays for it?", "How long does it take?"]);
  await group.getByRole("button", { name: "Who pays for it?" }).click();
  await expect.poll(async () => (await client.get(`/v1/conversations/${id}/messages`)).body.messages.length).toBe(6);
  await setPolicy(client, { follow_ups: { enabled: false } });
});

it("console moves and deletes several conversations at once, and undoes a deletion", async () => {
  const titles = ["Bulk one", "Bulk two", "Bulk three"];
  for (const title of titles) await client.createConversation(title);
  await client.post("/v1/folders", { name: "Archive" });
  const { page, pageErrors } = await suite.visit();
  const list = page.getByRole("navigation", { name: "Conversations" });
  const select = async (...names: string[]) => {
    await page.getByRole("button", { name: "Select conversations" }).click();
    for (const name of names) await list.getByLabel(name, { exact: true }).check();
  };
  await select("Bulk one", "Bulk two");
  await page.getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => list.getByText("Bulk one").count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("link", { name: "Bulk one" }).waitFor();
  await select("Bulk one", "Bulk two");
  await page.getByRole("button", { name: "Move to a folder" }).click();
  await page.getByRole("dialog").getByLabel("Folder").selectOption("Archive");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await list.getByRole("button", { name: "Archive", exact: true }).click();
  await expect.poll(() => list.getByRole("link").allTextContents()).toEqual(["Bulk two", "Bulk one"]);
  await select("Bulk two");
  await page.getByRole("button", { name: "Delete" }).click();
  const count = async () => (await client.get("/v1/conversations?q=Bulk%20two")).body.conversations.length;
  await expect.poll(count).toBe(0);
  expect(pageErrors).toEqual([]);
});

it("console inserts a template after / and chooses a persona after @ in the message field", async () => {
  await client.post("/v1/templates", { name: "Standup", body: "Yesterday, today, {{blocker}}", visibility: "private" });
  const { page, pageErrors } = await suite.visit({ path: `/console/chat/${await client.createConversation("Marks")}` });
  const field = page.getByLabel("Message", { exact: true });
  await field.fill("/stand");
  await page.getByRole("option", { name: "Standup" }).waitFor();
  await page.keyboard.press("Enter");
  expect(await field.inputValue()).toBe("Yesterday, today, {{blocker}}");
  await field.fill("@0");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.getByTitle("Persona", { exact: true }).getByText("Persona").waitFor();
  expect(await field.inputValue()).toBe("");
  expect(pageErrors).toEqual([]);
});

it("console shows an alert in a card of a few lines and groups equal alerts", async () => {
  const { conversation_id, registration, post } = await createChannel({ signature_scheme: "token" }, client);
  const send = (fields: object) =>
    post(JSON.stringify({ severity: "high", ...fields }), {
      "content-type": "application/json",
      authorization: `Bearer ${registration.secret}`,
      "x-webhook-provider": "custom",
    });
  // More than the 60 messages of a page.
  for (let index = 0; index < 70; index++) await send({ description: "Disk is full", alert_id: `disk-${index}` });
  await send({ description: `Memory is low ${"and ".repeat(2_000)}`, alert_id: "memory" });
  const { payload } = alertSamples[0] as AlertSample;
  await post(JSON.stringify(payload), {
    "content-type": "application/json",
    authorization: `Bearer ${registration.secret}`,
  });
  const { page, pageErrors } = await suite.visit({ path: `/console/chat/${conversation_id}` });
  const group = page.getByRole("button", { name: "70 equal alerts: show all", exact: true });
  await group.waitFor();
  expect(await page.locator(".alert-card").count()).toBe(3);
  // Its description repeats the title.
  const repeated = page.locator(".alert-card").filter({ hasText: "Checkout API: error rate" });
  expect((await repeated.innerText()).split("Checkout API: error rate above 5 %")).toHaveLength(2);
  for (const card of await page.locator(".alert-card").all()) {
    expect((await card.boundingBox())?.height).toBeLessThan(140);
    expect([["high"], ["open", "critical"]]).toContainEqual(await card.locator(".badge").allTextContents());
  }
  await group.click();
  expect(await page.locator(".alert-card").count()).toBe(72);
  await page.getByText("Details").last().click();
  await page.getByText("Provider: ").last().waitFor();
  expect(pageErrors).toEqual([]);
});

it("console adds a language model with a key of its own, and a question and a persona can name it", async () => {
  const { upstream } = suite.scripted();
  upstream.script = streamText(["From another model."]);
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/models" });
  await page.getByRole("button", { name: "New model" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("own-large");
  await dialog.getByLabel("Id of the model at its provider").fill("mistral-large");
  await dialog.getByLabel("API key").fill("key-of-tenant");
  await dialog.getByLabel("Price of a million tokens in").fill("2");
  await dialog.getByLabel("Price of a million tokens out").fill("8");
  await dialog.getByRole("button", { name: "Save" }).click();
  const card = page.locator(".card").filter({ hasText: "own-large" });
  await card.getByText("own key").waitFor();
  await saveScreenshot(page, "models");
  await page.goto(`${suite.service.baseUrl}/console/chat`);
  await page.getByTitle("Language model", { exact: true }).click();
  await page.getByRole("menuitemradio", { name: "own-large" }).click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("Who are you?");
  await field.press("Enter");
  await page.getByText("From another model.").first().waitFor();
  expect(upstream.requests.some(({ authorization }) => authorization === "Bearer key-of-tenant")).toBe(true);
  const conversation = page.url();
  const chosen = () => page.getByTitle("Language model", { exact: true }).innerText();
  await page.reload();
  await expect.poll(chosen).toBe("own-large");
  const { body: persona } = await client.post("/v1/personas", { name: "Chooser", visibility: "public" });
  const path = `/v1/conversations/${conversation.split("/").at(-1)}`;
  await client.patch(path, { persona_id: persona.id });
  await setPolicy(client, { models: { choices: [{ model: "own-large", group_ids: [], persona_ids: [persona.id] }] } });
  // The models arrive before the conversation, which names the persona.
  await page.route(`**${path}`, async (route) => {
    await page.waitForTimeout(1_000);
    await route.continue();
  });
  await page.reload();
  await expect.poll(chosen).toBe("own-large");
  await page.unroute(`**${path}`);
  await setPolicy(client, { models: { choices: null } });
  await page.goto(`${suite.service.baseUrl}/console/chat`);
  await expect.poll(chosen).toBe("Automatic");
  await page.goto(`${suite.service.baseUrl}/console/assistants/personas/new`);
  await page.getByLabel("Name", { exact: true }).fill("With its own model");
  await page.getByLabel("Language model").selectOption("own-large");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/personas\/[0-9a-f-]{36}/);
  expect((await client.get(`/v1/personas/${page.url().split("/").at(-1)}`)).body.model).toBe("own-large");
  await client.delete("/v1/models/own-large");
  await page.goto(conversation);
  const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(":model:")));
  await expect.poll(kept).toEqual([]);
  expect(pageErrors).toEqual([]);
});

describe("console message field", () => {
  const fieldOf = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

  it("console message field offers collections and documents after @, and limits the search for the question to the chosen document", async () => {
    const { upstream } = suite.scripted();
    upstream.script = streamText(["Two euros [1]."]);
    const tray = { title: "Canteen rules", text: "A lost tray costs two euros." };
    const { collection } = await addIndexedDocument(client, tray);
    await addIndexedDocument(client, { title: "Library rules", text: "A lost card costs five euros." }, collection);
    const { page, pageErrors } = await suite.visit({ path: "/console/chat" });
    const field = fieldOf(page);
    await field.pressSequentially("Summarize @Collection");
    await page.getByRole("option", { name: /Collection for Canteen/ }).click();
    await page.getByRole("option", { name: /^Canteen rules/ }).click();
    expect(await field.inputValue()).toBe("Summarize ");
    const sentBefore = upstream.requests.length;
    await field.press("Enter");
    const question = page.getByRole("list", { name: "Documents of the question" });
    await question.getByRole("link", { name: "Canteen rules" }).waitFor();
    await page.getByRole("button", { name: /^Source 1: Canteen rules/ }).waitFor();
    const prompts = upstream.requests.slice(sentBefore).map(({ body }) => JSON.stringify(body.messages));
    expect(prompts.some((prompt) => prompt.includes("lost tray"))).toBe(true);
    expect(prompts.some((prompt) => prompt.includes("lost card"))).toBe(false);
    expect(pageErrors).toEqual([]);
  });

  it("console message field selects the placeholders of a template one after the other", async () => {
    await client.post("/v1/templates", { name: "Summary", body: "Summarize {{text}} in {{count}} sentences." });
    const { page } = await suite.visit({ path: "/console/chat" });
    await fieldOf(page).pressSequentially("/Summ");
    await page.getByRole("option", { name: /^Summary/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("the report");
    await page.keyboard.press("Tab");
    await page.keyboard.type("two");
    expect(await fieldOf(page).inputValue()).toBe("Summarize the report in two sentences.");
  });

  it("console message field attaches a pasted text that is too long for a message as a file", async () => {
    const { page } = await suite.visit({ path: "/console/chat" });
    await fieldOf(page).focus();
    await page.evaluate(() => navigator.clipboard.writeText("word ".repeat(8_000)));
    await page.keyboard.press("ControlOrMeta+V");
    await page.getByRole("list", { name: "Files of the question" }).getByText("Pasted text.txt").waitFor();
    expect(await fieldOf(page).inputValue()).toBe("");
  });

  it("console message field keeps the answer depth that was chosen for a conversation after a reload", async () => {
    const { page } = await suite.visit({ path: `/console/chat/${await client.createConversation("Depth")}` });
    await page.getByTitle("Depth of the answer").click();
    const stored = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("menuitemradio", { name: "Quick" }).click();
    await stored;
    await page.reload();
    await page.getByTitle("Depth of the answer").getByText("Quick").waitFor();
  });

  it("console message field sends a question that was written while the conversation loads, with the depth of the conversation", async () => {
    suite.scripted().upstream.script = streamText(["Soon enough."]);
    const id = await client.createConversation("Slow");
    await client.patch(`/v1/conversations/${id}`, { tier: "QUICK" });
    const { page, pageErrors } = await suite.visit({ path: "/console/chat" });
    const answerLate = async (route: Route) => {
      await page.waitForTimeout(2_000);
      await route.continue();
    };
    await page.route(`**/v1/conversations/${id}`, answerLate, { times: 1 });
    const asked = page.waitForRequest((request) => request.url().endsWith("/v1/runtime/chat"));
    await page.goto(`${suite.service.baseUrl}/console/chat/${id}`);
    await fieldOf(page).fill("Is it early?");
    await fieldOf(page).press("Enter");
    expect(await page.getByTitle("Depth of the answer").count()).toBe(0);
    expect((await asked).postDataJSON()).toMatchObject({ content: "Is it early?", tier: "QUICK" });
    await page.getByText("Soon enough.").first().waitFor();
    expect(await fieldOf(page).inputValue()).toBe("");
    expect(pageErrors).toEqual([]);
  });

  it("console message field keeps a question while the conversation cannot be loaded, and sends it after a successful retry", async () => {
    suite.scripted().upstream.script = streamText(["At last."]);
    const id = await client.createConversation("Broken");
    const { page } = await suite.visit({ path: "/console/chat" });
    await page.route(`**/v1/conversations/${id}`, (route) => route.fulfill({ status: 403, json: {} }));
    await page.goto(`${suite.service.baseUrl}/console/chat/${id}`);
    await fieldOf(page).fill("Is anybody there?");
    await fieldOf(page).press("Enter");
    const retry = page.getByRole("main").getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await fieldOf(page).inputValue()).toBe("Is anybody there?");
    await page.unroute(`**/v1/conversations/${id}`);
    await retry.click();
    await page.getByTitle("Depth of the answer").waitFor();
    await fieldOf(page).press("Enter");
    await page.getByText("At last.").first().waitFor();
  });
});

it("console starts a conversation in the folder that is open, and selects ranges of conversations with Shift", async () => {
  suite.scripted().upstream.script = streamText(["In the folder."]);
  await client.post("/v1/folders", { name: "Projects" });
  for (const name of ["Range 1", "Range 2", "Range 3"]) await client.createConversation(name);
  const { page } = await suite.visit({ path: "/console/chat" });
  await page.getByRole("button", { name: "Select conversations" }).click();
  await page.getByLabel("Range 1").click();
  await page.getByLabel("Range 3").click({ modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
  await page.getByRole("button", { name: "Projects", exact: true }).click();
  await page.getByRole("link", { name: "New conversation" }).first().click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("Where am I?");
  await field.press("Enter");
  await page.getByText("In the folder.").first().waitFor();
  const { body } = await client.get(`/v1/conversations/${page.url().split("/").at(-1)}`);
  expect(body.folder_id).not.toBeNull();
});

it("console shows earlier messages when one scrolls up to them, and stays where the reader is", async () => {
  const id = await client.createConversation("Long");
  for (const start of [0, 50, 100]) {
    const messages = Array.from({ length: 50 }, (_, offset) => ({
      role: offset % 2 === 0 ? "user" : "assistant",
      text: `Message ${start + offset}. ${"Words ".repeat(offset)}`,
    }));
    expect((await client.post(`/v1/conversations/${id}/messages/import`, { messages })).status).toBe(200);
  }
  const { page } = await suite.visit({ path: `/console/chat/${id}` });
  await page.getByText("Message 149.").waitFor();
  const transcript = page.locator(".transcript");
  // The conversation opens at its end.
  await expect.poll(() => transcript.evaluate((element) => element.scrollTop)).toBeGreaterThan(1_000);
  await transcript.evaluate((element) => element.scrollTo(0, 0));
  await page.getByText("Message 30.").waitFor({ state: "attached" });
  const first = page.getByText("Message 90.");
  expect((await first.boundingBox())?.y).toBeGreaterThan(0);
  expect((await first.boundingBox())?.y).toBeLessThan(400);
});

it("console tells that it is offline, and that a page could not be loaded or does not exist", async () => {
  const { page, context } = await suite.visit({ path: "/console/chat" });
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
  await context.setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await context.setOffline(false);
  await expect.poll(() => page.getByText("You are offline.").count()).toBe(0);
  const none = "01999999-0000-7000-8000-000000000000";
  await page.goto(`${suite.service.baseUrl}/console/operate/incidents/${none}`);
  await page.getByRole("heading", { name: "This does not exist" }).waitFor();
  await page.route(/\/v1\/(?!receptor)/, (route) => route.fulfill({ status: 503, json: {} }));
  for (const path of [
    `operate/incidents/${none}`,
    `knowledge/${none}/${none}`,
    `operate/slack/${none}`,
    "slack-link",
  ]) {
    await page.goto(`${suite.service.baseUrl}/console/${path}`);
    await page.locator("main").getByRole("button", { name: "Try again" }).first().waitFor();
  }
});

it("console adds a note to a conversation, whose later answers use the note", async () => {
  const { upstream } = suite.scripted();
  upstream.script = streamText(["Under the mat."]);
  const id = await client.createConversation("With a note");
  const { page } = await suite.visit({ path: "/console/account/notes" });
  await page.getByRole("button", { name: "New note" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Keys");
  await dialog.getByLabel("Text").fill("The keys are under the mat.");
  await dialog.getByLabel("Conversation whose answers know the note").selectOption({ label: "With a note" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const sentBefore = upstream.requests.length;
  await client.chat({ conversation_id: id, content: "Where are the keys?" });
  const prompts = upstream.requests.slice(sentBefore).map(({ body }) => JSON.stringify(body.messages));
  expect(prompts.some((prompt) => prompt.includes("under the mat"))).toBe(true);
});
