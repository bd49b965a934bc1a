import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { createPng } from "#test/support/chat/attachments.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { saveScreenshot, setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

/**
 * Returns the visible targets below 24 by 24 CSS pixels whose circle of 24 pixels touches another target or its circle.
 * Targets in the lines of a text are exempt.
 * @see https://www.w3.org/TR/WCAG22/#target-size-minimum
 */
const findSmallTargets = (page: Page) =>
  page.evaluate(() => {
    const size = 24;
    const isTarget = (element: Element) =>
      // A label extends the target of its field, and pages in frames measure their own targets.
      !element.matches("label input, .skip-link") &&
      element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    const isInText = (element: Element) => element.closest(".prose") && getComputedStyle(element).display === "inline";
    const targets = [
      ...document.querySelectorAll(
        "a[href], button, input, select, textarea, summary, [role=option], label:has(input)",
      ),
    ]
      .filter(isTarget)
      .map((element) => {
        const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
        const [x, y, isSmall] = [left + width / 2, top + height / 2, width < size - 0.01 || height < size - 0.01];
        return { element, left, right, top, bottom, width, height, x, y, isSmall };
      })
      .filter(({ width, height }) => width > 0 && height > 0);
    type Target = (typeof targets)[number];
    const touches = (small: Target, other: Target) => {
      if (other.isSmall) return Math.hypot(small.x - other.x, small.y - other.y) < size;
      const x = Math.min(Math.max(small.x, other.left), other.right);
      const y = Math.min(Math.max(small.y, other.top), other.bottom);
      return Math.hypot(small.x - x, small.y - y) < size / 2;
    };
    return targets
      .filter((target) => target.isSmall && !isInText(target.element))
      .filter((target) => targets.some((other) => other !== target && touches(target, other)))
      .map(({ element: { tagName, className, ariaLabel, textContent }, width, height }) =>
        [tagName, className, ariaLabel ?? textContent?.slice(0, 40), width, height].join(" "),
      );
  });

