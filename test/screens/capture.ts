import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { mapConcurrent } from "../../shared/lib/map-concurrent.ts";
import { bundleComponentsPage } from "./components-page.ts";
import type { Views } from "./seed.ts";

export const widths = [1440, 1024, 360] as const;

/** Number of pages that are open at a time. */
const CONCURRENCY = 3;

/** Time without a request after which a view has loaded, in ms. */
const QUIET_MS = 250;

/** Time after which a view is taken as it is: one that polls or tries again is never quiet for long. */
const MAX_LOADING_MS = 6_000;

/** Appearance of the views, and the state of their data. */
export interface Variant {
  readonly name: string;
  readonly widths: readonly number[];
  readonly locale?: string;
  /** True for a user whose lists are empty. */
  readonly isEmpty?: boolean;
  /** True to let every request of the views fail. */
  readonly isFailing?: boolean;
  readonly colorScheme?: "light" | "dark";
}

/** Waits until a page has no placeholder, and no request has been sent for a moment. */
async function waitUntilLoaded(page: Page): Promise<void> {
  const deadline = Date.now() + MAX_LOADING_MS;
  let pending = 0;
  let changedAt = Date.now();
  const change = (difference: number) => () => {
    pending += difference;
    changedAt = Date.now();
  };
  page.on("request", change(1));
  page.on("requestfinished", change(-1));
  page.on("requestfailed", change(-1));
  await page.locator("main").first().waitFor();
  while (Date.now() < deadline) {
    const isQuiet = pending <= 0 && Date.now() - changedAt > QUIET_MS;
    if (isQuiet && (await page.locator(".skeleton").count()) === 0) return;
    await sleep(50);
  }
}

async function captureView(context: BrowserContext, url: string, file: string, variant: Variant): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize({ width: variant.widths[0] ?? 1440, height: 900 });
  if (variant.isFailing) {
    await page.route(/\/v1\/(?!receptor)/, (route) => route.fulfill({ status: 503, json: {} }));
  }
  const loaded = waitUntilLoaded(page);
  await page.goto(url);
  await loaded;
  for (const width of variant.widths) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
    await page.screenshot({ path: `${file}-${width}.png` });
  }
  await page.close();
}

/** Takes screenshots of all views in one variant. */
export async function captureViews(
  browser: Browser,
  { baseUrl, directory, views }: { readonly baseUrl: string; readonly directory: string; readonly views: Views },
  variant: Variant,
): Promise<void> {
  const { colorScheme = "light", locale = "en-US" } = variant;
  const context = await browser.newContext({ colorScheme, locale, reducedMotion: "reduce" });
  if (variant.isEmpty) {
    const identity = JSON.stringify({ user: "newcomer", roles: "viewer" });
    await context.addInitScript(`localStorage.setItem("switchboard.local-identity", ${JSON.stringify(identity)})`);
  }
  await mapConcurrent(
    Object.entries(views),
    ([name, path]) => captureView(context, baseUrl + path, join(directory, `${name}-${variant.name}`), variant),
    CONCURRENCY,
  );
  await context.close();
}

/** Takes screenshots of the whole page with the design tokens and every control, and of a dialog on it. */
export async function captureComponents(browser: Browser, directory: string): Promise<void> {
  const html = await bundleComponentsPage();
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    for (const width of widths) {
      for (const name of ["components", "dialog"]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`about:blank#${name}`);
        await page.setContent(html);
        const path = join(directory, `${name}-${colorScheme}-${width}.png`);
        const height = await page.locator("main").evaluate(({ scrollHeight }) => scrollHeight);
        if (name === "components") await page.setViewportSize({ width, height });
        await page.screenshot({ path });
      }
    }
    await page.close();
  }
}
