import { expect, it } from "vitest";
import { chunk, errorResponse, startEventStream, streamText } from "#test/support/models/upstream.ts";
import { createWords, persona, setUpWidgetSuite, shopPage } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

it("conversation in the website widget streams answers on a website with another origin than the API, and continues after a reload", async () => {
  const { page, site, pageErrors, open, send, waitForAnswer, messages, panel, input } = await suite.visit();
  expect(site.origin).not.toBe(suite.service.baseUrl);
  await open();
  await panel.getByText(persona.greeting).waitFor();
  suite.upstream.script = streamText(createWords(30), { pauseMs: 30 });
  await panel.getByRole("button", { name: "Where is my parcel?" }).click();
  // The answer appears incrementally.
  await messages.last().filter({ hasText: "word3" }).waitFor();
  expect(await messages.last().textContent()).not.toContain("word29");
  await waitForAnswer("word29");
  suite.upstream.script = streamText(["Second answer."]);
  await send("And then?");
  await waitForAnswer("Second answer.");
  await page.reload();
  // The panel is open again after the reload.
  await messages.nth(3).waitFor();
  expect(await messages.allTextContents()).toEqual([
    "You: Where is my parcel?",
    expect.stringContaining("word29"),
    "You: And then?",
    "Ada: Second answer.",
  ]);
  expect(await input.isEnabled()).toBe(true);
  expect(pageErrors).toEqual([]);
});

it("conversation in the website widget tells visitors what was removed from their question, also after a reload", async () => {
  const { page, pageErrors, open, send, waitForAnswer, messages } = await suite.visit({
    attributes: 'data-locale="de"',
  });
  await open();
  suite.upstream.script = streamText(["It is."]);
  await send("Is 4111 1111 1111 0535 mine?");
  await waitForAnswer("It is.");
  const notice = "Aus Ihrer Nachricht entfernt: card number";
  await messages.last().filter({ hasText: notice }).waitFor();
  await page.reload();
  await messages.last().filter({ hasText: notice }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("conversation in the website widget continues an answer when the page is reloaded in the middle of it", async () => {
  const { page, pageErrors, open, send, waitForAnswer, messages } = await suite.visit();
  await open();
  suite.upstream.script = streamText(createWords(40), { pauseMs: 50 });
  const requestsBefore = suite.upstream.requests.length;
  await send("A long one");
  await messages.last().filter({ hasText: "word3" }).waitFor();
  await page.reload();
  await waitForAnswer("word39");
  expect(await messages.last().textContent()).toBe(`Ada: ${createWords(40).join("").trim()}`);
  expect(suite.upstream.requests).toHaveLength(requestsBefore + 1);
  expect(pageErrors).toEqual([]);
});

it("conversation in the website widget continues an answer when the visitor retries after a rate limit", async () => {
  const { page, pageErrors, open, send, waitForAnswer, messages, notice } = await suite.visit();
  await open();
  const release = Promise.withResolvers<void>();
  suite.upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ role: "assistant", content: "One moment. " }));
    await release.promise;
    response.write(chunk({ content: "Here it is." }, { finish_reason: "stop" }));
    response.end("data: [DONE]\n\n");
  };
  await send("Where is it?");
  await messages.last().filter({ hasText: "One moment." }).waitFor();
  const headers = {
    "access-control-allow-origin": suite.pages.origin,
    "access-control-expose-headers": "retry-after",
  };
  await page.route("**/stream", (route) =>
    route.fulfill({ status: 429, headers: { ...headers, "retry-after": "1" }, json: { code: "rate_limited" } }),
  );
  await page.reload();
  await notice.getByText("That was a lot at once.").waitFor();
  await page.unroute("**/stream");
  release.resolve();
  await notice.getByRole("button", { name: "Try again" }).click();
  await waitForAnswer("Here it is.");
  expect(await notice.isHidden()).toBe(true);
  expect(await messages.count()).toBe(2);
  expect(pageErrors).toEqual([]);
});

