import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import {
  createWords,
  findAxeViolations,
  persona,
  richMarkdown,
  saveScreenshot,
  setUpWidgetSuite,
} from "./widget-suite.ts";

const suite = setUpWidgetSuite();

/** Returns the label or text of the focused element, across shadow roots. */
const getFocusedLabel = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });

it("website widget can be used by keyboard alone", async () => {
  const { page, panel, waitForAnswer, messages, launcher } = await suite.visit();
  await launcher.waitFor();
  await page.locator("#buy").focus();
  await page.keyboard.press("Tab");
  expect(await getFocusedLabel(page)).toBe("Open chat");
  await page.keyboard.press("Enter");
  await panel.getByText(persona.greeting).waitFor();
  await expect.poll(() => getFocusedLabel(page)).toBe("Write a message");
  suite.upstream.script = streamText(createWords(300), { pauseMs: 30 });
  await page.keyboard.type("Hello");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("there");
  await page.keyboard.press("Enter");
  await messages.last().filter({ hasText: "word2" }).waitFor();
  expect(await messages.first().textContent()).toBe("You: Hello\nthere");
  await page.keyboard.press("Tab");
  const initialLength = (await messages.last().textContent())?.length ?? 0;
  await expect.poll(async () => (await messages.last().textContent())?.length).toBeGreaterThan(initialLength + 50);
  expect(await getFocusedLabel(page)).toBe("Stop");
  await page.keyboard.press("Enter");
  await waitForAnswer("Stopped");
  await expect.poll(() => getFocusedLabel(page)).toBe("Write a message");
  const focusOrder = [];
  for (let n = 0; n < 4; n++) {
    await page.keyboard.press("Shift+Tab");
    focusOrder.push(await getFocusedLabel(page));
  }
  expect(focusOrder).toEqual(["Conversation", "Close chat", "Start a new conversation", "Buy"]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => messages.count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await panel.isVisible()).toBe(false);
  expect(await launcher.getAttribute("aria-expanded")).toBe("false");
  expect(await getFocusedLabel(page)).toBe("Open chat");
});

it("website widget returns the focus on closing when a script of the page opened the chat", async () => {
  const { page, panel } = await suite.visit();
  await page.locator("#buy").focus();
  await page.evaluate("assistantChat.open()");
  await expect.poll(() => getFocusedLabel(page)).toBe("Write a message");
  await page.keyboard.press("Escape");
  expect(await panel.isVisible()).toBe(false);
  expect(await getFocusedLabel(page)).toBe("Buy");
});

it("website widget announces an answer to screen readers once, when it is complete", async () => {
  const { page, open, send, waitForAnswer } = await suite.visit();
  await open();
  await page.evaluate(() => {
    const status = document.querySelector("assistant-chat")?.shadowRoot?.querySelector('[role="status"]');
    const heard: string[] = [];
    Object.assign(window, { heard });
    if (status)
      new MutationObserver(() => heard.push(status.textContent ?? "")).observe(status, {
        childList: true,
        characterData: true,
        subtree: true,
      });
  });
  suite.upstream.script = streamText(createWords(20), { pauseMs: 30 });
  await send("Hi");
  await waitForAnswer("word19");
  await expect.poll(() => page.evaluate("heard")).toEqual(["Ada is answering", createWords(20).join("").trim()]);
  suite.upstream.script = streamText(["Read **this** `first`:\n\n", "- [one](https://one.test)\n- two"]);
  await send("And then?");
  await expect
    .poll(() => page.evaluate("heard.slice(2)"))
    .toEqual(["Ada is answering", expect.stringMatching(/^Read this first:\s+one\s+two$/)]);
  const live = await page.getByRole("log").getAttribute("aria-live");
  expect(live).toBe("off");
});

it("website widget has no axe violations when closed, open, with an answer, with an error, in dark mode and on a small screen", async () => {
  const { page, open, send, waitForAnswer, notice, context, panel } = await suite.visit();
  expect(await findAxeViolations(page)).toEqual([]);
  await open();
  await panel.getByText(persona.greeting).waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  suite.upstream.script = streamText([richMarkdown]);
  await send("How long do parcels take?");
  await waitForAnswer("our help pages");
  expect(await findAxeViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "dark");
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await findAxeViolations(page)).toEqual([]);
  await saveScreenshot(page, "mobile-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await saveScreenshot(page, "mobile");
  await context.setOffline(true);
  await send("Hello?");
  await notice.getByText("You are offline").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
});

it("website widget keeps the focus inside when it covers the page", async () => {
  const { page, open } = await suite.visit({
    browserOptions: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
  });
  await open();
  const getPanelBox = () => page.locator("assistant-chat .panel").boundingBox();
  await expect.poll(getPanelBox).toEqual({ x: 0, y: 0, width: 390, height: 780 });
  const focusedLabels = new Set<string>();
  for (let n = 0; n < 12; n++) {
    await page.keyboard.press("Tab");
    focusedLabels.add(await getFocusedLabel(page));
  }
  expect(focusedLabels).not.toContain("Buy");
  expect(focusedLabels).toContain("Write a message");
  expect(focusedLabels).toContain("Close chat");
});

it("website widget shows no animations when the browser asks for reduced motion", async () => {
  const getAnimationName = (page: Page) =>
    page.locator("assistant-chat .panel").evaluate((panel) => getComputedStyle(panel).animationName);
  const defaultVisit = await suite.visit();
  await defaultVisit.open();
  expect(await getAnimationName(defaultVisit.page)).toBe("rise");
  const reducedMotionVisit = await suite.visit({ browserOptions: { reducedMotion: "reduce" } });
  await reducedMotionVisit.open();
  expect(await getAnimationName(reducedMotionVisit.page)).toBe("none");
});
