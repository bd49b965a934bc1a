import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { findAxeViolations } from "../widget/widget-suite.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

async function open(path: string, colorScheme: "light" | "dark" = "light") {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1360, height: 860 } });
  const page = await context.newPage();
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  page.on("console", (message) => /error|warning/.test(message.type()) && pageErrors.push(message.text()));
  await page.goto(inject("baseUrl") + path);
  return { page, pageErrors };
}

it("API reference finds an operation by words and opens its section with a command and the fields of the request", async () => {
  const { page, pageErrors } = await open("/docs");
  const all = await page.locator(".operations li").count();
  expect(all).toBeGreaterThan(200);
  await page.getByLabel("Search").fill("post runtime chat");
  await expect.poll(() => page.locator(".operations li:visible").count()).toBeLessThan(5);
  await page.getByRole("link", { name: "Send a message and stream the reply" }).click();
  await page.waitForURL("**/docs/reference/chat#startChat");
  const operation = page.locator("section", { has: page.locator("#startChat") });
  await operation.getByText("curl", { exact: true }).click();
  await operation.getByText('curl -X POST "$BASE_URL/v1/runtime/chat"').waitFor();
  await operation.locator("summary", { hasText: "application/json" }).first().click();
  await operation.getByText("regenerate_message_id", { exact: true }).last().waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

it("API reference needs no horizontal scrolling on a phone", async () => {
  const { page } = await open("/docs");
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ["/docs", "/docs/reference/chat", "/docs/reference/schemas"]) {
    await page.goto(inject("baseUrl") + path);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([path, overflow]).toEqual([path, 0]);
  }
  await page.context().close();
});

it.each(["light", "dark"] as const)(
  "API reference and guides have no axe violations (%s mode)",
  async (colorScheme) => {
    const { page } = await open("/docs/guides", colorScheme);
    const violations: string[] = [];
    const guides = await page
      .locator(".cards a")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname));
    expect(guides.length).toBeGreaterThan(8);
    for (const path of ["/docs", "/docs/reference/chat", "/docs/reference/policy", ...guides]) {
      await page.goto(inject("baseUrl") + path);
      await page.locator("details").evaluateAll((all) => {
        for (const details of all as HTMLDetailsElement[]) details.open = true;
      });
      violations.push(...(await findAxeViolations(page)).map((text) => `${path}: ${text}`));
    }
    expect(violations).toEqual([]);
    await page.context().close();
  },
);