it("console has no targets below 24 pixels in the chat on a phone", async () => {
  const client = await suite.client();
  await addIndexedDocument(client, { title: "Lighthouse", text: "The reading room opens at nine in the morning." });
  for (const name of ["Museum", "Travel", "Food"]) await client.post("/v1/folders", { name });
  suite.scripted().upstream.script = streamText([
    "The room opens at nine [1], see [the page](https://example.com).\n\n- [One](https://example.com/1)\n- Two [1]\n\n",
    "```ts\nopen();\n```\n\n| day | time |\n|---|---|\n| Monday | 9 |\n\nA note.[^1]\n\n[^1]: Of the museum.\n\n",
    "```mermaid\ngraph TD; A-->B;\n```",
  ]);
  const { page, pageErrors } = await suite.visit(phone);
  const small: string[] = [];
  const look = async (view: string) => {
    await page.waitForLoadState("networkidle");
    small.push(...(await findSmallTargets(page)).map((target) => `${view}: ${target}`));
    await saveScreenshot(page, `phone-${view}`);
  };
  const click = (name: string) => page.getByRole("button", { name }).last().click();
  await page.getByLabel("Message").waitFor();
  const files = [
    { name: "square.png", mimeType: "image/png", buffer: createPng() },
    { name: "tides.txt", mimeType: "text/plain", buffer: Buffer.from("High tide is at 14:32.") },
  ];
  await page.locator("input[type=file]").setInputFiles(files);
  await page.getByLabel("Message").fill("/");
  await look("start");
  await page.getByLabel("Message").fill("When does the reading room open?");
  await expect.poll(() => page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
  await click("Send");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  await look("answer");
  await page.getByText("1 source").click();
  await look("sources");
  await click("Edit the question");
  await look("edited question");
  await click("Cancel");
  await click("Bad answer");
  await page.getByRole("dialog").waitFor();
  await look("rating");
  await page.keyboard.press("Escape");
  await click("More actions");
  await look("menu");
  await page.getByRole("menuitem", { name: "Details" }).click();
  await page.locator(".prose .reference").first().click();
  await page.locator(".side-panel mark").waitFor();
  await look("citation");
  await page.keyboard.press("Escape");
  await click("Reply in a thread");
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  await look("thread");
  await page.keyboard.press("Escape");
  await click("Share");
  await look("share");
  await page.keyboard.press("Escape");
  await click("Answer again");
  await page.getByText("Version 2 of 2").waitFor();
  await look("versions");
  await page.getByRole("link", { name: "All conversations" }).click();
  await look("list");
  await click("Select conversations");
  await look("selection");
  await page.getByRole("searchbox").fill("reading");
  await look("search");
  expect(small).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console keeps the message field visible below a long conversation on a phone", async () => {
  suite.scripted().upstream.script = streamText([`${"A long line of the answer.\n\n".repeat(60)}The end.`]);
  const { page } = await suite.visit(phone);
  await page.getByLabel("Message").fill("Tell me everything.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  const field = await page.getByRole("textbox", { name: "Message" }).boundingBox();
  expect(field && field.y + field.height).toBeLessThan(740);
  expect(await page.locator(".transcript").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
    0,
  );
});

it("console begins with the message field on a phone, and leads to the conversations and back", async () => {
  const client = await suite.client();
  await client.post("/v1/conversations", { title: "Opening hours" });
  const { page } = await suite.visit(phone);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.waitFor();
  expect((await field.boundingBox())?.height).toBeGreaterThan(40);
  await page.getByRole("link", { name: "All conversations" }).click();
  await page.getByRole("link", { name: "Opening hours" }).waitFor();
  expect(await field.isVisible()).toBe(false);
  await page.getByRole("link", { name: "New conversation" }).click();
  await field.waitFor();
});

it.each([
  ["held upright", { width: 360, height: 740 }, { top: 47, bottom: 34, left: 0, right: 0 }],
  ["on its side", { width: 844, height: 390 }, { top: 0, bottom: 21, left: 47, right: 47 }],
])("console keeps its controls out of the notch and the home indicator of a phone %s", async (_, viewport, insets) => {
  suite.scripted().upstream.script = streamText(["An answer."]);
  const { page, context } = await suite.visit({ ...phone, viewport });
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setSafeAreaInsetsOverride", { insets });
  await page.getByLabel("Message").fill("A question.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Reply in a thread" }).last().click();
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  const isInside = (name: string) =>
    page
      .getByRole("button", { name, exact: true })
      .last()
      .evaluate((element, { top, bottom, left, right }) => {
        const box = element.getBoundingClientRect();
        const isWithin = box.left >= left && box.right <= innerWidth - right;
        return isWithin && box.top >= top && box.bottom <= innerHeight - bottom;
      }, insets);
  // The thread covers an upright screen with a box of its own.
  for (const name of ["Close", "Send"]) expect([name, await isInside(name)]).toEqual([name, true]);
  await page.getByRole("button", { name: "Close" }).last().click();
  for (const name of ["Share", "Menu of me"]) expect([name, await isInside(name)]).toEqual([name, true]);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await isInside("Close")).toBe(true);
});

it("console keeps the message field above a keyboard that covers the window", async () => {
  const { page } = await suite.visit(phone);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.waitFor();
  const showKeyboard = (height: number) =>
    page.evaluate((height) => {
      Object.defineProperty(visualViewport, "height", { value: height, configurable: true });
      visualViewport?.dispatchEvent(new Event("resize"));
    }, height);
  const height = () => page.locator(".shell").evaluate((shell) => shell.getBoundingClientRect().height);
  await showKeyboard(400);
  expect(await height()).toBe(400);
  const box = await field.boundingBox();
  expect(box && box.y + box.height).toBeLessThan(400);
  await showKeyboard(740);
  expect(await height()).toBe(740);
});
