import { expect, it } from "vitest";
import { setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

/** Most requests, and bytes as they are sent, until a new user can write. */
const MAX_REQUESTS = 15;
const MAX_BYTES = 110_000;

/** Delay from which on timers load what the first view does not need. */
const LATER_MS = 4_000;

it("the console needs few requests and bytes until a new conversation can be written", async () => {
  const { page } = await suite.visit({ path: "/health" });
  // A slow machine would count what is loaded after the first view.
  await page.addInitScript((delayMs) => {
    const { setTimeout } = window;
    const withoutLater = (handler: () => void, ms = 0) => (ms >= delayMs ? 0 : setTimeout(handler, ms));
    Object.assign(window, { setTimeout: withoutLater });
  }, LATER_MS);
  await page.goto(`${suite.service.baseUrl}/console/chat`);
  await page.locator("textarea").first().waitFor();
  await page.waitForLoadState("networkidle");
  const sizes = (await page.evaluate(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(({ encodedBodySize }) => encodedBodySize)`,
  )) as number[];
  expect(sizes.length).toBeLessThanOrEqual(MAX_REQUESTS);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES);
});

it("the console requests the session before the code of the first view is there", async () => {
  const { page } = await suite.visit({ path: "/health" });
  const views = Promise.withResolvers<void>();
  await page.route(/\/assets\/(start|app)-/, (route) => views.promise.then(() => route.continue()));
  const session = page.waitForRequest(/\/v1\/receptor/);
  await page.goto(`${suite.service.baseUrl}/console/chat`, { waitUntil: "commit" });
  await session;
  views.resolve();
  await page.locator("textarea").first().waitFor();
});
