import { expect, it } from "vitest";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { errorResponse, streamText } from "#test/support/models/upstream.ts";
import { setUpScriptedConsoleSuite } from "./console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const words = Array.from({ length: 120 }, (_, index) => `word${index} `);
const answer = words.join("").trim();

it("console loses no text when the page is reloaded in the middle of an answer", async () => {
  suite.scripted().upstream.script = streamText(words, { pauseMs: 40 });
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill("Count.");
  await page.keyboard.press("Enter");
  await page.getByText("word20").waitFor();
  await page.reload();
  await page.getByText("word60").waitFor();
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  expect((await page.locator(".message.assistant .prose").textContent())?.trim()).toBe(answer);
  expect(await page.locator(".message.user").count()).toBe(1);
  expect(pageErrors).toEqual([]);
});

it("console continues an answer after the network connection was lost", async () => {
  suite.scripted().upstream.script = streamText(words, { pauseMs: 40 });
  const { page, context } = await suite.visit();
  await page.getByLabel("Message").fill("Count.");
  await page.keyboard.press("Enter");
  await page.getByText("word10").waitFor();
  await context.setOffline(true);
  await page.getByText("Reconnecting").waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  expect((await page.locator(".message.assistant .prose").textContent())?.trim()).toBe(answer);
});

it("console stops an answer and then generates it again", async () => {
  suite.scripted().upstream.script = streamText(Array(100).fill(words).flat(), { pauseMs: 60 });
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

it("console shows no further text once an answer is stopped, and shows the text again if the stop request fails", async () => {
  let sentChunks = 0;
  suite.scripted().upstream.script = (response, request) => {
    const write = response.write.bind(response) as (chunk: unknown) => boolean;
    response.write = (chunk: unknown) => {
      sentChunks++;
      return write(chunk);
    };
    return streamText(words, { pauseMs: 60 })(response, request);
  };
  const { page } = await suite.visit();
  const refusal = Promise.withResolvers<void>();
  await page.route("**/stop", async (route) => {
    await refusal.promise;
    await route.abort();
  });
  await page.getByLabel("Message").fill("Count.");
  await page.keyboard.press("Enter");
  await page.getByText("word5").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("This answer was stopped.").waitFor();
  const prose = page.locator(".message.assistant .prose");
  const shown = await prose.textContent();
  const chunksAtStop = sentChunks;
  await expect.poll(() => sentChunks).toBeGreaterThan(chunksAtStop + 15);
  expect(await prose.textContent()).toBe(shown);
  refusal.resolve();
  await page.getByText("word30").waitFor();
});

it("console stops an answer whose first event has not arrived", async () => {
  suite.scripted().upstream.script = streamText(Array(100).fill(words).flat(), { pauseMs: 60 });
  const { page } = await suite.visit();
  await page.getByLabel("Message").fill("Count.");
  await page.evaluate(`new MutationObserver((_, observer) => {
    const stop = document.querySelector("button[aria-label=Stop]");
    if (!stop) return;
    observer.disconnect();
    stop.click();
  }).observe(document.body, { childList: true, subtree: true })`);
  await page.keyboard.press("Enter");
  await page.getByText("This answer was stopped.").waitFor();
  await page.getByRole("button", { name: "Answer again" }).waitFor();
});

it("console marks the sentence that the clicked reference rests on", async () => {
  const client = await suite.client();
  const sentences = ["The reading room opens at nine in the morning.", "The lamp was lit for the first time in 1874."];
  await addIndexedDocument(client, { title: "Lighthouse", text: sentences.join(" The museum has three rooms. ") });
  suite.scripted().upstream.script = streamText(["The room opens at nine [1].\n\n- The lamp was lit in 1874 [1]\n"]);
  const { page, pageErrors } = await suite.visit();
  await page.getByLabel("Message").fill("When does the reading room open, and when was the lamp lit?");
  await page.keyboard.press("Enter");
  const references = page.locator(".prose .reference");
  const mark = page.locator(".side-panel mark");
  for (const [index, sentence] of sentences.entries()) {
    await references.nth(index).click();
    await mark.getByText(sentence).waitFor();
    expect(await mark.textContent()).toBe(sentence);
  }
  await page.getByRole("link", { name: "Open the document" }).click();
  await page
    .locator(".document-text mark")
    .getByText(sentences[1] ?? "")
    .waitFor();
  expect(pageErrors).toEqual([]);
});

it("console shows why an answer failed, also after a reload", async () => {
  suite.scripted().upstream.script = errorResponse(400, "The prompt is not accepted.");
  const { page } = await suite.visit();
  await page.getByLabel("Message").fill("Fail.");
  await page.keyboard.press("Enter");
  const reason = page.locator(".message.assistant .notice.danger");
  await reason.waitFor();
  const text = await reason.locator("span").textContent();
  expect(text).not.toBe("This answer could not be completed.");
  await page.reload();
  await reason.waitFor();
  expect(await reason.locator("span").textContent()).toBe(text);
});

it("console renders hostile Markdown as text without executing it", async () => {
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
