import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { answerBy, createTestSet, waitForEnd } from "#test/support/evaluations/runs.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { findLayoutProblems, saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const longWord = "Donaudampfschifffahrtsgesellschaftskapitän".repeat(20);
const long = "The reading room opens at nine. ".repeat(40);

/** Questions of 40 items, of which the first are those that versions answer differently. */
const questions = [
  "Better with version 2?",
  "Worse with version 2?",
  "料金はいくらですか。",
  longWord,
  ...Array.from({ length: 36 }, (_, n) => `Question ${n}?`),
];

/** Answers of version 1 and 2, with "12" where the expectation is fulfilled. */
function answerOf(version: number, question: string): string {
  if (question.includes("Better")) return version === 1 ? "It costs 11 euros." : "It costs 12 euros.";
  if (question.includes("Worse")) return version === 1 ? "It costs 12 euros." : "It costs 13 euros.";
  return `12 ${question.includes("料金") ? "料金は十二ユーロです。" : question.includes(longWord) ? longWord : long}`;
}

async function createSet() {
  const expectations = [{ type: "contains", text: "12" }];
  const items = questions.map((question) => ({ question, expectations }));
  return createTestSet(await suite.client(), items, { versions: 2 });
}

it("run is started from a set after its cost was estimated, and its page shows progress, sums and a comparison", async () => {
  const client = await suite.client();
  const { set_id } = await createSet();
  suite.scripted().upstream.script = answerBy(answerOf);
  const { page, pageErrors } = await suite.visit({ path: `/console/assistants/test-sets/${set_id}` });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Version 2").check();
  await dialog.getByLabel("Budget in US dollars").fill("-1");
  await dialog.getByRole("button", { name: "Estimate the cost" }).click();
  await dialog.getByText("The lowest value is 0.").waitFor();
  await dialog.getByLabel("Budget in US dollars").fill("5");
  await dialog.getByRole("button", { name: "Estimate the cost" }).click();
  await dialog.getByText(/^80 answers to 40 items/).waitFor();
  expect(await findLayoutProblems(page)).toEqual([]);
  await saveScreenshot(page, "run-dialog");
  await dialog.getByLabel("Model that judges rubrics").selectOption("gpt-4o");
  await dialog.getByRole("button", { name: "Estimate the cost" }).click();
  await dialog.getByRole("button", { name: "Start the run" }).waitFor();
  // A change needs another estimate.
  await dialog.getByLabel("Version 2").uncheck();
  await dialog.getByRole("button", { name: "Estimate the cost" }).waitFor();
  expect((await client.get(`/v1/test-runs?set_id=${set_id}`)).body.test_runs).toEqual([]);
  await dialog.getByLabel("Version 2").check();
  await dialog.getByRole("button", { name: "Start the run" }).click();
  await page.getByRole("heading", { name: "Run of Prices" }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  expect(await waitForEnd(client, id)).toMatchObject({
    max_cost_usd: 5,
    judge_model: "gpt-4o",
    columns: [{ version: 1 }, { version: 2 }],
  });
  await page.getByText("Complete").waitFor();
  await page.getByRole("heading", { name: "Compared with Version 1" }).waitFor();
  const [sums, comparison] = [page.getByRole("table").first(), page.getByRole("table").nth(1)];
  expect((await comparison.getByRole("row").nth(1).innerText()).split(/\s*\t\s*/)).toEqual([
    "Version 2",
    "1",
    "1",
    "38",
    "0 [-7.5, +7.5]",
    "1",
  ]);
  expect(await sums.getByRole("row").nth(1).innerText()).toMatch(/^Version 1\s+97\.5%\s+39 of 40\s+0\s/);
  expect(pageErrors.filter((text) => !text.includes("400"))).toEqual([]);
});

it("page of a run filters items by verdict in its address, shows differences and long answers, and saves JSON and JUnit XML", async () => {
  const client = await suite.client();
  const { set_id } = await createSet();
  suite.scripted().upstream.script = answerBy(answerOf);
  const started = await client.post("/v1/test-runs", { set_id, versions: [1, 2] });
  const { id } = await waitForEnd(client, started.body.id);
  const path = `/console/assistants/test-runs/${id}`;
  const { page, pageErrors } = await suite.visit({ path });
  const items = page.getByRole("article");
  await expect.poll(() => items.count()).toBe(40);
  expect(await findLayoutProblems(page)).toEqual([]);
  await saveScreenshot(page, "run");
  const shown = async (filter: string, search: string) => {
    await page.getByRole("tab", { name: filter }).click();
    await expect.poll(() => new URL(page.url()).search).toBe(search);
    return items.getByRole("heading").allInnerTexts();
  };
  expect(await shown("Better", "?show=better")).toEqual(["Better with version 2?"]);
  expect(await shown("Worse", "?show=worse")).toEqual(["Worse with version 2?"]);
  expect(await shown("Errors", "?show=error")).toEqual([]);
  expect((await shown("Not passed", "?show=failed")).sort()).toEqual(questions.slice(0, 2));
  await page.goto(`${suite.service.baseUrl}${path}?show=worse`);
  await expect.poll(() => items.count()).toBe(1);
  expect((await items.innerText()).replaceAll(/\s+/g, " ")).toContain("Version 2 worse It costs 13 euros.");
  await page.getByRole("button", { name: "Show differences" }).click();
  expect([await items.locator("del").innerText(), await items.locator("ins").innerText()]).toEqual(["12", "13"]);
  await shown("All", "");
  const other = items.filter({ hasText: "Question 35?" });
  expect((await other.innerText()).length).toBeLessThan(long.length * 2);
  await other.getByRole("button", { name: "Show all of the answers" }).click();
  expect((await other.innerText()).length).toBeGreaterThan(long.length * 2);
  const save = async (name: string) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  const { run, results } = JSON.parse(await save("JSON"));
  expect([run.id, results.length]).toEqual([id, 80]);
  expect((await save("JUnit XML")).match(/<testcase/g)).toHaveLength(80);
  expect(pageErrors).toEqual([]);
});

it("list of runs shows a run in progress, which is canceled from it", async () => {
  const client = await suite.client();
  const { set_id } = await createSet();
  suite.scripted().upstream.script = streamText(["Slow"], { pauseMs: 3_000 });
  const { status } = await client.post("/v1/test-runs", { set_id, concurrency: 1 });
  expect(status).toBe(201);
  const { page } = await suite.visit({ path: `/console/assistants/test-sets/${set_id}?tab=runs` });
  const row = page.getByRole("row").nth(1);
  await expect.poll(() => row.innerText()).toMatch(/In progress\s+\d+ of 40 items/);
  expect(await findLayoutProblems(page)).toEqual([]);
  await row.getByRole("button", { name: "Cancel the run" }).click();
  await expect.poll(() => row.innerText()).toContain("Canceled");
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: "Run of Prices" }).waitFor();
  expect(await page.getByRole("button", { name: "Cancel the run" }).count()).toBe(0);
});
