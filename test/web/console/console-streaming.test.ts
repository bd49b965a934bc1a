import { expect, it } from "vitest";
import { streamText } from "#test/support/models/upstream.ts";
import { setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const words = Array.from({ length: 120 }, (_, index) => `word${index} `);
const answer = words.join("").trim();

it("console loses no text when the page is reloaded in the middle of an answer", { timeout: 60_000 }, async () => {
  suite.scripted().upstream.script = streamText(words, { pauseMs: 40 });
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill("Count.");
  await page.keyboard.press("Enter");
  await page.getByText("word20").waitFor();
  await page.reload();
  await page.getByText("word60").waitFor();
  await page.getByRole("button", { name: "Copy the answer" }).waitFor({ timeout: 20_000 });
  expect((await page.locator(".message.assistant .prose").textContent())?.trim()).toBe(answer);
  expect(await page.locator(".message.user").count()).toBe(1);
  expect(pageErrors).toEqual([]);
});

it("console continues an answer after the network connection was lost", { timeout: 60_000 }, async () => {
  suite.scripted().upstream.script = streamText(words, { pauseMs: 40 });
  const { page, context } = await suite.visit();
  await page.getByLabel("Message").fill("Count.");
  await page.keyboard.press("Enter");
  await page.getByText("word10").waitFor();
  await context.setOffline(true);
  await page.getByText("Reconnecting").waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Copy the answer" }).waitFor({ timeout: 30_000 });
  expect((await page.locator(".message.assistant .prose").textContent())?.trim()).toBe(answer);
});

it("console stops an answer and then generates it again", { timeout: 60_000 }, async () => {
  suite.scripted().upstream.script = streamText(words, { pauseMs: 60 });
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill("Count.");
  await page.keyboard.press("Enter");
  await page.getByText("word5").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("This answer was stopped.").waitFor();
  suite.scripted().upstream.script = streamText(["A **new** answer with `code`."]);
  await page.getByRole("button", { name: "Answer again" }).click();
  await page.getByText("Version 2 of 2").waitFor();
  expect(await page.locator(".message.assistant .prose strong").textContent()).toBe("new");
  await page.getByRole("button", { name: "Previous version" }).click();
  await page.getByText("word5").waitFor();
  expect(pageErrors).toEqual([]);
});

it("console keeps the message field visible below a long conversation on a phone", { timeout: 60_000 }, async () => {
  suite.scripted().upstream.script = streamText([`${"A long line of the answer.\n\n".repeat(60)}The end.`]);
  const { page } = await suite.visit({ viewport: { width: 360, height: 740 } });
  await page.getByRole("link", { name: "New conversation" }).click();
  await page.getByLabel("Message").fill("Tell me everything.");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  const field = await page.getByRole("textbox", { name: "Message" }).boundingBox();
  expect(field && field.y + field.height).toBeLessThan(740);
  expect(await page.locator(".transcript").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
    0,
  );
});

it("console renders hostile Markdown as text without executing it", { timeout: 30_000 }, async () => {
  suite.scripted().upstream.script = streamText([
    "<img src=x onerror=alert(1)> [link](javascript:alert(1)) ![image](https://tracker.example/pixel.png)\n\n",
    "<script>document.title='owned'</script>",
  ]);
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill("Attack.");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  expect(await page.locator(".prose img, .prose script, .prose a[href^=javascript]").count()).toBe(0);
  expect(await page.title()).not.toBe("owned");
  expect(pageErrors).toEqual([]);
});
