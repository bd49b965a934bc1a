import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findAxeViolations, persona, saveScreenshot, setUpWidgetSuite, type Visit } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

const clock = createMovableClock();

/** Instance with a low rate limit, whose sessions last ten minutes. */
let strictService: Switchboard;

beforeAll(async () => {
  strictService = await startSwitchboard({
    env: { EMBED_SESSION_SECONDS: "600", RATE_LIMIT_EMBED_SESSION: "5" },
    nodeOptions: [clock.nodeOption],
  });
});

afterAll(() => strictService?.stop());

describe("error message of the website widget", () => {
  const expectStable = async ({ page, pageErrors, panel, input }: Visit, name: string) => {
    expect(await panel.isVisible()).toBe(true);
    expect(pageErrors).toEqual([]);
    expect(await findAxeViolations(page)).toEqual([]);
    await saveScreenshot(page, `trouble-${name}`);
    return input.isDisabled();
  };

  it("error message of the website widget is shown on a website that the key does not allow", async () => {
    const site = await createSite(suite.admin, { origin: "https://another.example", persona });
    const visit = await suite.visit({ site });
    await visit.launcher.click();
    await visit.notice.getByText("This chat is not set up for this website.").waitFor();
    // The console tells the owner of the website what to do.
    expect(visit.pageErrors.splice(0)).toEqual([
      expect.stringContaining(`${suite.pages.origin} is not one of the allowed origins`),
    ]);
    expect(await expectStable(visit, "origin")).toBe(true);
  });

  it("error message of the website widget is shown when the key is revoked before or during a conversation", async () => {
    const visit = await suite.visit();
    await visit.open();
    suite.upstream.script = streamText(["Hello."]);
    await visit.send("Hi");
    await visit.waitForAnswer("Hello.");
    await suite.admin.delete(`/v1/tenant/embed-keys/${visit.site.key.id}`);
    await visit.send("Still there?");
    await visit.notice.getByText("This chat was switched off.").waitFor();
    const hint = ["assistant-chat: The embed key is unknown or was revoked."];
    expect(visit.pageErrors.splice(0)).toEqual(hint);
    expect(await expectStable(visit, "revoked")).toBe(true);
    await visit.page.reload();
    await visit.notice.getByText("This chat was switched off.").waitFor();
    expect(visit.pageErrors).toEqual(hint);
  });

  it.each([
    ["beef", "invalid form"],
    ["0".repeat(64), "not the HMAC-SHA256"],
  ])(
    "error message of the website widget tells the owner of the website what is wrong with the signature %s",
    async (signature, hint) => {
      const attributes = `data-visitor-id="customer-17" data-visitor-signature="${signature}"`;
      const visit = await suite.visit({ attributes });
      await visit.launcher.click();
      await expect.poll(() => visit.pageErrors).toEqual([expect.stringContaining(hint)]);
    },
  );

  it("error message of the website widget tells a visitor whose signature is wrong to sign in again", async () => {
    const attributes = `data-visitor-id="customer-17" data-visitor-signature="${"0".repeat(64)}"`;
    const visit = await suite.visit({ attributes });
    await visit.launcher.click();
    await visit.notice.getByText("You were not recognized. Sign in to the website again").waitFor();
  });

  it("website widget sends a message that was written before the session started as soon as it starts, without an error message", async () => {
    const visit = await suite.visit();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await visit.page.route("**/v1/embed/sessions", async (route) => {
      if (route.request().method() === "POST") await isReleased;
      await route.continue();
    });
    suite.upstream.script = streamText(["At 14:32."]);
    await visit.launcher.click();
    await visit.send("When is high tide?");
    expect(await visit.messages.count()).toBe(0);
    release();
    await visit.waitForAnswer("At 14:32.");
    expect(await visit.messages.count()).toBe(2);
    expect(await visit.input.inputValue()).toBe("");
    expect(visit.pageErrors).toEqual([]);
  });

  it("error message of the website widget offers a new conversation when the message limit is reached", async () => {
    const visit = await suite.visit();
    await visit.open();
    for (let n = 0; n < 8; n++) {
      suite.upstream.script = streamText([`Answer ${n}.`]);
      await visit.send(`Question ${n}`);
      await visit.waitForAnswer(`Answer ${n}.`);
    }
    await visit.send("One more");
    await visit.notice.getByText("This conversation has reached its limit.").waitFor();
    await expectStable(visit, "full");
    suite.upstream.script = streamText(["A fresh start."]);
    await visit.notice.getByRole("button", { name: "Start a new conversation" }).click();
    // The rejected message is sent in the new conversation.
    await visit.waitForAnswer("A fresh start.");
    expect(await visit.messages.allTextContents()).toEqual(["You: One more", "Ada: A fresh start."]);
  });

  it("error message of the website widget disappears once the service is reachable again", async () => {
    const visit = await suite.visit();
    await visit.page.route("**/v1/embed/sessions**", (route) => route.abort("connectionrefused"));
    await visit.page.route("**/health", (route) => route.abort("connectionrefused"));
    await visit.launcher.click();
    await visit.notice.getByText("Reconnecting").waitFor();
    await visit.page.unroute("**/v1/embed/sessions**");
    await visit.panel.getByText(persona.greeting).waitFor();
    expect(visit.pageErrors).toEqual([]);
  });
});

describe("session limit of the website widget", () => {
  async function visitStrictService(): Promise<Visit> {
    const site = await createSite(new Client(newIdentity(), strictService.baseUrl), {
      origin: suite.pages.origin,
      persona,
    });
    return suite.visit({ site, attributes: `data-base-url="${strictService.baseUrl}"` });
  }

  it("expired session of the website widget leads to the offer of a new conversation", async () => {
    const visit = await visitStrictService();
    await visit.open();
    clock.advance(700_000);
    await visit.send("Still there?");
    await visit.notice.getByText("This conversation has expired.").waitFor();
    await saveScreenshot(visit.page, "trouble-expired");
    expect(await findAxeViolations(visit.page)).toEqual([]);
    await visit.notice.getByRole("button", { name: "Start a new conversation" }).click();
    await visit.waitForAnswer(/found nothing/);
    clock.advance(700_000);
    // A reload after expiry starts without an error.
    await visit.page.reload();
    await visit.panel.getByText(persona.greeting).waitFor();
    expect(await visit.messages.count()).toBe(0);
    expect(visit.pageErrors).toEqual([]);
  });

  it("rate limit of the website widget leads to a message with the waiting time", async () => {
    const visit = await visitStrictService();
    await visit.open();
    for (let n = 0; n < 12 && (await visit.notice.isHidden()); n++) {
      await visit.send(`Question ${n}`);
      await Promise.race([
        visit.waitForAnswer(/found nothing|from you/),
        visit.notice.getByText("That was a lot at once.").waitFor(),
      ]);
    }
    await visit.notice.getByText(/Please try again in \d+ (seconds?|minutes?)/).waitFor();
    await saveScreenshot(visit.page, "trouble-busy");
    expect(visit.pageErrors).toEqual([]);
  });
});
