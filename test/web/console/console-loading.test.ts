import { expect, it } from "vitest";
import { setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

it("console shows every view in a browser that reports an invalid language", async () => {
  const { page, context, pageErrors } = await suite.visit();
  await context.addInitScript(`Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix" })`);
  for (const view of ["chat", "knowledge", "assistants", "operate", "admin", "account"]) {
    await page.goto(`${suite.service.baseUrl}/console/${view}`);
    await page.locator("main").getByRole("heading").first().waitFor();
  }
  expect(await page.evaluate("navigator.language")).toBe("en-US");
  expect(pageErrors).toEqual([]);
});

it("console shows why a view could not be loaded, and loads it on the next attempt", async () => {
  const { page } = await suite.visit();
  await page.getByRole("link", { name: "Chat" }).waitFor();
  await page.route(/admin-view/, (route) => route.abort());
  await page.getByRole("link", { name: "Admin" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("link", { name: "Chat" }).click();
  await page.getByLabel("Message").waitFor();
  await page.getByRole("link", { name: "Admin" }).click();
  await page.unroute(/admin-view/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("main").getByRole("heading").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

it("console shows its logo before its style sheet and scripts are loaded", async () => {
  const context = await suite.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const assets = Promise.withResolvers<void>();
  await page.route("**/assets/**", async (route) => {
    await assets.promise;
    await route.continue();
  });
  await page.goto(`${suite.service.baseUrl}/console/chat`, { waitUntil: "commit" });
  const paints = () => page.evaluate(`performance.getEntriesByName("first-contentful-paint").length`);
  await expect.poll(paints).toBe(1);
  expect(await page.getByRole("img", { name: "Switchboard" }).isVisible()).toBe(true);
  assets.resolve();
  await page.getByLabel("Message").waitFor();
  expect(await page.getByRole("img", { name: "Switchboard" }).count()).toBe(0);
  await context.close();
});
