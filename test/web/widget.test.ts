import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import {
  chunk,
  errorResponse,
  type Script,
  startEventStream,
  streamText,
  type Upstream,
} from "#test/support/models/upstream.ts";
import { type PageServer, startPageServer } from "#test/support/page-server.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { hostileAnswers } from "./hostile-answers.ts";

/** Pictures are kept, for people to look at. */
const pictures = join(import.meta.dirname, "../../test-results/widget");
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let upstream: Upstream;
let service: ScriptedService;
/** Another one, with which patience is short. */
let strict: Switchboard;
let pages: PageServer;
let browser: Browser;
let admin: Client;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  pages = await startPageServer();
  [service, strict, browser] = await Promise.all([
    startScriptedService({
      env: {
        GUARDRAIL_PROVIDER: "none",
        EMBED_SESSION_MESSAGES: "8",
        EMBED_VISITOR_MESSAGES: "1000",
        RATE_LIMIT_EMBED_SESSION: "1000",
      },
    }),
    startSwitchboard({ env: { EMBED_SESSION_SECONDS: "5", RATE_LIMIT_EMBED_SESSION: "5" } }),
    startBrowser(),
  ]);
  ({ upstream } = service);
  admin = new Client(newIdentity(), service.baseUrl);
}, 90_000);

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), strict?.stop()]);
  await pages?.stop();
});

const contexts: BrowserContext[] = [];

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

const persona = {
  name: "Ada",
  greeting: "Welcome to the shop! Ask me about parcels, returns and sizes.",
  starter_prompts: ["Where is my parcel?", "How do I return something?"],
};

const embed = (key: string, attributes = "") =>
  `<script async src="${service.baseUrl}/v1/embed/widget.js" data-embed-key="${key}" ${attributes}></script>`;

const shop = (head: string, language = "en") => `<!doctype html><html lang="${language}"><head><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}</head>
<body><main><h1>A shop</h1><p>What we sell.</p><button id="buy">Buy</button></main></body></html>`;

/** A page with the widget as a visitor sees it. */
interface Visit {
  readonly page: Page;
  readonly site: Site;
  readonly context: BrowserContext;
  /** What scripts of ours wrote to the console, and errors they did not catch. */
  readonly complaints: string[];
  readonly launcher: Locator;
  readonly panel: Locator;
  readonly input: Locator;
  readonly messages: Locator;
  readonly notice: Locator;
  open(): Promise<void>;
  say(text: string): Promise<void>;
  /** The text of the latest answer, once it says that. */
  answered(text: string | RegExp): Promise<void>;
}

interface VisitOptions {
  readonly site?: Site;
  readonly attributes?: string;
  readonly language?: string;
  readonly headers?: Record<string, string>;
  readonly browserOptions?: BrowserContextOptions;
}

let visits = 0;

async function visit(options: VisitOptions = {}): Promise<Visit> {
  const { attributes = "", language = "en", headers } = options;
  const site = options.site ?? (await createSite(admin, { origin: pages.origin, persona }));
  const context = await browser.newContext({ viewport: { width: 1100, height: 780 }, ...options.browserOptions });
  contexts.push(context);
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // The browser itself notes answers that are no success; a page cannot keep it from that.
    if (/error|warning/.test(message.type()) && !/^Failed to load resource|blocked by CORS/.test(message.text()))
      complaints.push(message.text());
  });
  const path = `/shop-${++visits}`;
  pages.pages.set(path, { html: shop(embed(site.key.key, attributes), language), ...(headers && { headers }) });
  await page.goto(pages.origin + path);
  const messages = page.locator("assistant-chat .message");
  const launcher = page.locator("assistant-chat .launcher");
  const input = page.locator("assistant-chat textarea");
  await launcher.waitFor({ state: "attached" });
  return {
    page,
    site,
    context,
    complaints,
    launcher,
    input,
    messages,
    panel: page.locator("assistant-chat .panel"),
    notice: page.locator("assistant-chat .notice"),
    async open() {
      await launcher.click();
      await page.locator("assistant-chat h2", { hasText: persona.name }).waitFor();
    },
    async say(text) {
      await input.fill(text);
      await input.press("Enter");
    },
    async answered(text) {
      await messages.last().filter({ hasText: text }).waitFor();
      await page.locator('assistant-chat .log[aria-busy="false"]').waitFor();
    },
  };
}

