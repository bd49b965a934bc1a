import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const groupCount = 40;

/** Creates groups with long names, once. */
async function addGroups(): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const client = await suite.client();
  const { groups } = (await client.get("/v1/groups")).body;
  if (groups.length >= groupCount) return groups;
  for (let index = 0; index < groupCount; index++) {
    const name = `Team ${String(index).padStart(2, "0")} of the department for harbors and lighthouses`;
    await client.post("/v1/groups", { name, roles: [], member_ids: [] });
  }
  return (await client.get("/v1/groups")).body.groups;
}

/** Returns by how much the content is wider than the page. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    Math.max(...Array.from(document.querySelectorAll("html, main, .page"), (e) => e.scrollWidth - e.clientWidth)),
  );

it("console chooses the readers of a collection and a document by name with the keyboard, and shows them", async () => {
  const groups = await addGroups();
  const client = await suite.client();
  const colleague = await createColleague(client);
  const { page, pageErrors } = await suite.visit({ path: "/console/knowledge" });
  await page.getByRole("button", { name: "New collection" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("Harbor rules");
  await page.getByLabel("Who can search it").selectOption({ label: "Groups and people" });
  const names = page.getByLabel("Groups and people");
  await names.fill("Team 07");
  await page.keyboard.press("Enter");
  await page.locator("li.badge", { hasText: "Team 07" }).waitFor();
  await names.fill(colleague.identity.user);
  await page.keyboard.press("Enter");
  await names.fill("No such person");
  await page.keyboard.press("Enter");
  await page.getByText("No name matches, or several do. Choose one of the list.").waitFor();
  await names.fill("");
  await saveScreenshot(page, "readers-dialog");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.waitForURL(/knowledge\/[\w-]+$/);
  const id = page.url().split("/").at(-1);
  const stored = async () => (await client.get(`/v1/knowledge/collections/${id}`)).body.readers;
  const team = groups.find(({ name }) => name.startsWith("Team 07"))?.id;
  expect(await stored()).toEqual([`group:${team}`, `user:${colleague.identity.user}`].sort());
  await page.locator(".badge", { hasText: "Team 07" }).waitFor();
  await saveScreenshot(page, "readers-collection");
  // A group that was deleted stays visible until it is removed.
  await client.delete(`/v1/groups/${team}`);
  await page.reload();
  await page.getByText("deleted group").waitFor();

  const { document } = await addIndexedDocument(client, { title: "Tariff", text: "Ships pay ten crowns." }, id);
  await page.goto(`${suite.service.baseUrl}/console/knowledge/${id}/${document}`);
  await page.getByRole("button", { name: "Who can read it" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Who can read it").selectOption({ label: "Groups and people" });
  await dialog.getByLabel("Groups and people").fill("Team 11");
  await page.keyboard.press("Enter");
  await dialog.locator("li.badge", { hasText: "Team 11" }).waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.locator(".badge", { hasText: "Team 11" }).waitFor();
  const narrower = groups.find(({ name }) => name.startsWith("Team 11"))?.id;
  const path = `/v1/knowledge/collections/${id}/documents/${document}`;
  expect((await client.get(path)).body.readers).toEqual([`group:${narrower}`]);
  await saveScreenshot(page, "readers-document");
  await page.goto(`${suite.service.baseUrl}/console/knowledge/${id}`);
  await page.getByText("fewer readers").waitFor();
  expect(pageErrors).toEqual([]);
});

it("console shows forty groups as readers on a phone, in the dark and from right to left, without scrolling sideways", async () => {
  const groups = await addGroups();
  const client = await suite.client();
  const readers = groups.flatMap(({ id, name }) => (/^Team (1[2-9]|2|3[01])/.test(name) ? [`group:${id}`] : []));
  const { body } = await client.post("/v1/knowledge/collections", { name: `Many ${crypto.randomUUID()}`, readers });
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
  const { page, pageErrors } = await suite.visit({
    ...phone,
    ...{ locale: "ar", colorScheme: "dark", path: `/console/knowledge/${body.id}` },
  });
  await page.getByText("+17").waitFor();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe("rtl");
  expect(await overflow(page)).toBe(0);
  await saveScreenshot(page, "readers-phone-collection");
  await page.locator(".menu-button, [aria-haspopup=menu]").last().click();
  await page.getByRole("menuitem").first().click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("li.badge", { hasText: "Team 12" }).waitFor();
  await saveScreenshot(page, "readers-phone-dialog");
  expect(await overflow(page)).toBe(0);
  const tooWide = await dialog.evaluate((element) => element.scrollWidth > element.clientWidth + 1);
  expect(tooWide).toBe(false);
  expect(pageErrors).toEqual([]);
});

it("console names a source that a reader of a shared conversation may not read as such, and nothing of it", async () => {
  const client = await suite.client();
  const colleague = await createColleague(client);
  const own = await client.post("/v1/knowledge/collections", { name: `Own ${crypto.randomUUID()}`, readers: [] });
  const fact = { title: "Wages of pilots", text: "A pilot of the harbor earns ninety crowns." };
  await addIndexedDocument(client, fact, own.body.id);
  suite.scripted().upstream.script = streamText(["Ninety crowns [1]."]);
  const conversation = await client.createConversation();
  await client.chat({ conversation_id: conversation, content: "What does a pilot of the harbor earn?" });
  await client.post(`/v1/chat/${conversation}/share`, { user_id: colleague.identity.user, permission: "READ" });
  const { page, pageErrors } = await suite.visit({
    identity: { user: colleague.identity.user, roles: "member" },
    path: `/console/chat/${conversation}`,
  });
  await page.getByText("Ninety crowns").waitFor();
  await page.getByText("1 source").click();
  await page.getByText("A source that you may not read, or that was deleted").first().click();
  await page.getByText("The answer rests on a source of whose readers you are not one, or that was deleted.").waitFor();
  await saveScreenshot(page, "readers-hidden-source");
  expect(await page.content()).not.toMatch(/Wages of pilots|A pilot of the harbor earns/);
  expect(pageErrors).toEqual([]);
});
