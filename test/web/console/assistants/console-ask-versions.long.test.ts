import { expect, it } from "vitest";
import { answerBy, createTestSet } from "#test/support/evaluations/runs.ts";
import { findLayoutProblems, saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const longWord = "Donaudampfschifffahrtsgesellschaftskapitän".repeat(20);

it("comparison of two versions asks both the same questions, shows the answers side by side, and leaves no conversation", async () => {
  const client = await suite.client();
  const { persona_id } = await createTestSet(client, [], { versions: 2 });
  suite.scripted().upstream.script = answerBy(
    (version, question) => `${version === 1 ? "Eleven" : "料金は十二ユーロです。"} ${longWord} ${question.slice(-9)}`,
  );
  const { page, pageErrors } = await suite.visit({ path: `/console/assistants/personas/${persona_id}?tab=versions` });
  await page.getByRole("button", { name: "Actions for Version 2" }).click();
  await page.getByRole("menuitem", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog");
  const asked: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/runtime/chat")) asked.push(request.postDataJSON());
  });
  const answers = dialog.locator(".side-by-side > li");
  for (const question of ["Costs 1?", "Costs 2?"]) {
    const field = dialog.getByRole("textbox", { name: "Message" });
    await field.fill(question);
    // While an answer is written, no question is sent.
    await expect
      .poll(async () => {
        await page.keyboard.press("Enter");
        return field.inputValue();
      })
      .toBe("");
    for (const [index, beginning] of ["Eleven", "料金は"].entries()) {
      await expect
        .poll(() => answers.nth(index).innerText())
        .toMatch(new RegExp(`${beginning}.*${question}\\?*$`, "s"));
    }
  }
  expect(asked.map((body) => (body as { persona_version: number }).persona_version).sort()).toEqual([1, 1, 2, 2]);
  const [first, second] = await Promise.all([answers.nth(0).boundingBox(), answers.nth(1).boundingBox()]);
  expect(second?.y).toBe(first?.y);
  await saveScreenshot(page, "versions-asked");
  expect(await findLayoutProblems(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect.poll(async () => (await client.get("/v1/conversations")).body.conversations).toEqual([]);
  expect(pageErrors).toEqual([]);
});