const picture = (page: Page, name: string) => page.screenshot({ path: join(pictures, `${name}.png`) });

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n} `);

const rich = `Parcels usually take **two days** [1]. You can follow yours:

1. Open *My orders*
2. Choose the parcel
   - a small one
   - or a \`large\` one

| Size | Price | Takes |
| --- | --- | --- |
| Small | 4 € | 2 days |
| Large | 9 € | 3 days |

\`\`\`js
const parcel = await track("A-17");
console.log(parcel.where);
\`\`\`

> More on [our help pages](https://example.com/help).`;

describe("a conversation", () => {
  it("is held on a page of another origin, and goes on after a reload", async () => {
    const { page, site, complaints, open, say, answered, messages, panel, input } = await visit();
    expect(site.origin).not.toBe(service.baseUrl);
    await open();
    await panel.getByText(persona.greeting).waitFor();
    upstream.script = streamText(words(30), { pauseMs: 30 });
    await panel.getByRole("button", { name: "Where is my parcel?" }).click();
    // It is there piece by piece, not all at once.
    await messages.last().filter({ hasText: "word3" }).waitFor();
    expect(await messages.last().textContent()).not.toContain("word29");
    await answered("word29");
    upstream.script = streamText(["Second answer."]);
    await say("And then?");
    await answered("Second answer.");
    await page.reload();
    // What was open is open again.
    await messages.nth(3).waitFor();
    expect(await messages.allTextContents()).toEqual([
      "You: Where is my parcel?",
      expect.stringContaining("word29"),
      "You: And then?",
      "Ada: Second answer.",
    ]);
    expect(await input.isEnabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("goes on where it was when the page is reloaded in the middle of an answer", async () => {
    const { page, complaints, open, say, answered, messages } = await visit();
    await open();
    upstream.script = streamText(words(40), { pauseMs: 50 });
    const asked = upstream.requests.length;
    await say("A long one");
    await messages.last().filter({ hasText: "word3" }).waitFor();
    await page.reload();
    await answered("word39");
    expect(await messages.last().textContent()).toBe(`Ada: ${words(40).join("").trim()}`);
    expect(upstream.requests).toHaveLength(asked + 1);
    expect(complaints).toEqual([]);
  });

  it("is found again at the visitor's word when it was lost sight of", async () => {
    const { page, complaints, open, say, answered, messages, notice } = await visit();
    await open();
    const lost = Promise.withResolvers<void>();
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "One moment. " }));
      await lost.promise;
      response.write(chunk({ content: "Here it is." }, { finish_reason: "stop" }));
      response.end("data: [DONE]\n\n");
    };
    await say("Where is it?");
    await messages.last().filter({ hasText: "One moment." }).waitFor();
    const headers = { "access-control-allow-origin": pages.origin, "access-control-expose-headers": "retry-after" };
    await page.route("**/stream", (route) =>
      route.fulfill({ status: 429, headers: { ...headers, "retry-after": "1" }, json: { code: "rate_limited" } }),
    );
    await page.reload();
    await notice.getByText("That was a lot at once.").waitFor();
    await page.unroute("**/stream");
    lost.resolve();
    await notice.getByRole("button", { name: "Try again" }).click();
    await answered("Here it is.");
    expect(await notice.isHidden()).toBe(true);
    expect(await messages.count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("is not asked twice for an answer that was out of reach for long", async () => {
    const { page, complaints, open, say, answered, messages, notice } = await visit();
    await open();
    upstream.script = streamText(["Here it is."]);
    const asked = upstream.requests.length;
    await page.clock.install();
    // What is said arrives; what is answered does not.
    await page.route("**/messages", async (route) => {
      await route.fetch();
      await route.abort("connectionrefused");
    });
    await say("Where is it?");
    await notice.getByText("Reconnecting").waitFor();
    const given = notice.getByText("cannot be reached");
    await expect
      .poll(() => page.clock.fastForward(20_000).then(() => given.isVisible()), { timeout: 20_000 })
      .toBe(true);
    await page.unroute("**/messages");
    await notice.getByRole("button", { name: "Try again" }).click();
    await answered("Here it is.");
    expect(await messages.allTextContents()).toEqual(["You: Where is it?", "Ada: Here it is."]);
    await page.reload();
    await answered("Here it is.");
    expect(await messages.count()).toBe(2);
    expect(upstream.requests).toHaveLength(asked + 1);
    expect(complaints).toEqual([]);
  });

  it("is not shown to somebody else at the same browser", async () => {
    const { page, site, open, say, answered, messages, panel } = await visit({ attributes: 'data-visitor-id="ann"' });
    const nowHere = async (visitor: string) => {
      pages.pages.set(new URL(page.url()).pathname, {
        html: shop(embed(site.key.key, `data-visitor-id="${visitor}"`)),
      });
      await page.reload();
      await panel.getByText(persona.greeting).waitFor();
    };
    await open();
    upstream.script = streamText(["Hello, Ann."]);
    await say("It is me");
    await answered("Hello, Ann.");
    await nowHere("ann");
    await answered("Hello, Ann.");
    await nowHere("bob");
    expect(await messages.count()).toBe(0);
  });

  it("outlives the connection: nothing is lost and nothing comes twice", async () => {
    const { context, complaints, open, say, answered, messages, notice } = await visit();
    await open();
    upstream.script = streamText(words(50), { pauseMs: 40 });
    const asked = upstream.requests.length;
    await say("A long one");
    await messages.last().filter({ hasText: "word3" }).waitFor();
    await context.setOffline(true);
    await notice.getByText("You are offline").waitFor();
    await context.setOffline(false);
    await answered("word49");
    expect(await notice.isHidden()).toBe(true);
    expect(await messages.last().textContent()).toBe(`Ada: ${words(50).join("").trim()}`);
    expect(upstream.requests).toHaveLength(asked + 1);
    expect(complaints).toEqual([]);
  });

  it("takes what is said while there is no connection, once there is one", async () => {
    const { context, open, say, answered, notice } = await visit();
    await open();
    upstream.script = streamText(["Here it is."]);
    const asked = upstream.requests.length;
    await context.setOffline(true);
    await say("Are you there?");
    await notice.getByText("You are offline").waitFor();
    await context.setOffline(false);
    await answered("Here it is.");
    expect(upstream.requests).toHaveLength(asked + 1);
  });

  it("can be stopped, and tried again where the model failed", async () => {
    const { panel, open, say, answered, messages, notice } = await visit();
    await open();
    upstream.script = streamText(words(200), { pauseMs: 40 });
    await say("Go on for ever");
    await messages.last().filter({ hasText: "word2" }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).click();
    await answered("Stopped");
    upstream.script = errorResponse(400, "no");
    await say("Again");
    await notice.getByText("That did not work. Please try again.").waitFor();
    upstream.script = streamText(["Now it works."]);
    await notice.getByRole("button", { name: "Try again" }).click();
    await answered("Now it works.");
    expect(await messages.filter({ hasText: "Again" }).count()).toBe(1);
  });

  it("shows code, tables, lists, quotes and sources as such, while they come and afterwards", async () => {
    const collection = await admin.post("/v1/knowledge/collections", { name: "Parcels", visibility: "tenant" });
    const documents = `/v1/knowledge/collections/${collection.body.id}/documents`;
    const text = "Parcels usually take two days.";
    const made = await admin.post(documents, { title: "About parcels", text, uri: "https://example.com/parcels" });
    await expect.poll(async () => (await admin.get(`${documents}/${made.body.id}`)).body.status).toBe("ready");
    const site = await createSite(admin, {
      origin: pages.origin,
      persona: { ...persona, tier: "THINKING", collection_ids: [collection.body.id] },
    });
    const { page, open, say, answered, messages, complaints } = await visit({ site });
    await open();
    upstream.script = streamText(rich.match(/[\s\S]{1,12}/g) ?? [], { pauseMs: 5 });
    await say("How long do parcels take?");
    await messages.last().locator("table").waitFor();
    await answered("About parcels");
    const answer = messages.last();
    const shape = async () => ({
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
    expect(await shape()).toEqual(expected);
    await picture(page, "desktop");
    await page.reload();
    await answered("About parcels");
    expect(await shape()).toEqual(expected);
    expect(complaints).toEqual([]);
  });

  it("says that code was copied once it was", async () => {
    const { page, open, say, messages, complaints } = await visit();
    await open();
    upstream.script = streamText(["```js\nlet a;\n```"]);
    await say("Show me code");
    const copy = messages.last().locator("button.copy");
    const copied = async (clipboard: "refused" | "missing" | "there") => {
      await page.evaluate((kind) => {
        const refuse = () => Promise.reject(new Error("Not allowed"));
        const write = async (text: string) => {
          document.title = text;
        };
        const value = { refused: { writeText: refuse }, missing: undefined, there: { writeText: write } }[kind];
        Object.defineProperty(navigator, "clipboard", { value, configurable: true });
      }, clipboard);
      await copy.click();
      return copy.getAttribute("aria-label");
    };
    expect(await copied("refused")).toBe("Copy");
    expect(await copied("missing")).toBe("Copy");
    await expect.poll(() => copied("there")).toBe("Copied");
    expect(await page.title()).toBe("let a;");
    expect(complaints).toEqual([]);
  });
});

describe("what a model says", () => {
  it(`runs nothing: ${hostileAnswers.length} hostile answers, streamed, whole, and after a reload`, {
    timeout: 60_000,
  }, async () => {
    const { page, open, say, answered, messages, complaints, site } = await visit();
    let ran = 0;
    await page.exposeFunction("pwned", () => ran++);
    // A dialog or another page would be as bad.
    page.on("dialog", () => ran++);
    page.on("framenavigated", (frame) =>
      frame === page.mainFrame() && frame.url().startsWith(site.origin) ? 0 : ran++,
    );
    const outside: string[] = [];
    page.on("request", (request) => {
      const { origin } = new URL(request.url());
      if (origin !== site.origin && origin !== service.baseUrl) outside.push(request.url());
    });
    await open();
    const half = Math.ceil(hostileAnswers.length / 2);
    // Several to a session, for a session takes so many messages; apart from one another, and cut where it may hurt.
    const batches = [hostileAnswers.slice(0, half), hostileAnswers.slice(half)].flatMap((batch) => [
      batch.filter((_, n) => n % 3 === 0),
      batch.filter((_, n) => n % 3 === 1),
      batch.filter((_, n) => n % 3 === 2),
    ]);
    for (const [n, batch] of batches.entries()) {
      const answer = `${batch.join("\n\n---\n\n")}\n\nend ${n}`;
      upstream.script = streamText(answer.match(/[\s\S]{1,7}/g) ?? []);
      await say(`Batch ${n}`);
      await answered(`end ${n}`);
      for (const trap of await messages.last().getByText("Click me").all()) {
        if (await trap.isVisible()) await trap.click({ noWaitAfter: true });
      }
    }
    await page.reload();
    await answered(`end ${batches.length - 1}`);
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
    expect([ran, outside, complaints]).toEqual([0, [], []]);
  });

  it("would be noticed if it ran", async () => {
    const { page } = await visit();
    let ran = 0;
    await page.exposeFunction("pwned", () => ran++);
    await page.evaluate((text) => {
      document.body.insertAdjacentHTML("beforeend", text);
    }, hostileAnswers.join("\n"));
    await expect.poll(() => ran).toBeGreaterThan(5);
  });
});

describe("a page with a strict Content-Security-Policy", () => {
  it("has a widget that looks and works as ever", async () => {
    const policy = `default-src 'none'; script-src ${service.baseUrl}; connect-src ${service.baseUrl}; require-trusted-types-for 'script'`;
    const { page, complaints, open, say, answered, launcher } = await visit({
      headers: { "content-security-policy": policy },
    });
    await open();
    upstream.script = streamText(["Under **strict** rules."]);
    await say("Hi");
    await answered("Under strict rules.");
    expect(await launcher.evaluate((element) => getComputedStyle(element).borderRadius)).toBe("50%");
    expect(complaints).toEqual([]);
    await picture(page, "strict-policy");
  });
});

/** What axe finds wrong with the page as it is, in a few words each. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // @ts-expect-error: what the script above has put there
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 150)} ${failureSummary}`),
    );
  });
}

const focused = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });

describe("whoever does not use a mouse", () => {
  it("does everything from the keyboard", async () => {
    const { page, panel, answered, messages, launcher } = await visit();
    await page.locator("#buy").focus();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Open chat");
    await page.keyboard.press("Enter");
    await panel.getByText(persona.greeting).waitFor();
    await expect.poll(() => focused(page)).toBe("Write a message");
    upstream.script = streamText(words(300), { pauseMs: 30 });
    await page.keyboard.type("Hello");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("there");
    await page.keyboard.press("Enter");
    await messages.last().filter({ hasText: "word2" }).waitFor();
    expect(await messages.first().textContent()).toBe("You: Hello\nthere");
    await page.keyboard.press("Tab");
    const read = (await messages.last().textContent())?.length ?? 0;
    await expect.poll(async () => (await messages.last().textContent())?.length).toBeGreaterThan(read + 50);
    expect(await focused(page)).toBe("Stop");
    await page.keyboard.press("Enter");
    await answered("Stopped");
    await expect.poll(() => focused(page)).toBe("Write a message");
    const order = [];
    for (let n = 0; n < 4; n++) {
      await page.keyboard.press("Shift+Tab");
      order.push(await focused(page));
    }
    expect(order).toEqual(["Conversation", "Close chat", "Start a new conversation", "Buy"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => messages.count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await panel.isVisible()).toBe(false);
    expect(await launcher.getAttribute("aria-expanded")).toBe("false");
    expect(await focused(page)).toBe("Open chat");
  });

  it("gets the cursor back where it was when the page itself opened the chat", async () => {
    const { page, panel } = await visit();
    await page.locator("#buy").focus();
    await page.evaluate("assistantChat.open()");
    await expect.poll(() => focused(page)).toBe("Write a message");
    await page.keyboard.press("Escape");
    expect(await panel.isVisible()).toBe(false);
    expect(await focused(page)).toBe("Buy");
  });

  it("is read an answer once, whole, and not word by word", async () => {
    const { page, open, say, answered } = await visit();
    await open();
    await page.evaluate(() => {
      const status = document.querySelector("assistant-chat")?.shadowRoot?.querySelector('[role="status"]');
      const heard: string[] = [];
      Object.assign(window, { heard });
      if (status)
        new MutationObserver(() => heard.push(status.textContent ?? "")).observe(status, {
          childList: true,
          characterData: true,
          subtree: true,
        });
    });
    upstream.script = streamText(words(20), { pauseMs: 30 });
    await say("Hi");
    await answered("word19");
    await expect.poll(() => page.evaluate("heard")).toEqual(["Ada is answering", words(20).join("").trim()]);
    upstream.script = streamText(["Read **this** `first`:\n\n", "- [one](https://one.test)\n- two"]);
    await say("And then?");
    await expect
      .poll(() => page.evaluate("heard.slice(2)"))
      .toEqual(["Ada is answering", expect.stringMatching(/^Read this first:\s+one\s+two$/)]);
    const live = await page.locator("assistant-chat .log").getAttribute("aria-live");
    expect(live).toBe("off");
  });

  it("finds nothing that axe objects to: closed, open, with an answer, with trouble, dark and small", {
    timeout: 60_000,
  }, async () => {
    const { page, open, say, answered, notice, context, panel } = await visit();
    expect(await violations(page)).toEqual([]);
    await open();
    await panel.getByText(persona.greeting).waitFor();
    expect(await violations(page)).toEqual([]);
    upstream.script = streamText([rich]);
    await say("How long do parcels take?");
    await answered("our help pages");
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await violations(page)).toEqual([]);
    await picture(page, "dark");
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await violations(page)).toEqual([]);
    await picture(page, "mobile-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await picture(page, "mobile");
    await context.setOffline(true);
    await say("Hello?");
    await notice.getByText("You are offline").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("stays inside where it covers the page", async () => {
    const { page, open } = await visit({
      browserOptions: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
    });
    await open();
    const place = () => page.locator("assistant-chat .panel").boundingBox();
    await expect.poll(place).toEqual({ x: 0, y: 0, width: 390, height: 780 });
    const seen = new Set<string>();
    for (let n = 0; n < 12; n++) {
      await page.keyboard.press("Tab");
      seen.add(await focused(page));
    }
    expect(seen).not.toContain("Buy");
    expect(seen).toContain("Write a message");
    expect(seen).toContain("Close chat");
  });

  it("is spared movements where the system says so", async () => {
    const moving = (page: Page) =>
      page.locator("assistant-chat .panel").evaluate((panel) => getComputedStyle(panel).animationName);
    const usual = await visit();
    await usual.open();
    expect(await moving(usual.page)).toBe("rise");
    const spared = await visit({ browserOptions: { reducedMotion: "reduce" } });
    await spared.open();
    expect(await moving(spared.page)).toBe("none");
  });
});

describe("looks and languages", () => {
  it("speaks English, German, Spanish and Japanese, and whatever else it is in English", async () => {
    const spoken: string[] = [];
    for (const language of ["en-GB", "de-AT", "es", "ja", "fi"]) {
      const { launcher } = await visit({ language });
      spoken.push((await launcher.getAttribute("aria-label")) ?? "");
    }
    expect(spoken).toEqual(["Open chat", "Chat öffnen", "Abrir el chat", "チャットを開く", "Open chat"]);
  });

  it("is written from right to left where the language is", async () => {
    const { page, open, say, answered, panel } = await visit({ attributes: 'data-locale="ar"' });
    await open();
    expect(await panel.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    upstream.script = streamText(["أهلا وسهلا. تصل الطرود عادة خلال يومين."]);
    await say("مرحبا");
    await answered("الطرود");
    const place = await panel.boundingBox();
    expect(place?.x).toBeGreaterThanOrEqual(0);
    expect(place?.x).toBeLessThan(40);
    const avatar = await page.locator("assistant-chat .avatar").boundingBox();
    const close = await panel.getByRole("button", { name: "Close chat" }).first().boundingBox();
    expect(avatar?.x).toBeGreaterThan(close?.x ?? 0);
    await picture(page, "right-to-left");
  });

  it("takes its colours from the key, and before that from the page", async () => {
    const site = await createSite(admin, {
      origin: pages.origin,
      persona,
      theme: { accent: "rgb(0, 120, 90)", "on-accent": "rgb(255, 255, 255)", mode: "dark" },
    });
    const { page, open, launcher } = await visit({ site });
    await open();
    const colour = () => launcher.evaluate((element) => getComputedStyle(element).backgroundColor);
    await expect.poll(colour).toBe("rgb(0, 120, 90)");
    expect(await page.locator("assistant-chat").getAttribute("theme")).toBe("dark");
    await picture(page, "themed");
    await page.addStyleTag({ content: "assistant-chat { --assistant-accent: rgb(1, 2, 3); }" });
    expect(await colour()).toBe("rgb(1, 2, 3)");
  });
});

describe("when it does not work", () => {
  const expectCalm = async ({ page, complaints, panel, input }: Visit, name: string) => {
    expect(await panel.isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await picture(page, `trouble-${name}`);
    return input.isDisabled();
  };

  it("says so on a website that is not the key's", async () => {
    const site = await createSite(admin, { origin: "https://another.example", persona });
    const visited = await visit({ site });
    await visited.launcher.click();
    await visited.notice.getByText("This chat is not available on this website.").waitFor();
    expect(await expectCalm(visited, "origin")).toBe(true);
  });

  it("says so when the key was revoked, before or in the middle of a conversation", async () => {
    const visited = await visit();
    await visited.open();
    upstream.script = streamText(["Hello."]);
    await visited.say("Hi");
    await visited.answered("Hello.");
    await admin.delete(`/v1/tenant/embed-keys/${visited.site.key.id}`);
    await visited.say("Still there?");
    await visited.notice.getByText("This chat is not available at the moment.").waitFor();
    expect(await expectCalm(visited, "revoked")).toBe(true);
    await visited.page.reload();
    await visited.notice.getByText("This chat is not available at the moment.").waitFor();
    expect(visited.complaints).toEqual([]);
  });

  it("offers a new conversation when the old one has reached its limit", async () => {
    const visited = await visit();
    await visited.open();
    for (let n = 0; n < 8; n++) {
      upstream.script = streamText([`Answer ${n}.`]);
      await visited.say(`Question ${n}`);
      await visited.answered(`Answer ${n}.`);
    }
    await visited.say("One more");
    await visited.notice.getByText("This conversation has reached its limit.").waitFor();
    await expectCalm(visited, "full");
    upstream.script = streamText(["A fresh start."]);
    await visited.notice.getByRole("button", { name: "Start a new conversation" }).click();
    // What could not be said in the old one is said in the new one.
    await visited.answered("A fresh start.");
    expect(await visited.messages.allTextContents()).toEqual(["You: One more", "Ada: A fresh start."]);
  });

  it("waits for a server that cannot be reached, and then asks", { timeout: 60_000 }, async () => {
    const visited = await visit();
    await visited.page.route("**/v1/embed/sessions**", (route) => route.abort("connectionrefused"));
    await visited.page.route("**/health", (route) => route.abort("connectionrefused"));
    await visited.launcher.click();
    await visited.notice.getByText("Reconnecting").waitFor();
    await visited.page.unroute("**/v1/embed/sessions**");
    await visited.panel.getByText(persona.greeting).waitFor({ timeout: 20_000 });
    expect(visited.complaints).toEqual([]);
  });
});

