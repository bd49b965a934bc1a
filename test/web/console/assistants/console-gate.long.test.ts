import { expect, it } from "vitest";
import { answerBy, createTestSet, waitForEnd } from "#test/support/evaluations/runs.ts";
import { findLayoutProblems, saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const questions = [
  "What does it cost?",
  "料金はいくらですか。".repeat(10),
  "Kosten".repeat(60),
  ...Array.from({ length: 37 }, (_, n) => `Question ${n}?`),
];

/** Creates a persona with a draft that answers the first question worse, and a test set of 40 items. */
async function createSet() {
  const expectations = [{ type: "contains", text: "12" }];
  const items = questions.map((question) => ({ question, expectations }));
  suite.scripted().upstream.script = answerBy((version, question) =>
    question.includes("cost") && version === 2 ? "No idea." : "It costs 12 euros.",
  );
  return createTestSet(await suite.client(), items, { versions: 2 });
}

it("gate of a persona is set, stops a version that fails an item with a link to its run, and is overridden with a reason", async () => {
  const client = await suite.client();
  const { persona_id, set_id } = await createSet();
  const { page, pageErrors } = await suite.visit({ path: `/console/assistants/personas/${persona_id}?tab=versions` });
  await page.getByRole("button", { name: "Set a gate" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Test set").selectOption("Prices");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("must have at least one threshold").waitFor();
  await dialog.getByLabel("Lowest mean score").fill("0.5");
  await dialog.getByLabel("What does it cost?").check();
  expect(await findLayoutProblems(page)).toEqual([]);
  await saveScreenshot(page, "gate-dialog");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("score of at least 0.5, required items: 1").waitFor();
  expect((await client.get(`/v1/personas/${persona_id}`)).body.gate).toMatchObject({ set_id, min_score: 0.5 });

  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "Version 2", exact: true }) });
  await row.getByRole("button").click();
  await page.getByRole("menuitem", { name: "Publish" }).click();
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByText("The version is tested first.").waitFor();
  const address = await dialog.getByRole("link", { name: "Open the test run" }).getAttribute("href");
  await waitForEnd(client, address?.split("/").at(-1) ?? "");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByText("The version does not pass the gate.").waitFor();
  expect(await dialog.getByRole("link", { name: "Open the test run" }).getAttribute("href")).toBe(
    `${address}?show=failed`,
  );
  await saveScreenshot(page, "gate-stop");
  expect(await findLayoutProblems(page)).toEqual([]);
  await dialog.getByLabel("Publish anyway, because").fill("The price is announced tomorrow.");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await expect.poll(() => row.innerText()).toContain("Everyone");
  expect((await client.get(`/v1/personas/${persona_id}`)).body.version).toBe(2);

  await page.goto(`${suite.service.baseUrl}/console/assistants/personas/${persona_id}`);
  expect(await page.getByLabel("Save as a draft").isChecked()).toBe(true);
  await page.goto(`${suite.service.baseUrl}/console/assistants/personas/${persona_id}?tab=versions`);
  await page.getByRole("button", { name: "Delete the gate" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Set a gate" }).waitFor();
  expect(pageErrors.filter((error) => !/40[09]/.test(error))).toEqual([]);
});

it("test set is run regularly by a schedule, which is changed without a question", async () => {
  const client = await suite.client();
  const { set_id } = await createSet();
  const { page, pageErrors } = await suite.visit({ path: `/console/assistants/test-sets/${set_id}` });
  await page.getByRole("button", { name: "Actions for Prices" }).click();
  await page.getByRole("menuitem", { name: "Run regularly" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Nightly");
  expect(await dialog.getByLabel("Question").count()).toBe(0);
  await dialog.getByLabel("Times (cron)").fill("0 3 * * *");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Runs a test set" }).waitFor();
  await page.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("Name").fill("Every night");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Every night" }).waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await expect
    .poll(
      async () => {
        await page.getByRole("button", { name: "Refresh" }).click();
        return page.getByRole("link", { name: "Open the test run" }).count();
      },
      { interval: 1_000 },
    )
    .toBe(1);
  const { schedules } = (await client.get("/v1/schedules")).body;
  expect(schedules).toMatchObject([{ name: "Every night", set_id, question: "", cron: "0 3 * * *" }]);
  expect(await findLayoutProblems(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});
