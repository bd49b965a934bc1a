import { expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import { composeWord, paste, pastes } from "../composition-keys.ts";
import { setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite({ MESSAGE_SEARCH: "on" });

it("key that ends a composition does nothing in the console's message field, side panel, search, dialogs and edit form", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/chat?new" });
  suite.scripted().upstream.script = streamText(["はい"]);
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.focus();
  await composeWord(page, "こんにちは", "Enter");
  await composeWord(page, "世界", "Escape");
  expect(await field.inputValue()).toBe("こんにちは世界");
  expect(await page.locator(".bubble").count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  // Edit form of the question: Escape would discard it.
  await page.getByRole("button", { name: "Edit the question" }).click();
  const question = page.getByRole("textbox", { name: "Question" });
  await question.focus();
  await composeWord(page, "你好", "Escape");
  expect(await question.inputValue()).toContain("你好");
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  // Command palette: Enter would run a command, Escape would close it.
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox");
  await search.waitFor();
  const address = page.url();
  await composeWord(page, "a", "Enter");
  await composeWord(page, "u", "Escape");
  expect([await search.inputValue(), page.url()]).toEqual(["au", address]);
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});

it("console's message field attaches pasted files, but inserts the text of cells and paragraphs that come with a picture", async () => {
  const { page } = await suite.visit({ path: "/console/chat?new" });
  await page.getByRole("textbox", { name: "Message", exact: true }).focus();
  const files = page.getByRole("list", { name: "Files of the question" }).getByRole("listitem");
  let count = 0;
  for (const [program, pasted, attached] of pastes) {
    count += attached;
    expect([program, await paste(page, pasted)]).toEqual([program, attached === 0]);
    await expect.poll(async () => [program, await files.count()]).toEqual([program, count]);
  }
});
