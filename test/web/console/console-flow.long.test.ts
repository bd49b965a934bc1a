import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { saveScreenshot, setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();
const run = promisify(execFile);

const handbook = `# Travel

Trains are preferred for trips under five hours.

# Expenses

Expenses are reimbursed within ten working days. Receipts are required above 25 euros.
`;

it("console lets a new user drop a file, ask about it, open the quote, publish a persona and run its snippet", async () => {
  const { page, pageErrors } = await suite.visit();
  await page.getByRole("heading", { name: "What would you like to know?" }).waitFor();
  const model = page.getByText("The demo model answers.");
  await model.click();
  await page.getByText("export MODEL_PROVIDER=openai-compatible").waitFor();
  await saveScreenshot(page, "1-start");
  await model.click();

  await page.getByRole("link", { name: "Knowledge" }).click();
  await page.getByRole("button", { name: "Create a collection" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Handbook");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("Drop files here").waitFor();
  const file = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "handbook.md", { type: "text/markdown" }));
    return transfer;
  }, handbook);
  await page.dispatchEvent(".drop", "drop", { dataTransfer: file });
  await page.getByText("ready", { exact: true }).waitFor();
  await saveScreenshot(page, "2-knowledge");

  await page.getByRole("link", { name: "Chat" }).click();
  await page.getByLabel("Message").fill("How fast are expenses reimbursed?");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Source 1: handbook" }).first().click();
  const quote = page.locator(".side-panel mark");
  await quote.waitFor();
  expect(await quote.textContent()).toBe("Expenses are reimbursed within ten working days.");
  await saveScreenshot(page, "3-quote");

  await page.getByRole("link", { name: "Assistants" }).click();
  await page.getByRole("link", { name: "New persona" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("Travel desk");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByLabel("Model name").fill("travel-desk");
  await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "Call it" }).waitFor();
  await saveScreenshot(page, "4-published");

  await page.getByRole("link", { name: "Create an API key" }).click();
  await page.getByRole("button", { name: "New API key" }).click();
  await page.getByLabel("Description").fill("First program");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { name: "Your new API key" }).waitFor();
  await page.getByRole("button", { name: "Copy code" }).nth(1).click();
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  await saveScreenshot(page, "5-snippet");
  expect(snippet).toContain('"model": "travel-desk"');
  const { stdout } = await run("bash", ["-c", `${snippet} --silent`]);
  expect(JSON.parse(stdout).choices[0].message.role).toBe("assistant");
  expect(pageErrors).toEqual([]);
});

