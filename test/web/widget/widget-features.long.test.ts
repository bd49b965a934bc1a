import { wcagContrast } from "culori";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { findAxeViolations, persona, saveScreenshot, setUpWidgetSuite } from "./widget-suite.ts";

const suite = setUpWidgetSuite();

it("launcher button of the website widget has the theme of the embed key from the moment it appears", async () => {
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona,
    theme: { accent: "rgb(160, 20, 60)", mode: "light" },
  });
  // The first visit starts the function with the theme. After two seconds without it, a launcher has the default theme.
  await (await suite.visit({ site })).launcher.waitFor();
  const { page, launcher } = await suite.visit({ site });
  await launcher.waitFor();
  const getColor = () => launcher.evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await getColor()).toBe("rgb(160, 20, 60)");
  await page.reload();
  await launcher.waitFor();
  expect(await getColor()).toBe("rgb(160, 20, 60)");
});

it("launcher button of the website widget has the theme of its own key on a page with several widgets", async () => {
  const [site, other] = await Promise.all(
    ["rgb(160, 20, 60)", "rgb(20, 100, 60)"].map((accent) =>
      createSite(suite.admin, { origin: suite.pages.origin, persona, theme: { accent, mode: "light" } }),
    ),
  );
  if (!site || !other) throw new Error("No sites.");
  const { page, launcher } = await suite.visit({ site });
  await launcher.waitFor();
  await page.evaluate((key) => {
    const widget = document.createElement("assistant-chat");
    widget.setAttribute("embed-key", key);
    document.body.append(widget);
  }, other.key.key);
  const colors = () =>
    launcher.evaluateAll((launchers) => launchers.map((each) => getComputedStyle(each).backgroundColor));
  await expect.poll(colors).toEqual(["rgb(160, 20, 60)", "rgb(20, 100, 60)"]);
});

it("launcher button of the website widget has a contrast of at least 4.5 for random accent colors, light and dark", async () => {
  const random = seededRandom(11);
  const { page, launcher } = await suite.visit();
  await launcher.waitFor();
  const { deriveTheme } = await import("#shared/embed/theme.ts");
  let lowest = 21;
  for (let n = 0; n < sized({ usual: 40, full: 200 }); n++) {
    const accent = `#${Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, "0")}`;
    const theme = deriveTheme({ accent });
    for (const scheme of ["light", "dark"]) {
      const [color, background] = await launcher.evaluate(
        (element, [mode, entries]) => {
          const host = (element.getRootNode() as ShadowRoot).host as HTMLElement;
          host.setAttribute("theme", String(mode));
          for (const [name, value] of Object.entries(entries as object)) {
            host.style.setProperty(`--key-${name}`, value);
          }
          const style = getComputedStyle(element);
          return [style.color, style.backgroundColor] as const;
        },
        [scheme, theme] as const,
      );
      lowest = Math.min(lowest, wcagContrast(color, background));
    }
  }
  console.log(`lowest rendered contrast of 200 accents in two schemes: ${lowest.toFixed(2)}`);
  expect(lowest).toBeGreaterThanOrEqual(4.5);
  await page.close();
});

it("proactive message of the website widget stays above the launcher until a click on it opens the chat, and is not shown again", async () => {
  const theme = { "proactive-message": "May I help you with <b>shipping</b>?", "proactive-seconds": "0" };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, theme });
  const { page, panel } = await suite.visit({ site });
  const messageOn = (where: Page) => where.getByRole("button", { name: theme["proactive-message"], exact: true });
  const countAfterReload = async (where: Page) => {
    await where.reload();
    await where.waitForLoadState("networkidle");
    return messageOn(where).count();
  };
  await messageOn(page).waitFor();
  await saveScreenshot(page, "proactive-message");
  expect(await countAfterReload(page)).toBe(1);
  await messageOn(page).click();
  await panel.waitFor();
  expect(await messageOn(page).count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await countAfterReload(page)).toBe(0);

  const other = await suite.visit({ site });
  await messageOn(other.page).waitFor();
  await other.page.getByRole("button", { name: "Close" }).click();
  expect(await countAfterReload(other.page)).toBe(0);
});

it("launcher button of the website widget is hidden while the chat panel is open, and shown again when the panel is closed", async () => {
  const { page, open, launcher, panel } = await suite.visit();
  await open();
  expect(await launcher.isVisible()).toBe(false);
  expect(await page.locator("assistant-chat").getByRole("button", { name: "Close chat" }).count()).toBe(1);
  await panel.getByRole("button", { name: "Close chat" }).click();
  expect(await launcher.isVisible()).toBe(true);
});

const emptyFile = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("") });

