import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import type { Upstream } from "#test/support/models/upstream.ts";
import { type PageServer, startPageServer } from "#test/support/page-server.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

const screenshotDirectory = join(import.meta.dirname, "../../../test-results/widget");
const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Persona of the sites that suites create. */
export const persona = {
  name: "Ada",
  greeting: "Welcome to the shop! Ask me about parcels, returns and sizes.",
  starter_prompts: ["Where is my parcel?", "How do I return something?"],
};

/** Answer with every kind of Markdown that the widget renders. */
export const richMarkdown = `Parcels usually take **two days** [1]. You can follow yours:

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

/** Page with the widget as a visitor sees it. */
export interface Visit {
  readonly page: Page;
  readonly site: Site;
  readonly context: BrowserContext;
  /** Uncaught errors, and errors and warnings that scripts wrote to the console. */
  readonly pageErrors: string[];
  readonly launcher: Locator;
  readonly panel: Locator;
  readonly input: Locator;
  readonly messages: Locator;
  readonly notice: Locator;
  open(): Promise<void>;
  send(text: string): Promise<void>;
  /** Waits until the last message contains the text and is complete. */
  waitForAnswer(text: string | RegExp): Promise<void>;
}

interface VisitOptions {
  readonly site?: Site;
  readonly attributes?: string;
  readonly language?: string;
  readonly headers?: Record<string, string>;
  readonly browserOptions?: BrowserContextOptions;
}

/** Returns the HTML of a shop page with the given head. */
export const shopPage = (
  head: string,
  language = "en",
) => `<!doctype html><html lang="${language}"><head><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}</head>
<body><main><h1>A shop</h1><p>What we sell.</p><button id="buy">Buy</button></main></body></html>`;

/** Instance, page server and browser of one suite. The properties are available once its tests run. */
export class WidgetSuite {
  service!: ScriptedService;
  pages!: PageServer;
  browser!: Browser;
  admin!: Client;
  readonly #contexts: BrowserContext[] = [];
  #visitCount = 0;

  get upstream(): Upstream {
    return this.service.upstream;
  }

  async start(): Promise<void> {
    mkdirSync(screenshotDirectory, { recursive: true });
    this.pages = await startPageServer();
    [this.service, this.browser] = await Promise.all([
      startScriptedService({
        env: {
          EMBED_SESSION_MESSAGES: "8",
          EMBED_VISITOR_MESSAGES: "1000",
          RATE_LIMIT_EMBED_SESSION: "1000",
        },
      }),
      startBrowser(),
    ]);
    this.admin = new Client(newIdentity(), this.service.baseUrl);
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.service?.stop();
    await this.pages?.stop();
  }

  async closeContexts(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  /** Returns the script element that embeds the widget. */
  embedScript(key: string, attributes = ""): string {
    return `<script async src="${this.service.baseUrl}/v1/embed/widget.js" data-embed-key="${key}" ${attributes}></script>`;
  }

  /** Opens a page with the widget in a new browser context. */
  async visit(options: VisitOptions = {}): Promise<Visit> {
    const { attributes = "", language = "en", headers } = options;
    const site = options.site ?? (await createSite(this.admin, { origin: this.pages.origin, persona }));
    const context = await this.browser.newContext({
      viewport: { width: 1100, height: 780 },
      ...options.browserOptions,
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    const pageErrors: string[] = [];
    page.on("pageerror", (error) => pageErrors.push(String(error)));
    page.on("console", (message) => {
      // The browser logs failed requests itself, which a page cannot prevent.
      if (/error|warning/.test(message.type()) && !/^Failed to load resource|blocked by CORS/.test(message.text()))
        pageErrors.push(message.text());
    });
    const path = `/shop-${++this.#visitCount}`;
    const html = shopPage(this.embedScript(site.key.key, attributes), language);
    this.pages.pages.set(path, { html, ...(headers && { headers }) });
    await page.goto(this.pages.origin + path);
    const messages = page.locator("assistant-chat .message");
    const launcher = page.locator("assistant-chat .launcher");
    const input = page.locator("assistant-chat textarea");
    await launcher.waitFor({ state: "attached" });
    return {
      page,
      site,
      context,
      pageErrors,
      launcher,
      input,
      messages,
      panel: page.locator("assistant-chat .panel"),
      notice: page.locator("assistant-chat .notice"),
      async open() {
        await launcher.click();
        await page.locator("assistant-chat h2", { hasText: persona.name }).waitFor();
      },
      async send(text) {
        await input.fill(text);
        await input.press("Enter");
      },
      async waitForAnswer(text) {
        await messages.last().filter({ hasText: text }).waitFor();
        await page.locator('assistant-chat .log[aria-busy="false"]').waitFor();
      },
    };
  }
}

/** Registers the hooks of a widget suite. */
export function setUpWidgetSuite(): WidgetSuite {
  const suite = new WidgetSuite();
  beforeAll(() => suite.start());
  afterAll(() => suite.stop());
  afterEach(() => suite.closeContexts());
  return suite;
}

/** Saves a screenshot for manual review. */
export const saveScreenshot = (page: Page, name: string) =>
  page.screenshot({ path: join(screenshotDirectory, `${name}.png`) });

/** Returns the chunks `word0 ` … for a streamed answer. */
export const createWords = (count: number) => Array.from({ length: count }, (_, n) => `word${n} `);

/** Returns the accessibility violations that axe finds on the page. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    // @ts-expect-error: the script above defines `axe`
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 150)} ${failureSummary}`),
    );
  });
}
