import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { findAxeViolations } from "../widget/widget-suite.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

it.each(["light", "dark"] as const)(
  "API reference sends a request to the service without violating its content security policy (%s mode)",
  { timeout: 60_000 },
  async (colorScheme) => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1360, height: 860 } });
    const page = await context.newPage();
    const pageErrors: string[] = [];
    page.on("pageerror", (error) => pageErrors.push(String(error)));
    page.on("console", (message) => /error|warning/.test(message.type()) && pageErrors.push(message.text()));
    await page.goto(`${inject("baseUrl")}/docs#get-/health`);
    await page.getByText("Get the service health").first().waitFor();
    await page.getByRole("button", { name: "Try" }).first().click();
    await page.getByText('"status"').first().waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  },
);

it("API reference shows that openapi.json could not be loaded, and loads it on the next attempt", {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage();
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  const answers = [() => ({ status: 503, json: { code: "unavailable" } }), () => null];
  await page.route("**/v1/openapi.json", (route) => {
    const next = answers.shift();
    if (next === undefined) return route.continue();
    const answer = next();
    return answer ? route.fulfill(answer) : route.abort();
  });
  await page.goto(`${inject("baseUrl")}/docs#get-/health`);
  for (let count = 0; count < 2; count++) {
    await page.getByRole("alert").filter({ hasText: "The API reference could not be loaded." }).waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Try again" }).click();
  }
  await page.getByText("Get the service health").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(pageErrors).toEqual([]);
  await page.close();
});

it.each(["light", "dark"] as const)(
  "API reference and guides have no axe violations (%s mode)",
  { timeout: 120_000 },
  async (colorScheme) => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1360, height: 860 } });
    const page = await context.newPage();
    const baseUrl = inject("baseUrl");
    const violations: string[] = [];
    const check = async (name: string) =>
      violations.push(...(await findAxeViolations(page)).map((text) => `${name}: ${text}`));
    for (const operation of ["post-/v1/runtime/chat", "put-/v1/policy"]) {
      await page.goto("about:blank");
      await page.goto(`${baseUrl}/docs#${operation}`);
      await page.getByRole("button", { name: "Try" }).first().waitFor();
      await page.getByRole("navigation", { name: "Operations" }).waitFor();
      await check(operation);
    }
    await page.goto(`${baseUrl}/docs/guides`);
    const guides = await page
      .locator(".cards a")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    expect(guides.length).toBeGreaterThan(8);
    for (const guide of guides) {
      await page.goto(guide);
      await check(guide);
    }
    expect(violations).toEqual([]);
    await context.close();
  },
);
