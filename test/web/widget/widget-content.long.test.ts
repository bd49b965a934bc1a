import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { hostileAnswers } from "../hostile-answers.ts";
import { persona, richMarkdown, saveScreenshot, setUpWidgetSuite } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

it("answer in the website widget is rendered with code, tables, lists, quotes and sources while it streams and after a reload", async () => {
  const collection = await suite.admin.post("/v1/knowledge/collections", { name: "Parcels", readers: ["tenant"] });
  const documents = `/v1/knowledge/collections/${collection.body.id}/documents`;
  const text = "Parcels usually take two days.";
  const createdResponse = await suite.admin.post(documents, {
    title: "About parcels",
    text,
    uri: "https://example.com/parcels",
  });
  await expect
    .poll(async () => (await suite.admin.get(`${documents}/${createdResponse.body.id}`)).body.status)
    .toBe("ready");
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona: { ...persona, tier: "THINKING", collection_ids: [collection.body.id] },
  });
  const { page, open, send, waitForAnswer, messages, pageErrors } = await suite.visit({ site });
  await open();
  suite.upstream.script = streamText(richMarkdown.match(/[\s\S]{1,12}/g) ?? [], { pauseMs: 5 });
  await send("How long do parcels take?");
  await messages.last().locator("table").waitFor();
  await waitForAnswer("About parcels");
  const answer = messages.last();
  const readRenderedContent = async () => ({
    strong: await answer.locator("p strong").allTextContents(),
    items: await answer.locator(".body > ol > li").count(),
    nested: await answer.locator("ol ul li").allTextContents(),
    cells: await answer.locator("td").allTextContents(),
    code: await answer.locator("pre code").allTextContents(),
    quote: await answer.locator("blockquote a").getAttribute("href"),
    source: await answer.locator(".sources a").getAttribute("href"),
    reference: await answer.locator("sup").allTextContents(),
  });
  const expected = {
    strong: ["two days"],
    items: 2,
    nested: ["a small one", "or a large one"],
    cells: ["Small", "4 €", "2 days", "Large", "9 €", "3 days"],
    code: ['const parcel = await track("A-17");\nconsole.log(parcel.where);'],
    quote: "https://example.com/help",
    source: "https://example.com/parcels",
    reference: ["1"],
  };
  expect(await readRenderedContent()).toEqual(expected);
  await saveScreenshot(page, "desktop");
  await page.reload();
  await waitForAnswer("About parcels");
  expect(await readRenderedContent()).toEqual(expected);
  expect(pageErrors).toEqual([]);
});