it("files in the website widget are attached to a message if the key allows it, and can be removed when they are refused", async () => {
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, attachments: true });
  const { page, open, panel, input, messages, waitForAnswer, pageErrors } = await suite.visit({ site });
  suite.upstream.script = streamText(["At 14:32."]);
  await open();
  const choose = (name: string, text: string) =>
    panel.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const emptyFiles = Array.from({ length: 12 }, (_, index) => emptyFile(`${index + 1}.txt`));
  await panel.locator("input[type=file]").setInputFiles(emptyFiles);
  await panel.getByText("10.txt could not be attached: 0 kB").waitFor();
  await panel.getByText("11.txt could not be attached: > 10").waitFor();
  expect(await panel.locator(".files li").count()).toBe(11);
  for (const { name } of emptyFiles.slice(0, 11)) {
    await panel.getByRole("button", { name: `Remove ${name}`, exact: true }).click();
  }
  await choose("photo.png", "no image");
  await panel.getByText("photo.png could not be attached").waitFor();
  await choose("tides.txt", "High tide is at 14:32.");
  await panel.locator(".files").getByText("tides.txt", { exact: true }).waitFor();
  await input.fill("When is high tide?");
  expect(await panel.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await saveScreenshot(page, "files");
  await panel.getByRole("button", { name: "Remove photo.png" }).click();
  await input.press("Enter");
  await waitForAnswer("At 14:32.");
  expect(await messages.first().textContent()).toContain("tides.txt");
  expect(JSON.stringify(suite.upstream.requests.map(({ body }) => body.messages))).toContain("High tide is at 14:32.");
  expect(pageErrors).toEqual([]);
});

it("files cannot be attached in the website widget if the embed key does not allow attachments", async () => {
  const { open, panel } = await suite.visit();
  await open();
  expect(await panel.getByRole("button", { name: "Attach files" }).isVisible()).toBe(false);
});

it("answer in the website widget lists each source once and shows its quotes on a click", async () => {
  const { collection } = await addIndexedDocument(suite.admin, {
    title: "Returns",
    text: "Parcels can be returned within 30 days.",
  });
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona: { ...persona, tier: "THINKING", collection_ids: [collection] },
  });
  const { page, open, send, waitForAnswer, panel } = await suite.visit({ site });
  suite.upstream.script = streamText(["Within 30 days [1]. Really [1]."]);
  await open();
  await send("Can parcels be returned?");
  await waitForAnswer("Within 30 days");
  const source = panel.locator(".sources summary");
  expect(await source.count()).toBe(1);
  const quote = panel.getByText("Parcels can be returned within 30 days.");
  expect(await quote.isVisible()).toBe(false);
  await source.click();
  await quote.waitFor();
  await saveScreenshot(page, "source");
});

it("answer in the website widget can be rated as helpful", async () => {
  const { open, send, waitForAnswer, panel } = await suite.visit();
  suite.upstream.script = streamText(["Gladly."]);
  await open();
  await send("Help?");
  await waitForAnswer("Gladly.");
  const helpful = panel.getByRole("button", { name: "Helpful", exact: true });
  await helpful.click();
  await expect.poll(() => helpful.getAttribute("aria-pressed")).toBe("true");
});

it("conversation in the website widget can be handed over to a person, with its transcript, if the page listens for the event", async () => {
  const { page, open, send, waitForAnswer, panel } = await suite.visit();
  suite.upstream.script = streamText(["I cannot do that."]);
  await open();
  const button = panel.getByRole("button", { name: "Talk to a person" });
  expect(await button.isVisible()).toBe(false);
  await page.evaluate(`assistantChat.on("handover", ({ transcript }) => { window.received = transcript; })`);
  await send("Cancel my order");
  await waitForAnswer("I cannot do that.");
  await button.click();
  expect(await page.evaluate("window.received")).toEqual([
    { role: "user", text: "Cancel my order" },
    { role: "assistant", text: "I cannot do that." },
  ]);
});

it("conversation in the website widget begins with the persona's greeting, rendered from Markdown", async () => {
  const site = await createSite(suite.admin, {
    origin: suite.pages.origin,
    persona: { ...persona, greeting: "Welcome to **our shop**." },
  });
  const { open, panel } = await suite.visit({ site });
  await open();
  expect(await panel.locator(".greeting strong").textContent()).toBe("our shop");
});

it("link of a page opens the website widget with a question, which the visitor sends, also a second time", async () => {
  const { page, input, panel, pageErrors, messages } = await suite.visit();
  await page.evaluate(() => {
    document.body.insertAdjacentHTML("beforeend", '<a href="#assistant-chat=Wo%20ist%20Größe%2040%3F">Ask</a>');
  });
  for (const _ of [1, 2]) {
    await page.getByRole("link", { name: "Ask" }).click();
    await expect.poll(() => input.inputValue()).toBe("Wo ist Größe 40?");
    expect(await panel.isVisible()).toBe(true);
    await input.fill("");
    await page.evaluate("assistantChat.close()");
  }
  expect(await messages.count()).toBe(0);
  expect(new URL(page.url()).hash).toBe("");
  expect(pageErrors).toEqual([]);
});

