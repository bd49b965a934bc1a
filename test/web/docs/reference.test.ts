import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { startBrowser } from "#test/support/browser.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

it.each(["light", "dark"] as const)(
  "API reference calls the service, within its content security policy (%s)",
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