it("answer in the website widget is shown as plain text if the part that renders Markdown cannot be loaded", async () => {
  const { page, context, open, send, waitForAnswer, messages, pageErrors } = await suite.visit();
  await context.route(/\/widget\/markdown/, (route) => route.abort());
  await open();
  suite.upstream.script = streamText([richMarkdown]);
  await send("How long do parcels take?");
  await waitForAnswer("our help pages");
  const shown = [
    "**two days**",
    "1. Open *My orders*",
    "| Small | 4 € | 2 days |",
    'await track("A-17")',
    "> More on [our",
  ];
  const missing = async () => {
    const text = await messages.last().innerText();
    return shown.filter((part) => !text.includes(part));
  };
  await expect.poll(missing).toEqual([]);
  await page.reload();
  await waitForAnswer("our help pages");
  expect(await missing()).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it('answer in the website widget with a code block shows "Copied" only after the clipboard accepted the code', async () => {
  const { page, open, send, messages, pageErrors } = await suite.visit();
  await open();
  suite.upstream.script = streamText(["```js\nlet a;\n```"]);
  await send("Show me code");
  const copy = messages.last().locator("button.copy");
  const copyWith = async (clipboard: "denied" | "missing" | "available") => {
    await page.evaluate((kind) => {
      const reject = () => Promise.reject(new Error("Not allowed"));
      const write = async (text: string) => {
        document.title = text;
      };
      const value = { denied: { writeText: reject }, missing: undefined, available: { writeText: write } }[kind];
      Object.defineProperty(navigator, "clipboard", { value, configurable: true });
    }, clipboard);
    await copy.click();
    return copy.getAttribute("aria-label");
  };
  expect(await copyWith("denied")).toBe("Copy");
  expect(await copyWith("missing")).toBe("Copy");
  await expect.poll(() => copyWith("available")).toBe("Copied");
  expect(await page.title()).toBe("let a;");
  expect(pageErrors).toEqual([]);
});

it(`hostile HTML and Markdown in answers in the website widget run no script in ${hostileAnswers.length} answers, while they stream and after a reload`, async () => {
  const { page, open, send, waitForAnswer, messages, pageErrors, site } = await suite.visit();
  let executions = 0;
  await page.exposeFunction("pwned", () => executions++);
  // Dialogs and navigations count as execution.
  page.on("dialog", () => executions++);
  page.on("framenavigated", (frame) =>
    frame === page.mainFrame() && frame.url().startsWith(site.origin) ? 0 : executions++,
  );
  const foreignRequests: string[] = [];
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (origin !== site.origin && origin !== suite.service.baseUrl) foreignRequests.push(request.url());
  });
  await open();
  const half = Math.ceil(hostileAnswers.length / 2);
  // Each batch is one message, so that the session's message limit is not exceeded. Similar answers, which are
  // neighbors in the list, are in different batches.
  const batches = [hostileAnswers.slice(0, half), hostileAnswers.slice(half)].flatMap((batch) => [
    batch.filter((_, n) => n % 3 === 0),
    batch.filter((_, n) => n % 3 === 1),
    batch.filter((_, n) => n % 3 === 2),
  ]);
  for (const [n, batch] of batches.entries()) {
    const answer = `${batch.join("\n\n---\n\n")}\n\nend ${n}`;
    suite.upstream.script = streamText(answer.match(/[\s\S]{1,7}/g) ?? []);
    await send(`Batch ${n}`);
    await waitForAnswer(`end ${n}`);
    for (const trap of await messages.last().getByText("Click me").all()) {
      if (await trap.isVisible()) await trap.click({ noWaitAfter: true });
    }
  }
  await page.reload();
  await waitForAnswer(`end ${batches.length - 1}`);
  await page.mouse.move(600, 400);
  const dangerous =
    "script, img, iframe, object, embed, style, link, form form, video, audio, svg script, math, input, meta, base";
  expect(await page.locator("assistant-chat .log").locator(dangerous).count()).toBe(0);
  const addresses = await page
    .locator("assistant-chat .log a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const address of addresses) expect(address).toMatch(/^(https?|mailto):/);
  const attributes = await page
    .locator("assistant-chat .log *")
    .evaluateAll((elements) => elements.flatMap((element) => [...element.attributes].map(({ name }) => name)));
  expect(attributes.filter((name) => name.startsWith("on") || name === "style" || name === "srcdoc")).toEqual([]);
  expect([executions, foreignRequests, pageErrors]).toEqual([0, [], []]);
});

it("hostile HTML and Markdown in answers in the website widget are noticed by this test if they run a script", async () => {
  const { page } = await suite.visit();
  let executions = 0;
  await page.exposeFunction("pwned", () => executions++);
  await page.evaluate((text) => {
    document.body.insertAdjacentHTML("beforeend", text);
  }, hostileAnswers.join("\n"));
  await expect.poll(() => executions).toBeGreaterThan(5);
});

it("website widget under a strict Content-Security-Policy streams and renders an answer without errors", async () => {
  const policy = `default-src 'none'; script-src ${suite.service.baseUrl}; connect-src ${suite.service.baseUrl}; require-trusted-types-for 'script'`;
  const { page, pageErrors, open, send, waitForAnswer, launcher } = await suite.visit({
    headers: { "content-security-policy": policy },
  });
  await open();
  suite.upstream.script = streamText(["Under **strict** rules."]);
  await send("Hi");
  await waitForAnswer("Under strict rules.");
  expect(await launcher.evaluate((element) => getComputedStyle(element).borderRadius)).toBe("50%");
  expect(pageErrors).toEqual([]);
  await saveScreenshot(page, "strict-policy");
});
