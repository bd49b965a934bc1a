import type { Page } from "playwright-core";
import { beforeEach, expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import { setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

beforeEach(() => {
  suite.scripted().upstream.script = streamText(["The reading room ", "opens at nine."], { pauseMs: 20 });
});

/** Records the requests of a page to the API, without ids. */
function recordRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/"))
      requests.push(`${request.method()} ${pathname.replaceAll(/[\da-f-]{36}/g, "{id}")}`);
  });
  return requests;
}

async function ask(page: Page, question: string): Promise<void> {
  await page.locator("textarea").first().fill(question);
  await page.keyboard.press("Enter");
  const answer = page
    .locator(".turns article.message.assistant, .turns article.message")
    .filter({ hasText: "opens at nine" });
  const count = await answer.count();
  await expect.poll(() => answer.count()).toBe(count + 1);
  await page.waitForLoadState("networkidle");
}

it("a question takes one request to ask it and two for what was stored, and the first one another", async () => {
  const { page } = await suite.visit({ path: "/console/chat" });
  // The counts of open work are loaded after the first view.
  const isLoaded = `performance.getEntriesByType("resource").some(({ name }) => name.includes("/v1/investigations"))`;
  await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
  await page.waitForLoadState("networkidle");
  const requests = recordRequests(page);
  await ask(page, "When does the reading room open?");
  const stored = ["GET /v1/conversations/{id}", "GET /v1/conversations/{id}/messages"];
  expect(requests.splice(0)).toEqual(["POST /v1/conversations", "POST /v1/runtime/chat", ...stored]);
  await page.getByRole("link", { name: "A scripted title", exact: true }).waitFor();
  await ask(page, "And on Sundays?");
  expect(requests).toEqual(["POST /v1/runtime/chat", ...stored]);
});

it("a second tab shows an answer without waiting for its next look", async () => {
  const { page, context } = await suite.visit({ path: "/console/chat" });
  await ask(page, "When does the reading room open?");
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByText("opens at nine").waitFor();
  // From here on, only the other tab tells that time has passed.
  await other.clock.install();
  await ask(page, "And on Sundays?");
  await other.getByText("And on Sundays?").waitFor();
});
