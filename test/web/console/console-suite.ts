import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { Client, type TestIdentity } from "#test/support/client.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findAxeViolations } from "../widget/widget-suite.ts";

const screenshotDirectory = join(import.meta.dirname, "../../../test-results/console");

/** Page of the console and the errors that it reported. */
export interface ConsoleVisit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors, errors and warnings of scripts, and violations of the content security policy. */
  readonly pageErrors: string[];
}

/** Options of a visit. */
export interface VisitOptions extends BrowserContextOptions {
  readonly path?: string;
  /** Local identity; the administrator `me` if omitted. */
  readonly identity?: { readonly user: string; readonly roles: string };
}

/** Instance and browser of a suite. The properties are available once its tests run. */
export class ConsoleSuite {
  service!: Switchboard;
  browser!: Browser;
  readonly #contexts: BrowserContext[] = [];

  /** Opens the console in a new browser context. */
  async visit({ path = "/", identity, ...options }: VisitOptions = {}): Promise<ConsoleVisit> {
    const context = await this.browser.newContext({
      viewport: { width: 1360, height: 860 },
      locale: "en-US",
      permissions: ["clipboard-read", "clipboard-write"],
      // Requests of a service worker are invisible to a page's routes.
      serviceWorkers: "block",
      ...options,
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(120_000);
    if (identity) {
      const stored = JSON.stringify(identity);
      await context.addInitScript(`localStorage.setItem("switchboard.local-identity", ${JSON.stringify(stored)})`);
    }
    const page = await context.newPage();
    const pageErrors: string[] = [];
    page.on("pageerror", (error) => pageErrors.push(String(error)));
    page.on("console", (message) => {
      const isBlocked = message.text().startsWith("Service Worker registration blocked");
      if (/error|warning/.test(message.type()) && !isBlocked) pageErrors.push(message.text());
    });
    await page.goto(this.service.baseUrl + path);
    return { page, context, pageErrors };
  }

  /** Returns a client that acts as the console's user. */
  async client(): Promise<Client> {
    const response = await fetch(`${this.service.baseUrl}/console/config.json`);
    const { tenant, user, roles } = (await response.json()) as Required<TestIdentity>;
    return new Client({ tenant, user, roles }, this.service.baseUrl);
  }

  async closeContexts(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }
}

function register(suite: ConsoleSuite, start: () => Promise<Switchboard>): void {
  beforeAll(async () => {
    mkdirSync(screenshotDirectory, { recursive: true });
    [suite.service, suite.browser] = await Promise.all([start(), startBrowser()]);
  });
  afterAll(async () => {
    await suite.browser?.close();
    await suite.service?.stop();
  });
  afterEach(() => suite.closeContexts());
}

/** Registers a suite against a fresh instance with the demo model. */
export function setUpConsoleSuite(): ConsoleSuite {
  const suite = new ConsoleSuite();
  register(suite, () => startSwitchboard());
  return suite;
}

/** Registers a suite whose model is scripted by the tests. */
export function setUpScriptedConsoleSuite(
  env: Readonly<Record<string, string>> = {},
): ConsoleSuite & { readonly scripted: () => ScriptedService } {
  const suite = new ConsoleSuite();
  let scripted: ScriptedService | undefined;
  register(suite, async () => {
    scripted = await startScriptedService({ env: { GUARDRAIL_PROVIDER: "none", ...env } });
    return scripted;
  });
  return Object.assign(suite, {
    scripted: () => {
      if (!scripted) throw new Error("The service has not started.");
      return scripted;
    },
  });
}

/** Finds violations of axe and horizontal scrolling in a view: light and dark, at 360 px and wide. Leaves the page wide and light. */
export async function findLayoutProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const width of [360, 1360]) {
    await page.setViewportSize({ width, height: 860 });
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      problems.push(...(await findAxeViolations(page)).map((text) => `${width} px, ${colorScheme}: ${text}`));
    }
    // A view scrolls in its own element, so that the document itself shows no overflow.
    const overflow = await page.evaluate(() =>
      Math.max(
        ...Array.from(document.querySelectorAll("html, main, .page, dialog"), (e) => e.scrollWidth - e.clientWidth),
      ),
    );
    if (overflow > 0) problems.push(`the view is ${overflow} px wider than ${width} px`);
  }
  return problems;
}

/** Saves a screenshot for manual review. */
export const saveScreenshot = (page: Page, name: string) =>
  page.screenshot({ path: join(screenshotDirectory, `${name}.png`) });
