import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { persona, saveScreenshot, setUpWidgetSuite } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

it("website widget uses the language of the page and falls back to English", async () => {
  const labels: string[] = [];
  for (const language of ["en-GB", "de-AT", "es", "ja", "zh-CN", "fi"]) {
    const { launcher } = await suite.visit({ language });
    labels.push((await launcher.getAttribute("aria-label")) ?? "");
  }
  expect(labels).toEqual(["Open chat", "Chat öffnen", "Abrir el chat", "チャットを開く", "打开聊天", "Open chat"]);
});

it("website widget uses right-to-left layout for a right-to-left language", async () => {
  const { page, open, send, waitForAnswer, panel } = await suite.visit({ attributes: 'data-locale="ar"' });
  await open();
  expect(await panel.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  suite.upstream.script = streamText(["أهلا وسهلا. تصل الطرود عادة خلال يومين."]);
  await send("مرحبا");
  await waitForAnswer("الطرود");
  const panelBox = await panel.boundingBox();
  expect(panelBox?.x).toBeGreaterThanOrEqual(0);
  expect(panelBox?.x).toBeLessThan(40);
  const avatar = await page.locator("assistant-chat .avatar").boundingBox();
  const close = await panel.getByRole("button", { name: "أغلق الدردشة" }).first().boundingBox();
  expect(avatar?.x).toBeGreaterThan(close?.x ?? 0);
  await saveScreenshot(page, "right-to-left");
});

it("website widget breaks long words and addresses of greetings, questions, forms and messages", async () => {
  const word = `https://shop.example/${"x".repeat(70)}`;
  const form = { fields: [{ name: "name", label: word }], consent: word };
  const texts = { ...persona, greeting: `See ${word}`, starter_prompts: [word] };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona: texts, form });
  const { page, launcher, panel, send, waitForAnswer } = await suite.visit({ site });
  const findWide = () =>
    panel.evaluate((root) =>
      [root, ...root.querySelectorAll("*:not(header *, .hidden)")].flatMap((element) =>
        element.scrollWidth > element.clientWidth + 2 && element.clientWidth > 0 && element.closest("textarea") === null
          ? `${element.tagName}.${element.className} ${element.scrollWidth}`
          : [],
      ),
    );
  await expect.poll(() => page.evaluate("localStorage.length")).toBe(1);
  await launcher.click();
  await page.getByLabel(word).first().waitFor();
  expect(await findWide()).toEqual([]);
  await page.getByLabel(word).first().fill("Ann");
  await page.getByLabel(word).last().check();
  await page.getByRole("button", { name: "Start the chat" }).click();
  await panel.getByText("See").waitFor();
  expect(await findWide()).toEqual([]);
  suite.upstream.script = streamText([`Look at **${word}**`]);
  await send(word);
  await waitForAnswer("Look at");
  expect(await findWide()).toEqual([]);
});

it("website widget prefers colors that the page sets to the colors of the embed key", async () => {
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona,
    theme: { accent: "rgb(0, 120, 90)", "on-accent": "rgb(255, 255, 255)", mode: "dark" },
  });
  const { page, open, launcher } = await suite.visit({ site });
  await open();
  const getColor = () => launcher.evaluate((element) => getComputedStyle(element).backgroundColor);
  await expect.poll(getColor).toBe("rgb(0, 120, 90)");
  expect(await page.locator("assistant-chat").getAttribute("theme")).toBe("dark");
  await saveScreenshot(page, "themed");
  await page.addStyleTag({ content: "assistant-chat { --assistant-accent: rgb(1, 2, 3); }" });
  expect(await getColor()).toBe("rgb(1, 2, 3)");
});