describe("expired and limited sessions", () => {
  async function strictVisit(): Promise<Visit> {
    const site = await createSite(new Client(newIdentity(), strict.baseUrl), { origin: pages.origin, persona });
    return visit({ site, attributes: `data-base-url="${strict.baseUrl}"` });
  }

  it("expire: a visitor is told, and goes on in a new one", async () => {
    const visited = await strictVisit();
    await visited.open();
    await visited.page.waitForTimeout(5_500);
    await visited.say("Still there?");
    await visited.notice.getByText("This conversation has expired.").waitFor();
    await picture(visited.page, "trouble-expired");
    expect(await violations(visited.page)).toEqual([]);
    await visited.notice.getByRole("button", { name: "Start a new conversation" }).click();
    await visited.answered("Still there?");
    await visited.page.waitForTimeout(5_500);
    // Whoever comes back later is not bothered with what is over.
    await visited.page.reload();
    await visited.panel.getByText(persona.greeting).waitFor();
    expect(await visited.messages.count()).toBe(0);
    expect(visited.complaints).toEqual([]);
  });

  it("are slowed down: a visitor is told for how long", async () => {
    const visited = await strictVisit();
    await visited.open();
    for (let n = 0; n < 12 && (await visited.notice.isHidden()); n++) {
      await visited.say(`Question ${n}`);
      await Promise.race([
        visited.answered(/found nothing/),
        visited.notice.getByText("That was a lot at once.").waitFor(),
      ]);
    }
    await visited.notice.getByText(/Please try again in \d+ (seconds?|minutes?)/).waitFor();
    await picture(visited.page, "trouble-busy");
    expect(visited.complaints).toEqual([]);
  });
});