it("conversation in the website widget contains a message once although it was retried after a long outage", async () => {
  const { page, pageErrors, open, send, waitForAnswer, messages, notice } = await suite.visit();
  await open();
  suite.upstream.script = streamText(["Here it is."]);
  const requestsBefore = suite.upstream.requests.length;
  await page.clock.install();
  // Requests reach the service, but responses are dropped.
  await page.route("**/messages", async (route) => {
    await route.fetch();
    await route.abort("connectionrefused");
  });
  await send("Where is it?");
  await notice.getByText("Reconnecting").waitFor();
  const unreachableNotice = notice.getByText("cannot be reached");
  await expect.poll(() => page.clock.fastForward(20_000).then(() => unreachableNotice.isVisible())).toBe(true);
  await page.unrouteAll({ behavior: "wait" });
  await notice.getByRole("button", { name: "Try again" }).click();
  await waitForAnswer("Here it is.");
  expect(await messages.allTextContents()).toEqual(["You: Where is it?", "Ada: Here it is."]);
  await page.reload();
  await waitForAnswer("Here it is.");
  expect(await messages.count()).toBe(2);
  expect(suite.upstream.requests).toHaveLength(requestsBefore + 1);
  expect(pageErrors).toEqual([]);
});

it("conversation in the website widget is not shown to another visitor in the same browser", async () => {
  const { page, site, open, send, waitForAnswer, messages, panel } = await suite.visit({
    attributes: 'data-visitor-id="ann"',
  });
  const switchVisitor = async (visitor: string) => {
    suite.pages.pages.set(new URL(page.url()).pathname, {
      html: shopPage(suite.embedScript(site.key.key, `data-visitor-id="${visitor}"`)),
    });
    await page.reload();
    await panel.getByText(persona.greeting).waitFor();
  };
  await open();
  suite.upstream.script = streamText(["Hello, Ann."]);
  await send("It is me");
  await waitForAnswer("Hello, Ann.");
  await switchVisitor("ann");
  await waitForAnswer("Hello, Ann.");
  await switchVisitor("bob");
  expect(await messages.count()).toBe(0);
});

it("conversation in the website widget has no gaps and no duplicates after a lost connection", async () => {
  const { context, pageErrors, open, send, waitForAnswer, messages, notice } = await suite.visit();
  await open();
  suite.upstream.script = streamText(createWords(50), { pauseMs: 40 });
  const requestsBefore = suite.upstream.requests.length;
  await send("A long one");
  await messages.last().filter({ hasText: "word3" }).waitFor();
  await context.setOffline(true);
  await notice.getByText("You are offline").waitFor();
  await context.setOffline(false);
  await waitForAnswer("word49");
  expect(await notice.isHidden()).toBe(true);
  expect(await messages.last().textContent()).toBe(`Ada: ${createWords(50).join("").trim()}`);
  expect(suite.upstream.requests).toHaveLength(requestsBefore + 1);
  expect(pageErrors).toEqual([]);
});

it("conversation in the website widget includes a message that was written offline once the browser is online", async () => {
  const { context, open, send, waitForAnswer, notice } = await suite.visit();
  await open();
  suite.upstream.script = streamText(["Here it is."]);
  const requestsBefore = suite.upstream.requests.length;
  await context.setOffline(true);
  await send("Are you there?");
  await notice.getByText("You are offline").waitFor();
  await context.setOffline(false);
  await waitForAnswer("Here it is.");
  expect(suite.upstream.requests).toHaveLength(requestsBefore + 1);
});

it("conversation in the website widget lets the visitor stop an answer, and retry one after a model error", async () => {
  const { page, panel, open, send, waitForAnswer, messages, notice } = await suite.visit();
  await open();
  suite.upstream.script = streamText(createWords(200), { pauseMs: 40 });
  await send("Never stop");
  await messages.last().filter({ hasText: "word2" }).waitFor();
  // Text that arrives after the click is not shown. What arrived before is drawn with the next frames.
  let shown = "";
  await page.route("**/stop", async (route) => {
    await page.waitForTimeout(100);
    shown = (await messages.last().locator(".body").textContent()) ?? "";
    await page.waitForTimeout(500);
    await route.continue();
  });
  await panel.getByRole("button", { name: "Stop" }).click();
  await waitForAnswer("Stopped");
  expect(shown).toContain("word2");
  expect(await messages.last().locator(".body").textContent()).toBe(shown);
  suite.upstream.script = errorResponse(400, "no");
  await send("Again");
  await notice.getByText("The service has a problem at the moment. Please try again.").waitFor();
  suite.upstream.script = streamText(["Now it works."]);
  await notice.getByRole("button", { name: "Try again" }).click();
  await waitForAnswer("Now it works.");
  expect(await messages.filter({ hasText: "Again" }).count()).toBe(1);
});
