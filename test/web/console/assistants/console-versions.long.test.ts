import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { saveScreenshot, setUpConsoleSuite } from "../console-suite.ts";

const suite = setUpConsoleSuite();

/** Creates a persona with 40 versions, of which every third is a draft; everybody gets version 39. */
async function createPersona(): Promise<string> {
  const client = await suite.client();
  const { id } = (await client.post("/v1/personas", { name: "Guide", instructions: "Answer briefly." })).body;
  for (let n = 2; n <= 40; n++) {
    const instructions = `Answer in ${n} sentences.\nCite your sources.`;
    await client.patch(`/v1/personas/${id}`, { instructions, note: `Change ${n}`, publish: n % 3 !== 1 });
  }
  return id;
}

const rowOf = (page: Page, version: number) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: `Version ${version}`, exact: true }) });

async function choose(page: Page, version: number, action: string) {
  await rowOf(page, version).getByRole("button").click();
  await page.getByRole("menuitem", { name: action }).click();
  return page.getByRole("dialog");
}

it("console saves a draft of a persona, tries it, and publishes it to everyone", async () => {
  const client = await suite.client();
  const { id } = (await client.post("/v1/personas", { name: "Guide", instructions: "Answer briefly." })).body;
  const { page } = await suite.visit({ path: `/console/assistants/personas/${id}` });
  await page.getByLabel("Instructions").fill("Answer in a friendly tone.");
  await page.getByLabel("Note on this version").fill("Warmer");
  await page.getByLabel("Save as a draft").check();
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await page.getByText("This is version 2. Everyone gets version 1.").waitFor();
  expect(new URL(page.url()).search).toBe("?version=2");
  expect(await page.getByLabel("Instructions").inputValue()).toBe("Answer in a friendly tone.");
  const request = page.waitForRequest("**/v1/runtime/chat");
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.keyboard.press("Enter");
  expect((await request).postDataJSON()).toMatchObject({ content: "Hello", persona_version: 2 });
  await page.getByRole("tab", { name: "Versions" }).click();
  expect(await rowOf(page, 2).innerText()).toContain("Warmer");
  const dialog = await choose(page, 2, "Publish");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await expect.poll(() => rowOf(page, 2).innerText()).toContain("Everyone");
  expect((await client.get(`/v1/personas/${id}`)).body).toMatchObject({
    version: 2,
    instructions: "Answer in a friendly tone.",
  });
});

it("console refuses a draft that changes who can use the persona, at the field", async () => {
  const client = await suite.client();
  const { id } = (await client.post("/v1/personas", { name: "Guide" })).body;
  const { page } = await suite.visit({ path: `/console/assistants/personas/${id}` });
  await page.getByLabel("Who can use it").selectOption("org");
  await page.getByLabel("Save as a draft").check();
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
  expect(await page.getByLabel("Who can use it").getAttribute("aria-invalid")).toBe("true");
});

it("console lists 40 versions of a persona, compares two, publishes one to a share and restores another, by keyboard on a phone", async () => {
  const id = await createPersona();
  const { page, pageErrors } = await suite.visit({
    path: `/console/assistants/personas/${id}?tab=versions`,
    viewport: { width: 360, height: 740 },
  });
  await rowOf(page, 1).waitFor();
  expect(await page.getByRole("link", { name: /^Version \d+$/ }).allInnerTexts()).toEqual(
    Array.from({ length: 40 }, (_, n) => `Version ${40 - n}`),
  );
  expect(await rowOf(page, 39).innerText()).toContain("Everyone");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  await rowOf(page, 38).getByRole("button").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Compare" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.locator("ins").waitFor();
  expect([await dialog.locator("del").innerText(), await dialog.locator("ins").innerText()]).toEqual(["38", "39"]);
  await dialog.getByLabel("From").selectOption("1");
  await expect.poll(() => dialog.locator("del").first().innerText()).toContain("briefly");
  await saveScreenshot(page, "versions-compared");
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  await page.keyboard.press("Escape");

  const publication = await choose(page, 40, "Publish");
  await publication.getByLabel("Who gets this version").selectOption("some");
  expect(await publication.getByRole("button", { name: "Publish" }).isDisabled()).toBe(true);
  await publication.getByLabel("Percent of the other conversations").fill("120");
  await publication.getByRole("button", { name: "Publish" }).click();
  await publication.getByText("The highest value is 99.").waitFor();
  await publication.getByLabel("Percent of the other conversations").fill("25");
  await publication.getByRole("button", { name: "Publish" }).click();
  await expect.poll(() => rowOf(page, 40).innerText()).toContain("25 % of conversations");
  await saveScreenshot(page, "versions-published");
  await choose(page, 40, "Withdraw");
  await expect.poll(() => rowOf(page, 40).innerText()).not.toContain("25 %");

  const restoration = await choose(page, 1, "Restore");
  await restoration.getByRole("button", { name: "Restore" }).click();
  await expect.poll(() => rowOf(page, 41).innerText()).toContain("Everyone");
  expect(await rowOf(page, 41).innerText()).toContain("Restored from version 1");
  expect(pageErrors).toEqual([]);
});

it("console shows what each version was used for, in Arabic from right to left", async () => {
  const client = await suite.client();
  const id = await createPersona();
  const conversation = (await client.post("/v1/conversations", { title: "x", persona_id: id })).body.id;
  const ask = async (persona_version: number) => {
    const body = { conversation_id: conversation, content: "Hello", tier: "QUICK", persona_version };
    return (await client.post("/v1/runtime/chat", body, { accept: "application/json" })).body;
  };
  const { message_id } = await ask(40);
  await ask(39);
  await client.post("/v1/feedback", { conversation_id: conversation, message_id, rating: "up" });
  await expect
    .poll(async () => (await client.get("/v1/usage?group_by=persona_version")).body.usage.length)
    .toBeGreaterThanOrEqual(2);
  const { page, pageErrors } = await suite.visit({
    path: `/console/assistants/personas/${id}?tab=versions`,
    locale: "ar",
    colorScheme: "dark",
  });
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "الإصدار 40", exact: true }) });
  await expect.poll(() => row.innerText()).toContain("+1 −0");
  expect(await page.evaluate(() => document.documentElement.dir)).toBe("rtl");
  await saveScreenshot(page, "versions-arabic");
  await page.goto(`${suite.service.baseUrl}/console/admin/usage`);
  await page.locator("select").nth(2).selectOption("persona_version");
  await expect.poll(() => page.locator("table.data").innerText()).toContain("الإصدار 40");
  expect(pageErrors).toEqual([]);
});

it("console hides the versions of a persona from people who cannot change it", async () => {
  const client = await suite.client();
  const { id } = (await client.post("/v1/personas", { name: "Guide", visibility: "org" })).body;
  const identity = { user: "reader", roles: "member" };
  const { page } = await suite.visit({ path: `/console/assistants/personas/${id}?tab=versions`, identity });
  await page.getByText("Only the owner and administrators can change this persona.").waitFor();
  expect(await page.getByRole("tab").count()).toBe(0);
});