describe("the script", () => {
  it("fits into 16 KB, and may be kept by whoever passes it on", async () => {
    const response = await fetch(`${service.baseUrl}/v1/embed/widget.js`);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("public");
    const script = await response.text();
    const size = gzipSync(script, { level: 9 }).length;
    console.log(`widget.js: ${size} bytes with gzip`);
    expect(size).toBeLessThanOrEqual(16_384);
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
  });

  it("gives pages a way to open, close, speak, listen and take it away", async () => {
    const { page, panel, messages, answered } = await visit();
    upstream.script = streamText(["Said and done."]);
    await page.evaluate(`
      window.heard = [];
      for (const name of ["open", "close", "ready", "message", "error"])
        assistantChat.on(name, (detail) => heard.push([name, detail?.role ?? detail?.persona?.name ?? null, detail?.text ?? null]));
      window.unheard = [];
      assistantChat.on("open", () => unheard.push("open"))();
      assistantChat.send("From the page");
    `);
    await answered("Said and done.");
    await page.evaluate("assistantChat.close()");
    expect(await panel.isVisible()).toBe(false);
    expect(await page.evaluate("heard")).toEqual([
      ["open", null, null],
      ["ready", "Ada", null],
      ["message", "user", "From the page"],
      ["message", "assistant", "Said and done."],
      ["close", null, null],
    ]);
    expect(await page.evaluate("unheard")).toEqual([]);
    await page.evaluate("assistantChat.destroy()");
    expect(await page.locator("assistant-chat").count()).toBe(0);
    expect(await messages.count()).toBe(0);
  });

  it("serves an element that was placed by hand as well", async () => {
    const { page, site, complaints } = await visit();
    await page.evaluate((key) => {
      document.querySelector("assistant-chat")?.remove();
      const element = document.createElement("assistant-chat");
      element.setAttribute("embed-key", key);
      document.body.append(element);
    }, site.key.key);
    await page.locator("assistant-chat .launcher").click();
    await page.locator("assistant-chat").getByText(persona.greeting).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("what goes over the wire", () => {
  it("is what the page shows and nothing of how it came about", async () => {
    const secret = "HOUSE-RULES-OF-ADA";
    const collection = await admin.post("/v1/knowledge/collections", { name: "Wire", visibility: "tenant" });
    const documents = `/v1/knowledge/collections/${collection.body.id}/documents`;
    const made = await admin.post(documents, {
      title: "Zeppelins",
      text: "Zeppelins fly slowly. SOURCE-TEXT-ZEPPELIN",
    });
    await expect.poll(async () => (await admin.get(`${documents}/${made.body.id}`)).body.status).toBe("ready");
    const site = await createSite(admin, {
      origin: pages.origin,
      persona: {
        ...persona,
        instructions: secret,
        tier: "THOUGHT_PARTNER",
        tools: ["calculate", "search_knowledge"],
        collection_ids: [collection.body.id],
      },
    });
    const { page, open, say, answered } = await visit({ site });
    // Every byte that scripts of the page get to see, as it comes.
    await page.addInitScript(() => {
      const received: string[] = [];
      const unwatched = window.fetch;
      const copy = async (response: Response, place: number) => {
        const text = response.clone().body?.pipeThrough(new TextDecoderStream());
        for await (const part of text ?? []) received[place] += part;
      };
      const watched: typeof fetch = async (...request) => {
        const response = await unwatched(...request);
        copy(response, received.push("") - 1).catch(() => {});
        return response;
      };
      Object.assign(window, { received, fetch: watched });
    });
    const received = async () => (await page.evaluate<string[]>("received")).join("\n");
    await page.reload();
    upstream.script = usingATool('{"expression":"17 * 3 + TOOL-ARGUMENT"}', "Zeppelins fly slowly [1].");
    const asked = upstream.requests.length;
    await open();
    await say("How do zeppelins fly?");
    await answered("Zeppelins fly slowly");
    await expect.poll(received).toContain("event: done");
    const streamed = await received();
    await page.reload();
    await answered("Zeppelins fly slowly");
    await expect.poll(received).toContain("Zeppelins fly slowly");
    const bytes = `${streamed}\n${await received()}`;
    const told = JSON.stringify(upstream.requests.slice(asked));
    // All of this was there to be given away.
    for (const text of [secret, "SOURCE-TEXT-ZEPPELIN", "TOOL-ARGUMENT"]) expect(told).toContain(text);
    expect(streamed).toMatch(/event: assistant_message[\s\S]*Zeppelins fly slowly[\s\S]*event: done/);
    expect(bytes.match(/"id":"[\w-]{56}"/g)?.length).toBeGreaterThan(1);
    for (const text of [
      ...[secret, "SOURCE-TEXT-ZEPPELIN", "TOOL-ARGUMENT", "calculate", "expression"],
      ...[
        admin.identity.tenant,
        admin.identity.user,
        collection.body.id,
        made.body.id,
        site.key.persona_id,
        site.key.id,
      ],
      ...["thinking_step", "search_transparency", "guardrail_result", "execution_trace", "swtoken_update", "gpt-4o"],
    ]) {
      expect(bytes).not.toContain(text);
    }
  });
});

/** A model that uses a tool with these arguments before it answers. */
function usingATool(argument: string, answer: string): Script {
  const speaking = streamText([answer]);
  return async (response, request) => {
    if (
      !request.body.stream ||
      !request.body.tools ||
      request.body.messages.some(({ role }: { role: string }) => role === "tool")
    )
      return speaking(response, request);
    const call = { index: 0, id: "call-1", type: "function", function: { name: "calculate", arguments: argument } };
    const event = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${event({ role: "assistant", tool_calls: [call] }, null)}${event({}, "tool_calls")}data: [DONE]\n\n`);
  };
}
