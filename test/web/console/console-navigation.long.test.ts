import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

beforeAll(async () => {
  const client = await suite.client();
  await client.createConversation("Expenses");
});

/** Things that people look for, with the two names that they click, and the heading of the page that has them. */
const things: readonly (readonly [thing: string, first: string, second: string, heading: string])[] = [
  ["what the assistant remembers about oneself", "Menu of me", "Memories", "Memories"],
  ["one's own notes", "Menu of me", "Notes", "Notes"],
  ["tools that run without a question", "Menu of me", "Consents to tools", "Consents to tools"],
  ["the export of one's own data", "Menu of me", "Exports and deletion", "Exports and deletion"],
  ["an earlier conversation", "Chat", "Expenses", "Expenses"],
  ["a collection of documents", "Knowledge", "Create a collection", "New collection"],
  ["the role that the assistant plays", "Assistants", "Personas", "Personas"],
  ["a prompt that is reused", "Assistants", "Templates", "Templates"],
  ["the tools of an assistant", "Assistants", "Tool servers", "Tool servers"],
  ["the chat on a website", "Assistants", "Website widget", "Website widget"],
  ["a request that waits for a decision", "Operate", "Approvals", "Approvals"],
  ["an open incident", "Operate", "Incidents", "Incidents"],
  ["the channel of an alert", "Operate", "Alerts", "Alerts"],
  ["the assistant in Slack", "Operate", "Slack", "Slack"],
  ["the invitation of a person", "Admin", "People", "People"],
  ["the rules of the organization", "Admin", "Policy", "Policy"],
  ["the budget of a person", "Admin", "Budgets", "Budgets"],
  ["what was changed and by whom", "Admin", "Audit trail", "Audit trail"],
  ["the key of a program", "Admin", "API keys", "API keys"],
  ["the language model that answers", "Admin", "Language models", "Language models"],
];

const click = (page: Page, name: string) =>
  page
    .getByRole("link", { name, exact: true })
    .or(page.getByRole("button", { name, exact: true }))
    .or(page.getByRole("menuitem", { name, exact: true }))
    .filter({ visible: true })
    .first()
    .click();

it("console has 20 of 20 things that people look for within two clicks", async () => {
  const { page, pageErrors } = await suite.visit();
  const missing: string[] = [];
  for (const [thing, first, second, heading] of things) {
    await page.goto(`${suite.service.baseUrl}/console/knowledge`);
    await page.getByRole("button", { name: "Menu of me" }).waitFor();
    try {
      await click(page, first);
      await click(page, second);
      await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
    } catch {
      missing.push(thing);
    }
  }
  expect(things).toHaveLength(20);
  expect(missing).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console shows a member only the sections that the member has a use for", async () => {
  const identity = { user: "mia", roles: "member" };
  const { page, pageErrors } = await suite.visit({ path: "/console/assistants", identity });
  const linksOf = (name: string) => page.getByRole("navigation", { name }).getByRole("link").allTextContents();
  await page.getByRole("heading", { name: "Personas" }).waitFor();
  expect(await linksOf("Main navigation")).toEqual(["Chat", "Knowledge", "Assistants", "Operate"]);
  expect(await linksOf("Sections of Assistants")).toEqual(["Personas", "Templates"]);
  await page.getByRole("link", { name: "Operate" }).click();
  await page.getByRole("heading", { name: "Approvals" }).waitFor();
  expect(await linksOf("Sections of Operate")).toEqual(["Approvals", "Incidents"]);
  await page.goto(`${suite.service.baseUrl}/console/admin`);
  await page.getByText("Your roles do not include this section").waitFor();
  expect(pageErrors).toEqual([]);
});

it("console counts waiting approvals in the navigation until they are decided", async () => {
  const other = new Client({ tenant: "local", user: "lovelace", roles: "member" }, suite.service.baseUrl);
  const action = { operation: "launch", params: { ship: "Argo" } };
  expect((await other.post("/v1/approvals", { type: "tool_execution", action })).status).toBe(201);
  const { page, pageErrors } = await suite.visit({ path: "/console/operate" });
  const main = page.getByRole("navigation", { name: "Main navigation" });
  await main.getByRole("link", { name: "Operate 1 open" }).waitFor();
  await page.getByRole("link", { name: "Approvals 1 open" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await main.getByRole("link", { name: "Operate", exact: true }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("user's menu of the console is within the screen of a phone, and leads to the account", async () => {
  const { page, pageErrors } = await suite.visit({ viewport: { width: 360, height: 740 } });
  await page.getByRole("button", { name: "Menu of me" }).click();
  const { x, width } = (await page.locator(".menu-popup").boundingBox()) ?? { x: -1, width: 0 };
  expect([x >= 0, x + width <= 360]).toEqual([true, true]);
  await page.getByRole("menuitem", { name: "Memories" }).click();
  await page.getByRole("heading", { name: "Memories" }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("console explains each depth of an answer where it is chosen", async () => {
  const { page, pageErrors } = await suite.visit();
  await page.getByRole("button", { name: "Thinking" }).click();
  const hints = page.getByRole("menu", { name: "Depth of the answer" }).locator(".hint");
  expect(await hints.allTextContents()).toEqual([
    expect.stringContaining("without a search"),
    expect.stringContaining("knowledge and memories"),
    expect.stringContaining("several searches"),
    expect.stringContaining("uses tools"),
  ]);
  const isWithinEntry = (hint: Element) =>
    hint.getBoundingClientRect().bottom <= (hint.closest("button")?.getBoundingClientRect().bottom ?? 0);
  for (const hint of await hints.all()) expect(await hint.evaluate(isWithinEntry)).toBe(true);
  expect(pageErrors).toEqual([]);
});

it("console finds a conversation by the words of its title in any order, and opens it with the arrow keys", async () => {
  const client = await suite.client();
  await client.createConversation("Travel to Lisbon in May");
  await client.createConversation("Travel to Oslo in May");
  const { page, pageErrors } = await suite.visit();
  const field = page.getByRole("searchbox", { name: "Search conversations" });
  await field.fill("may lisbon");
  const titles = () => page.getByRole("navigation", { name: "Conversations" }).locator("a.item").allTextContents();
  await expect.poll(titles).toEqual(["Travel to Lisbon in May"]);
  await field.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Travel to Lisbon in May" }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("command palette finds a conversation that is older than those of the first page", async () => {
  const client = await suite.client();
  await client.createConversation("Oldest of all letters");
  for (let index = 0; index < 50; index++) await client.createConversation(`Letter ${index}`);
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("letters oldest");
  await page.getByRole("option", { name: "Oldest of all letters" }).waitFor();
  expect(pageErrors).toEqual([]);
});
