import { beforeAll, expect, it, vi } from "vitest";
import { Client } from "#test/support/client.ts";
import { consoleViews } from "#test/support/console-views.ts";
import { createSite } from "#test/support/embed/site.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { raiseIncident } from "#test/support/investigations/raise-incident.ts";
import { findAxeViolations } from "../widget/widget-suite.ts";
import { saveScreenshot, setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

/** Pages outside of the console. */
const pages = { guides: "/docs/guides", guide: "/docs/guides/first-chat", problems: "/docs/problems" };

async function seed() {
  const client = new Client({ tenant: "local", user: "me", roles: "admin" }, suite.service.baseUrl);
  const collection = (await client.post("/v1/knowledge/collections", { name: "Handbook", readers: ["tenant"] })).body
    .id;
  const text = "# Expenses\n\nExpenses are reimbursed within ten working days.";
  const path = `/v1/knowledge/collections/${collection}/documents`;
  const document = (await client.post(path, { title: "Travel", text, media_type: "text/markdown" })).body.id;
  await vi.waitUntil(async () => (await client.get(`${path}/${document}`)).body.status === "ready", {
    timeout: 180_000,
    interval: 250,
  });
  const conversation = await client.createConversation("Expenses");
  await client.chat({ conversation_id: conversation, content: "How fast are expenses reimbursed?" });
  await client.post("/v1/budgets", { name: "Team", unit: "usd", limit: 5, window: "day" });
  const persona = (await client.post("/v1/personas", { name: "Travel desk", visibility: "public" })).body.id;
  const testSet = (await client.post("/v1/test-sets", { persona_id: persona, name: "Prices" })).body.id;
  await client.post(`/v1/test-sets/${testSet}/items`, { items: [{ question: "What does it cost?" }] });
  const testRun = (await client.post("/v1/test-runs", { set_id: testSet })).body.id;
  await setPolicy(client, { banner: { text: "Do not enter customer data.", level: "warning" } });
  const channel = { channel_id: "ops", conversation_id: conversation };
  const { secret } = (await client.post("/v1/webhooks/register", channel)).body;
  const incident = await raiseIncident(client, "ops", secret, persona);
  const site = await createSite(client, { persona: { tier: "QUICK" }, handover: {} });
  const answer = await site.sendMessage(await site.createSession(), "Do you ship?", { accept: "application/json" });
  expect(answer.status).toBe(200);
  const session = await site.createSession();
  await site.request("PUT", `/v1/embed/sessions/${session}/handover`, {});
  await site.sendMessage(session, "My parcel is broken.");
  const [{ id: handover }] = (await client.get("/v1/handovers")).body.handovers;
  await client.patch(`/v1/handovers/${handover}`, { status: "claimed", note: "A regular customer." });
  const workspace = (await client.post("/v1/messengers/slack/workspaces", { name: "Desk" })).body.id;
  const endpoint = (await client.post("/v1/event-endpoints", { url: "https://example.com", types: ["run.failed"] }))
    .body;
  await client.post(
    "/v1/tenant/api-keys",
    { description: "CI", scopes: ["models.read"] },
    { "idempotency-key": "accessibility" },
  );
  return {
    ...{ conversation, collection, document, persona, incident, testSet, testRun },
    ...{
      widget: site.key.id as string,
      handover: handover as string,
      workspace,
      endpoint: endpoint.id,
      channel: "ops",
    },
  };
}

let data: Awaited<ReturnType<typeof seed>>;

beforeAll(async () => {
  data = await seed();
});

it("console has no axe violations and no horizontal scrolling in any view, light and dark, wide and at 360 px", async () => {
  const { page, pageErrors } = await suite.visit();
  const violations: string[] = [];
  for (const [name, path] of Object.entries({ ...consoleViews(data), ...pages })) {
    await page.setViewportSize({ width: 1360, height: 860 });
    await page.goto(suite.service.baseUrl + path);
    await page.locator("main").first().waitFor();
    await page.waitForLoadState("networkidle");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      violations.push(...(await findAxeViolations(page)).map((text) => `${name} ${colorScheme}: ${text}`));
    }
    await saveScreenshot(page, `${name}-dark`);
    await page.setViewportSize({ width: 360, height: 740 });
    violations.push(...(await findAxeViolations(page)).map((text) => `${name} phone: ${text}`));
    // A view scrolls in its own element, so that the document itself shows no overflow.
    const overflow = await page.evaluate(() =>
      Math.max(...Array.from(document.querySelectorAll("html, main, .page"), (e) => e.scrollWidth - e.clientWidth)),
    );
    if (overflow > 0) violations.push(`${name}: the page is ${overflow} px wider than a phone`);
    await page.emulateMedia({ colorScheme: "light" });
    await saveScreenshot(page, `${name}-phone`);
  }
  expect(violations).toEqual([]);
  // The page to which Slack sends administrators back reports an installation that the service does not know.
  expect(pageErrors).toEqual([expect.stringContaining("400 (Bad Request)")]);
});

it("console has no axe violations in dialogs, menus and the command palette", async () => {
  const { page, pageErrors } = await suite.visit({ reducedMotion: "reduce" });
  await page.getByLabel("Message").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "palette");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Menu of me" }).click();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  for (const [path, button] of [
    ["/console/assistants/templates", "New template"],
    ["/console/assistants/widget", "New widget"],
    ["/console/admin/budgets", "New budget"],
    ["/console/admin/people/roles", "New role"],
    ["/console/admin/people/groups", "New group"],
    ["/console/admin/people", "Invite a person"],
    ["/console/account/data", "Erase data…"],
  ] as const) {
    await page.goto(suite.service.baseUrl + path);
    // A button that moves while the page loads can lose the click.
    await page.waitForLoadState("networkidle");
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor();
    expect([button, await findAxeViolations(page)]).toEqual([button, []]);
  }
  expect(pageErrors).toEqual([]);
});

it("console can be used for a conversation by keyboard alone", async () => {
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Message");
  await page.keyboard.type("How fast are expenses reimbursed?");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  const focusBy = async (key: string, label: RegExp) => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press(key);
      const focused = await page.evaluate(
        () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
      );
      if (label.test(focused)) return;
    }
    throw new Error(`${label} cannot be reached with ${key}`);
  };
  await focusBy("Shift+Tab", /^Source 1/);
  await page.keyboard.press("Enter");
  await page.locator(".side-panel mark").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".side-panel").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("audit");
  await page.getByRole("option", { name: "Audit trail" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Audit trail" }).waitFor();
  await focusBy("Tab", /^Verify$/);
  await page.keyboard.press("Enter");
  await page.getByText("The chain is intact.").waitFor();
  expect(pageErrors).toEqual([]);
});
