import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { findLayoutProblems, saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite({ RATE_LIMIT_EMBED_SESSION: "500" });

/** Creates a website with a chat, a session without a message and a hand-over, and returns the path of its visitors. */
async function createVisitedSite() {
  suite.scripted().upstream.script = streamText(["Yes, we do."]);
  const client = await suite.client();
  const site = await createSite(client, { persona: { tier: "QUICK" }, handover: {} });
  const session = await site.createSession();
  await site.sendMessage(session, "Do you ship bicycles?", { accept: "application/json" });
  await site.createSession();
  await site.request("PUT", `/v1/embed/sessions/${await site.createSession()}/handover`, {});
  const path = `/v1/tenant/embed-keys/${site.key.id}/statistics`;
  await vi.waitFor(
    async () => {
      const { totals } = (await client.get(path)).body;
      expect(totals).toMatchObject({ opens: 3, chats: 2, handed_over: 1 });
      expect(totals.cost_usd).toBeGreaterThan(0);
    },
    { timeout: 30_000, interval: 50 },
  );
  return { site, path: `/console/assistants/widget/${site.key.id}` };
}

it("console shows the figures of a website as a chart of the chosen measure and as a table by day", async () => {
  const { path } = await createVisitedSite();
  const { page, pageErrors } = await suite.visit({ path });
  await page.getByRole("tab", { name: "Figures" }).click();
  await page.getByRole("img", { name: "Chats: 2", exact: true }).waitFor();
  await page.getByLabel("Measure").selectOption("Opened");
  await page.getByRole("img", { name: "Opened: 3", exact: true }).waitFor();
  await page.getByLabel("Measure").selectOption("Waiting time");
  await page.getByRole("img", { name: "Waiting time: 0 sec", exact: true }).waitFor();
  const rows = page.getByRole("row");
  await expect.poll(() => rows.count()).toBe(31);
  await page.getByLabel("Period").selectOption("7 days");
  await expect.poll(() => rows.count()).toBe(8);
  const values = await rows.nth(1).getByRole("cell").allTextContents();
  expect(values.slice(1, 8)).toEqual(["3", "2", "1", "1", "–", "0", "0"]);
  await saveScreenshot(page, "widget-figures");
  expect(await findLayoutProblems(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console shows the figures of a website in Arabic from right to left on a phone", async () => {
  const { path } = await createVisitedSite();
  const { page, pageErrors } = await suite.visit({
    ...{ path, locale: "ar", colorScheme: "dark" },
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole("tab", { name: "الأرقام" }).click();
  await page.locator(".chart canvas").waitFor();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe("rtl");
  const { width } = (await page.locator(".chart").boundingBox()) ?? { width: 0 };
  expect(width).toBeLessThan(360);
  await saveScreenshot(page, "widget-figures-ar");
  expect(await findLayoutProblems(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});

it("console saves all sessions of a website as one CSV file, also if they are several pages", async () => {
  const { site, path } = await createVisitedSite();
  await Promise.all(Array.from({ length: 50 }, () => site.createSession()));
  const { page, pageErrors } = await suite.visit({ path });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(54);
  expect(lines.filter((line) => line.startsWith("session_id,"))).toHaveLength(1);
  expect(pageErrors).toEqual([]);
});