it("console hides sections that the user's roles exclude, and the API denies access to them", async () => {
  const { page, pageErrors } = await suite.visit({
    path: "/console/assistants/personas",
    identity: { user: "mia", roles: "member" },
  });
  await page.getByRole("link", { name: "Templates" }).waitFor();
  for (const name of ["API keys", "Website widget", "Alert webhooks"]) {
    expect(await page.getByRole("link", { name }).count()).toBe(0);
  }
  await page.goto(`${suite.service.baseUrl}/console/admin/api-keys`);
  await page.getByText("Your roles do not include this section").waitFor();
  await page.goto(`${suite.service.baseUrl}/console/admin/audit`);
  await page.getByText("Your roles do not include this section").waitFor();
  for (const path of ["assistants/unknown", "admin/unknown"]) {
    await page.goto(`${suite.service.baseUrl}/console/${path}`);
    await page.getByText("This page does not exist").waitFor();
  }
  const status = await page.evaluate(async () => {
    const headers = { "x-user-id": "mia", "x-user-roles": "member" };
    return (await fetch("/v1/tenant/api-keys", { headers })).status;
  });
  expect(status).toBe(403);
  // The browser logs the rejected request of this test as an error.
  expect(pageErrors.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
});

it("console switches between local users and between languages", async () => {
  const { page, pageErrors } = await suite.visit();
  await page.getByRole("button", { name: "Menu of me" }).click();
  await page.getByRole("menuitemradio", { name: "alex (member)" }).click();
  await page.getByRole("button", { name: "Menu of alex" }).click();
  await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
  await page.getByRole("heading", { name: "Was möchten Sie wissen?" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("de");
  await page.reload();
  await page.getByRole("button", { name: "Menü von alex" }).waitFor();
  await saveScreenshot(page, "german");
  expect(pageErrors).toEqual([]);
});

it("console uploads a file that is too large for a form, and shows why another file was rejected", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/knowledge" });
  await page.getByRole("button", { name: "New collection" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("Large files");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const line = "Expenses are reimbursed within ten working days.\n";
  const files = [
    { name: "large.txt", mimeType: "text/plain", buffer: Buffer.from(line.repeat(100_000)) },
    { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
  ];
  await page.getByLabel("Choose files").last().setInputFiles(files);
  await page.getByText("The file is empty.").waitFor();
  await page.getByRole("link", { name: "large" }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("console loads at most 60 KB of scripts and styles before a question can be asked", async () => {
  const context = await suite.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  // A busy machine notices the field late, when the page loads what it may need next.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector("textarea")) return;
      observer.disconnect();
      performance.mark("usable");
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(suite.service.baseUrl);
  await page.getByLabel("Message").waitFor();
  const sizes = await page.evaluate(() => {
    const [usable] = performance.getEntriesByName("usable");
    const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    return files
      .filter(({ name, startTime }) => name.includes("/assets/") && startTime < (usable?.startTime ?? 0))
      .map(({ encodedBodySize }) => encodedBodySize);
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`first load of the console: ${(total / 1000).toFixed(1)} KB in ${sizes.length} files`);
  expect(sizes.length).toBeGreaterThan(3);
  expect(total).toBeLessThan(60_000);
  await context.close();
});

it("console shows character references of an answer as their characters", async () => {
  const client = new Client({ tenant: "local", user: "me", roles: "admin" }, suite.service.baseUrl);
  const id = await client.createConversation("References");
  const messages = [
    { role: "assistant", text: "AT&amp;T, &copy;&nbsp;2026, &frac34; and &ngE; but &notareference; and `&lt;`" },
  ];
  await client.post(`/v1/conversations/${id}/messages/import`, { messages });
  const { page, pageErrors } = await suite.visit({ path: `/console/chat/${id}` });
  await page.locator(".prose").waitFor();
  const text = await page.locator(".prose").textContent();
  expect(text).toBe("AT&T, ©\u00a02026, ¾ and \u2267\u0338 but &notareference; and &lt;");
  expect(pageErrors).toEqual([]);
});

it("console runs from right to left in Arabic, and shows titles in their own direction in English", async () => {
  const client = new Client({ tenant: "local", user: "me", roles: "admin" }, suite.service.baseUrl);
  const title = "שעות הפתיחה (1)";
  const id = await client.createConversation(title);
  const context = await suite.browser.newContext({ locale: "ar", viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(`${suite.service.baseUrl}/console/account/data`);
  await page.getByRole("button", { name: "بدء تصدير" }).waitFor();
  const [dir, overflow] = await page.evaluate(() => [
    document.documentElement.dir,
    document.documentElement.scrollWidth - innerWidth,
  ]);
  expect([dir, overflow]).toEqual(["rtl", 0]);
  await page.goto(`${suite.service.baseUrl}/console/chat`);
  const field = page.locator(".composer textarea");
  expect(await field.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  await field.fill("English");
  expect(await field.evaluate((element) => getComputedStyle(element).direction)).toBe("ltr");
  await context.close();

  const { page: english } = await suite.visit({ path: `/console/chat/${id}` });
  const heading = english.getByRole("heading", { name: title });
  await heading.waitFor();
  // Positions of the first letter and of the number after it: from right to left, at the start of an English layout.
  const [first = 0, last = 0, end = 0] = await heading.evaluate((element) => {
    const text = element.firstChild as Text;
    const leftOf = (start: number) => {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, start + 1);
      return range.getBoundingClientRect().left;
    };
    const { left, width } = element.getBoundingClientRect();
    return [leftOf(0), leftOf(text.length - 2), left + width / 2];
  });
  expect(last).toBeLessThan(first);
  expect(first).toBeLessThan(end);
});
