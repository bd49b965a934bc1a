import { SignJWT } from "jose";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";
import { findAxeViolations, persona, saveScreenshot, setUpWidgetSuite, type Visit } from "./widget-suite.ts";

const suite = setUpWidgetSuite();
let mcp: McpServer;
let server_id: string;

beforeAll(async () => {
  mcp = await startMcpServer();
  const inputSchema = {
    type: "object",
    properties: {
      customer: { type: "string", title: "Customer" },
      order_id: { type: "string", title: "Order" },
      refund: { type: "boolean", title: "Refund the price" },
    },
    required: ["customer", "order_id"],
  };
  mcp.tools = [toolDefinition("cancel_order", { title: "Cancel an order", inputSchema })];
  const fields = { name: "ERP", mode: "confirm", bind: { customer: "visitor.sub" }, url: mcp.url };
  server_id = (await suite.admin.post("/v1/tools/servers", fields)).body.id;
});
afterAll(() => mcp?.stop());
beforeEach(() => {
  mcp.requests.length = 0;
});

/** Opens the chat of a signed visitor, for whom the model calls a tool once, and sends a message. */
async function ask({ attributes = "", language = "en" } = {}): Promise<Visit> {
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona: { ...persona, tier: "THINKING" },
    tools: [{ server_id, tools: ["cancel_order"] }],
  });
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setSubject("ada-17")
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(`token:${site.key.visitor_secret}`));
  const signed = `data-visitor-id="ada-17" data-visitor-token="${token}" ${attributes}`;
  const visit = await suite.visit({ site, language, attributes: signed });
  await visit.open();
  const call = JSON.stringify({ order_id: "4711", refund: true });
  const scripts = [streamToolCalls(["erp__cancel_order", call]), streamText(["All is settled."])];
  suite.upstream.script = (response, request) =>
    (request.body.tools ? (scripts.shift() ?? streamText(["Enough."])) : streamText(["Done."]))(response, request);
  await visit.send("Please cancel my order 4711.");
  await question(visit.page).waitFor();
  return visit;
}

const question = (page: Page) => page.locator("assistant-chat .ask");
const lines = (page: Page) => page.locator("assistant-chat .tools li");
const calls = () => mcp.requests.filter(({ message }) => message?.method === "tools/call");
const announced = (page: Page) => page.locator("assistant-chat .panel > [role=status]").textContent();

/** Returns the text of the focused element in the widget. */
const getFocusedText = (page: Page) =>
  page.evaluate(() => {
    const element = document.querySelector("assistant-chat")?.shadowRoot?.activeElement;
    return element?.tagName === "TEXTAREA" ? "field" : (element?.textContent ?? "");
  });

it("visitor of the website widget is asked before a tool acts, also after a reload, and allows it by keyboard", async () => {
  const { page, open, input, waitForAnswer, pageErrors } = await ask({ attributes: 'data-theme="light"' });
  const text =
    "May the assistant do this for you? – Cancel an order – Order: 4711 – Refund the price: Yes – Customer: your account";
  await expect.poll(() => announced(page)).toBe(text);
  expect(await page.getByRole("group", { name: "May the assistant do this for you? Cancel an order" }).count()).toBe(1);
  expect(await page.content()).not.toContain("erp__");
  expect(await question(page).innerText()).not.toContain("ada-17");
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "tool-question");

  await page.reload();
  await question(page).waitFor();
  expect(await question(page).innerText()).toContain("your account");
  await input.focus();
  await page.keyboard.press("Shift+Tab");
  expect(await getFocusedText(page)).toBe("Decline");
  await page.keyboard.press("Shift+Tab");
  expect(await getFocusedText(page)).toBe("Allow");
  expect(calls()).toEqual([]);
  await page.keyboard.press("Enter");
  await waitForAnswer("All is settled.");
  expect(await getFocusedText(page)).toBe("field");
  expect(await lines(page).allInnerTexts()).toEqual([expect.stringMatching(/^Cancel an order\s+done$/)]);
  expect(calls().map(({ message }) => message.params.arguments)).toEqual([
    { order_id: "4711", refund: true, customer: "ada-17" },
  ]);
  await saveScreenshot(page, "tool-done");
  expect(await findAxeViolations(page)).toEqual([]);

  await page.reload();
  await lines(page).filter({ hasText: "done" }).waitFor();
  await open().catch(() => {});
  expect(await question(page).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

it("visitor of the website widget declines in Arabic on a dark page, and the answer continues", async () => {
  const { page, panel, waitForAnswer, pageErrors } = await ask({ attributes: 'data-theme="dark"', language: "ar" });
  await panel.getByText("هل تسمح للمساعد").first().waitFor();
  expect(await question(page).evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "tool-question-ar");
  await page.getByRole("button", { name: "رفض" }).click();
  await waitForAnswer("All is settled.");
  expect(await lines(page).allInnerTexts()).toEqual([expect.stringMatching(/^Cancel an order\s+مرفوض$/)]);
  expect(await findAxeViolations(page)).toEqual([]);
  expect(calls()).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("website widget sends a double click once, and learns from another tab that its question is closed", async () => {
  const { page, context, waitForAnswer } = await ask();
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Open chat" }).click();
  await question(other).waitFor();
  await page.getByRole("button", { name: "Allow" }).dblclick();
  await waitForAnswer("All is settled.");
  await other.getByRole("button", { name: "Decline" }).click();
  await lines(other).filter({ hasText: "done" }).waitFor();
  await other.locator("assistant-chat .message", { hasText: "All is settled." }).waitFor();
  expect(calls()).toHaveLength(1);
});

it("website widget ends its question with the answer that the visitor stops", async () => {
  const { page, messages } = await ask();
  await page.getByRole("button", { name: "Stop" }).click();
  await messages.last().filter({ hasText: "Stopped" }).waitFor();
  expect(await lines(page).allInnerTexts()).toEqual([expect.stringMatching(/^Cancel an order\s+declined$/)]);
  await page.reload();
  await lines(page).filter({ hasText: "declined" }).waitFor();
  expect(calls()).toEqual([]);
});
