import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { findAxeViolations, persona, saveScreenshot, setUpWidgetSuite, type Visit } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

const startVisit = async (handover: object, browserOptions = {}): Promise<Visit> => {
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, handover, session_days: 1 });
  const visit = await suite.visit({ site, browserOptions });
  await visit.open();
  return visit;
};

const personButton = (page: Page) => page.locator("assistant-chat button[aria-label='Talk to a person']");
const bar = (page: Page) => page.locator("assistant-chat .handover");

/** Opens the console of the administrator at a path. */
async function openConsole(path: string): Promise<Page> {
  const context = await suite.browser.newContext({
    viewport: { width: 1100, height: 780 },
    extraHTTPHeaders: suite.admin.headers,
  });
  const page = await context.newPage();
  await page.goto(suite.service.baseUrl + path);
  return page;
}

it("visitor of the website widget talks to a person in the console, with reloads on both sides, and returns to the assistant", async () => {
  mkdirSync("test-results/widget", { recursive: true });
  const { page, send, messages, waitForAnswer, pageErrors } = await startVisit({});
  await personButton(page).click();
  await bar(page).filter({ hasText: "number 1 in the queue" }).waitFor();
  await send("My parcel is broken.");
  await messages.filter({ hasText: "My parcel is broken." }).waitFor();
  await expect.poll(() => messages.count()).toBe(1);
  expect(suite.upstream.requests).toEqual([]);
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "handover-waiting");

  const desk = await openConsole("/console/operate/visitors");
  await desk.getByRole("link", { name: "My parcel is broken." }).click();
  await desk.getByRole("button", { name: "Answer the visitor" }).click();
  suite.upstream.script = streamText(["We are sorry."]);
  await desk.getByRole("button", { name: "Suggest an answer" }).click();
  await expect.poll(() => desk.getByLabel("Your answer").inputValue()).toBe("We are sorry.");
  expect(JSON.stringify(suite.upstream.requests.map(({ body }) => body))).toContain("Visitor: My parcel is broken.");
  await expect.poll(async () => (await suite.admin.get("/v1/conversations")).body.conversations).toEqual([]);
  await desk.getByLabel("Your answer").fill("I send you");
  await bar(page).filter({ hasText: "is typing" }).waitFor();
  await page.reload();
  await bar(page).filter({ hasText: "answering you" }).waitFor();
  await desk.getByLabel("Your answer").fill("I send you **another one**.");
  await desk.getByLabel("Your answer").press("Enter");
  await messages.filter({ hasText: "another one" }).waitFor();
  expect(await messages.filter({ hasText: "another one" }).locator("strong").count()).toBe(1);
  await send("Thank you!");
  await desk.reload();
  await desk.getByText("Thank you!").waitFor();
  await saveScreenshot(page, "handover-person");
  await desk.screenshot({ path: "test-results/widget/handover-console.png" });

  await suite.admin.post("/v1/knowledge/collections", { name: "Answers", readers: ["tenant"] });
  await desk.getByRole("button", { name: "Make a document of the answer" }).click();
  const dialog = desk.getByRole("dialog");
  expect(await dialog.getByLabel("Question").inputValue()).toBe("My parcel is broken.");
  expect(await dialog.getByLabel("Answer", { exact: true }).inputValue()).toBe("I send you **another one**.");
  await dialog.getByLabel("Question").fill("What happens with broken parcels?");
  await dialog.getByRole("button", { name: "Answer" }).click();
  await desk.getByText("Visitors get this answer as soon as it is indexed.").waitFor();

  await desk.getByRole("button", { name: "Close the matter" }).click();
  await desk.getByLabel("Reason").fill("Sent again");
  await desk.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).last().click();
  await bar(page).filter({ hasText: "The assistant is answering you again." }).waitFor();
  suite.upstream.script = streamText(["It arrives tomorrow."]);
  await send("When does it arrive?");
  await waitForAnswer("It arrives tomorrow.");
  const texts = await messages.allInnerTexts();
  expect(texts.filter((text) => text.includes("Thank you!"))).toHaveLength(1);
  expect(texts.filter((text) => text.includes("another one"))).toHaveLength(1);
  expect(pageErrors).toEqual([]);
});

it("visitor of the website widget leaves an address outside of the opening hours, and can go back from the queue", async () => {
  const hours = { time_zone: "Pacific/Auckland", periods: [{ days: ["mon"], from: "00:00", to: "00:01" }] };
  const { page, site, send, waitForAnswer } = await startVisit({ hours }, { viewport: { width: 360, height: 640 } });
  await personButton(page).click();
  await page.getByLabel("E-mail address").fill("ann@example.com");
  await saveScreenshot(page, "handover-missed");
  expect(await findAxeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Leave address" }).click();
  await bar(page).filter({ hasText: "We will write to you" }).waitFor();
  suite.upstream.script = streamText(["Hello."]);
  await send("Are you there?");
  await waitForAnswer("Hello.");
  const { handovers } = (await suite.admin.get("/v1/handovers")).body;
  expect(handovers.find(({ key_id }: { key_id: string }) => key_id === site.key.id)).toMatchObject({
    status: "missed",
    contact_email: "ann@example.com",
  });

  const other = await startVisit({});
  await personButton(other.page).click();
  await other.page.getByRole("button", { name: "Back to the assistant" }).click();
  await bar(other.page).filter({ hasText: "answering you again" }).waitFor();
  await other.send("Are you there?");
  await other.waitForAnswer("Hello.");
});

it("website widget without hand-over has no button for a person", async () => {
  const { page, open } = await suite.visit();
  await open();
  expect(await personButton(page).isVisible()).toBe(false);
  expect(await bar(page).isVisible()).toBe(false);
});

it("visitor of the website widget gets the conversation by e-mail when the key allows it, and reads why not", async () => {
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, transcripts: true });
  const { page, open, send, waitForAnswer, pageErrors } = await suite.visit({ site });
  await open();
  const button = page.locator("assistant-chat button[aria-label='Get this conversation by e-mail']");
  suite.upstream.script = streamText(["It is on its way."]);
  expect(await button.isHidden()).toBe(true);
  await send("Where is my parcel?");
  await waitForAnswer("It is on its way.");
  await button.click();
  const form = page.locator("assistant-chat .transcript");
  const field = form.getByLabel("E-mail address");
  expect(await field.evaluate((element) => element.matches(":focus"))).toBe(true);
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "transcript");
  await field.fill("ann@example.com");
  await field.press("Enter");
  await form.filter({ hasText: "The conversation will be sent to ann@example.com." }).waitFor();
  const sessions = await suite.admin.get(`/v1/tenant/embed-keys/${site.key.id}/sessions`);
  expect(sessions.text).not.toContain("ann@example.com");
  await suite.admin.patch(`/v1/tenant/embed-keys/${site.key.id}`, { transcripts: false });
  await button.click();
  await button.click();
  await field.fill("ann@example.com");
  await form.getByRole("button", { name: "Send" }).click();
  await form.filter({ hasText: "cannot be sent at the moment" }).waitFor();
  expect(pageErrors).toEqual([]);
});