it("link of a page with another base address opens the website widget with its question, and leaves the address of the page", async () => {
  const { page, input, pageErrors } = await suite.visit();
  const address = page.url();
  await page.evaluate(() => {
    document.head.insertAdjacentHTML("afterbegin", '<base href="https://cdn.example/">');
    location.hash = "#assistant-chat=Hello";
  });
  await expect.poll(() => input.inputValue()).toBe("Hello");
  expect(page.url()).toBe(address);
  expect(pageErrors).toEqual([]);
});

it("website widget continues as the visitor whom the page identifies, and forgets the conversation of the one before", async () => {
  suite.upstream.script = streamText(["Hello, customer."]);
  const { page, open, send, waitForAnswer, messages, pageErrors } = await suite.visit();
  await open();
  await send("Who am I?");
  await waitForAnswer("Hello, customer.");
  await page.evaluate("assistantChat.identify({ id: 'customer-17' })");
  await expect.poll(() => messages.count()).toBe(0);
  await send("Who am I now?");
  await waitForAnswer("Hello, customer.");
  expect(await messages.count()).toBe(2);
  await page.evaluate("assistantChat.identify(null)");
  await expect.poll(() => messages.count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

it("logo of the website widget is shown instead of a letter, and the letter if it cannot be loaded", async () => {
  const pixel = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const theme = { logo: "https://images.example.com/logo.png" };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, theme });
  const first = await suite.visit({ site });
  await first.page.route("https://images.example.com/**", (route) =>
    route.fulfill({ contentType: "image/png", body: pixel }),
  );
  await first.open();
  await first.page.locator("assistant-chat .avatar img").waitFor();
  const second = await suite.visit({ site });
  await second.page.route("https://images.example.com/**", (route) => route.abort());
  await second.open();
  await second.page.locator("assistant-chat .avatar", { hasText: "A" }).waitFor();
  const refused = await suite.admin.patch(`/v1/tenant/embed-keys/${site.key.id}`, {
    theme: { logo: "http://x.example" },
  });
  expect(refused.status).toBe(400);
});

it("fields of the website widget on a phone are so large that the browser does not zoom into them", async () => {
  const form = {
    fields: [
      { name: "name", label: "Your name" },
      { name: "topic", label: "Topic", type: "choice", options: ["Order", "Return"] },
    ],
  };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, form });
  const viewport = { width: 390, height: 800 };
  const { page, launcher } = await suite.visit({ site, browserOptions: { viewport } });
  await expect.poll(() => page.evaluate("localStorage.length")).toBe(1);
  await launcher.click();
  await page.getByLabel("Your name").waitFor();
  const fields = page.locator("assistant-chat :is(input:not([type=file]), select, textarea)");
  const sizes = await fields.evaluateAll((elements) => elements.map((element) => getComputedStyle(element).fontSize));
  expect(sizes).toHaveLength(4);
  expect(new Set(sizes)).toEqual(new Set(["16px"]));
});

it("form of the website widget is filled in before the chat, by keyboard, and a message of the page is sent afterwards", async () => {
  suite.upstream.script = streamText(["Hello, Ann."]);
  const form = {
    fields: [
      { name: "name", label: "Your name" },
      { name: "email", label: "E-mail", type: "email", is_required: false },
      { name: "topic", label: "Topic", type: "choice", options: ["Order", "Return"] },
    ],
    consent: "We store what you enter for a week.",
  };
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona, form });
  const { page, launcher, input, waitForAnswer, messages, pageErrors } = await suite.visit({ site });
  await expect.poll(() => page.evaluate("localStorage.length")).toBe(1);
  await launcher.click();
  const name = page.getByLabel("Your name");
  await name.waitFor();
  expect(await name.evaluate((field) => (field.getRootNode() as ShadowRoot).activeElement === field)).toBe(true);
  expect(await input.isVisible()).toBe(false);
  await page.evaluate("assistantChat.send('Who am I?')");
  await page.keyboard.press("Enter");
  expect(await name.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
  await saveScreenshot(page, "form");
  expect(await findAxeViolations(page)).toEqual([]);
  await page.keyboard.type("Ann");
  await page.getByLabel("Topic").selectOption("Return");
  await page.getByLabel("We store").check();
  await page.getByRole("button", { name: "Start the chat" }).click();
  await waitForAnswer("Hello, Ann.");
  expect(await messages.count()).toBe(2);
  await page.reload();
  await messages.first().waitFor();
  expect(await name.count()).toBe(0);
  const { sessions } = (await suite.admin.get(`/v1/tenant/embed-keys/${site.key.id}/sessions`)).body;
  expect(sessions.map(({ form: entries }: { form: unknown }) => entries)).toMatchObject([
    [{ value: "Ann" }, { value: "Return" }],
  ]);
  expect(pageErrors).toEqual([]);
});
