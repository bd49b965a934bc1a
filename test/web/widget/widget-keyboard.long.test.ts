import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { composeWord, paste, pastes } from "../composition-keys.ts";
import { setUpWidgetSuite } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

it("key that ends a composition neither sends the message nor closes the panel of the website widget", async () => {
  const { page, open, input, messages, panel, waitForAnswer, pageErrors } = await suite.visit();
  await open();
  suite.upstream.script = streamText(["はい"]);
  await input.focus();
  let typed = "";
  for (const [word, key] of [
    ["こんにちは", "Enter"],
    ["你好", "Enter"],
    ["안녕", "Escape"],
    ["xin chào", "Escape"],
  ] as const) {
    await composeWord(page, word, key);
    typed += word;
    expect(await input.inputValue()).toBe(typed);
    expect(await panel.isVisible()).toBe(true);
  }
  expect(await messages.count()).toBe(0);
  await page.keyboard.press("Enter");
  await waitForAnswer("はい");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });
  expect(pageErrors).toEqual([]);
});

it.each(["document", "window", "body"] as const)(
  "shortcuts that a page handles on its %s get no key, composition or clipboard event of the website widget",
  async (target) => {
    const { page, open, input } = await suite.visit();
    await page.evaluate((name) => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const element = { document, window, body: document.body }[name];
      const types = ["keydown", "keypress", "keyup", "compositionstart", "compositionupdate", "compositionend"];
      for (const type of [...types, "copy", "cut", "paste"]) {
        // A capturing listener on the window that was added before the widget's is called first; the widget cannot prevent that.
        for (const capture of name === "window" ? [false] : [false, true]) {
          element.addEventListener(
            type,
            (event) => {
              seen.push(type);
              event.preventDefault();
            },
            capture,
          );
        }
      }
    }, target);
    const readSeen = () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    await open();
    await input.focus();
    await page.keyboard.type("/s?gk what");
    await page.keyboard.press("Shift+Enter");
    await composeWord(page, "ü", "Enter");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+C");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Control+V");
    await paste(page, { data: { "text/plain": "x" } });
    await page.keyboard.press("Escape");
    expect(await readSeen()).toEqual([]);
    expect(await input.inputValue()).toContain("/s?gk what\nü");
    await page.locator("#buy").press("k");
    expect(await readSeen()).toContain("keydown");
    await page.evaluate(() => document.querySelector("assistant-chat")?.remove());
    expect(await readSeen()).not.toEqual([]);
  },
);

it("website widget attaches pasted files, but inserts the text of cells and paragraphs that come with a picture", async () => {
  const persona = { name: "Ada", greeting: "Hi", starter_prompts: [] };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, attachments: true });
  const { page, open, input, panel } = await suite.visit({ site });
  await open();
  await panel.getByRole("button", { name: "Attach files" }).waitFor();
  await input.focus();
  const files = panel.locator(".files li");
  let count = 0;
  for (const [program, pasted, attached] of pastes) {
    count += attached;
    expect([program, await paste(page, pasted), await files.count()]).toEqual([program, attached === 0, count]);
  }
});

it("website widget is not printed with the page", async () => {
  const { page, open, launcher, panel } = await suite.visit();
  await open();
  await page.emulateMedia({ media: "print" });
  expect([await launcher.isVisible(), await panel.isVisible()]).toEqual([false, false]);
  await page.emulateMedia({ media: "screen" });
  expect(await panel.isVisible()).toBe(true);
});
