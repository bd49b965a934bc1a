import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { findLayoutProblems, saveScreenshot, setUpScriptedConsoleSuite } from "../console-suite.ts";

const suite = setUpScriptedConsoleSuite();

const longWord = "Donaudampfschifffahrtsgesellschaftskapitän".repeat(20);

async function createPersona(fields: object = {}): Promise<string> {
  return (await (await suite.client()).post("/v1/personas", { name: "Guide", ...fields })).body.id;
}

it("test set of a persona is created, renamed and deleted, with links to its page", async () => {
  const id = await createPersona();
  const { page, pageErrors } = await suite.visit({ path: `/console/assistants/personas/${id}?tab=tests` });
  await page.getByText("No test set yet").waitFor();
  expect(await findLayoutProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "New test set" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("This must not be empty.").waitFor();
  await page.getByRole("dialog").getByLabel("Name").fill("Prices");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Prices" }).waitFor();
  await page.getByRole("button", { name: "Actions for Prices" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(longWord.slice(0, 100));
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: longWord.slice(0, 100) }).click();
  await page.getByRole("heading", { name: longWord.slice(0, 100) }).waitFor();
  await page.getByText("No item yet").waitFor();
  expect(await findLayoutProblems(page)).toEqual([]);
  await page.reload();
  expect(await page.locator("nav").getByRole("link", { name: "Personas" }).getAttribute("aria-current")).toBe("page");
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByText("No run yet").waitFor();
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No test set yet").waitFor();
  expect(new URL(page.url()).search).toBe("?tab=tests");
  expect(pageErrors).toEqual([]);
});

it("item of a test set is written with expectations, whose errors are reported at their fields, and changed", async () => {
  const client = await suite.client();
  const persona_id = await createPersona();
  const { id } = (await client.post("/v1/test-sets", { persona_id, name: "Prices" })).body;
  const { page } = await suite.visit({ path: `/console/assistants/test-sets/${id}` });
  await page.getByRole("button", { name: "Add an item" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Question").fill("What does it cost?");
  for (const type of ["contains", "regex", "tool_call"]) {
    await dialog.getByRole("button", { name: "Add an expectation" }).click();
    await dialog.getByLabel("The answer").last().selectOption(type);
  }
  await dialog.getByLabel("Arguments (JSON)").fill("[]");
  await dialog.getByRole("button", { name: "Save" }).click();
  const errorOf = (label: string) =>
    dialog
      .locator(".field")
      .filter({ has: page.getByLabel(label) })
      .locator(".error");
  await errorOf("Text").waitFor();
  expect(await errorOf("Regular expression").innerText()).toBe("This must not be empty.");
  expect(await errorOf("Arguments (JSON)").innerText()).toBe("Enter a JSON object.");
  expect(await dialog.getByLabel("Text").evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await findLayoutProblems(page)).toEqual([]);
  await dialog.getByLabel("Text").fill("12 euros");
  await dialog.getByLabel("Regular expression").fill("(");
  await dialog.getByRole("button", { name: "Remove expectation 3" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => errorOf("Regular expression").innerText()).toMatch(/missing/i);
  await dialog.getByLabel("Regular expression").fill("\\d+");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const row = page.getByRole("row").nth(1);
  expect(await row.innerText()).toContain("12 euros");
  await page.getByRole("button", { name: "Add an item" }).click();
  await dialog.getByLabel("Question").fill("what does it  COST?");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("The set has this question already.").waitFor();
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: "What does it cost?", exact: true }).click();
  await dialog.getByLabel("Note").fill("As on the website");
  await dialog.getByLabel("The answer").last().selectOption("judge");
  await dialog.getByLabel("Votes").selectOption("3");
  await dialog.getByRole("button", { name: "Save" }).click();
  await errorOf("Rubric").waitFor();
  await dialog.getByLabel("Rubric").fill("Names the price.");
  await dialog.getByRole("button", { name: "Add an expectation" }).click();
  await dialog.getByLabel("The answer").last().selectOption("similar");
  await dialog.getByLabel("Text").last().fill("Twelve euros.");
  await dialog.getByLabel("Similarity").selectOption("0.9");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => row.innerText()).toContain("As on the website");
  expect((await client.get(`/v1/test-sets/${id}/items`)).body.items).toMatchObject([
    {
      question: "What does it cost?",
      expectations: [
        { type: "contains", text: "12 euros" },
        { type: "judge", rubric: "Names the price.", votes: 3 },
        { type: "similar", text: "Twelve euros.", min_similarity: 0.9 },
      ],
      note: "As on the website",
    },
  ]);
});

it("file of 40 items is imported, its refused lines are listed with their numbers and saved, and items are found and deleted", async () => {
  const client = await suite.client();
  const persona_id = await createPersona();
  const { id } = (await client.post("/v1/test-sets", { persona_id, name: "Prices" })).body;
  const { page, pageErrors } = await suite.visit({ path: `/console/assistants/test-sets/${id}` });
  const rows = Array.from({ length: 40 }, (_, n) => `"Question ${n},\nplease?",Note ${n},yes`);
  const others = [
    `${longWord},,`,
    "料金はいくらですか。営業時間も教えてください。,,",
    ",without a question,",
    `"Question 0,\nplease?",,`,
  ];
  const buffer = Buffer.from(["question,note,contains", ...rows, ...others].join("\n"));
  await page.getByRole("button", { name: "Import a file" }).click();
  const dialog = page.getByRole("dialog");
  const file = dialog.getByLabel("File with items");
  await file.setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer: Buffer.from([0xff, 0xfe, 0x41]) });
  await dialog.getByText("The file is not in UTF-8.").waitFor();
  await file.setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer });
  await dialog.getByText("44 items found").waitFor();
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("42 items added · 1 was there already · 1 line refused").waitFor();
  // 1 line of the header, 40 items with 2 lines each, and 2 items with 1 line.
  expect(await dialog.getByRole("row").nth(1).innerText()).toMatch(/84\s+.*question.*\s+,without a question,/is);
  expect(await findLayoutProblems(page)).toEqual([]);
  await saveScreenshot(page, "items-import");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save the refused lines" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("items-refused.csv");
  expect(readFileSync(await saved.path(), "utf8")).toBe("sep=,\nquestion,note,contains\n,without a question,\n");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect.poll(() => page.getByRole("row").count()).toBe(43);
  expect(await findLayoutProblems(page)).toEqual([]);
  await saveScreenshot(page, "items");
  await page.getByLabel("Filter").fill("料金");
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: /^Delete 料金/ }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing matches.").waitFor();
  await page.getByLabel("Filter").fill("");
  await expect.poll(() => page.getByRole("row").count()).toBe(42);
  expect(pageErrors).toEqual([]);
});

it("import without a connection keeps the lines that were not sent", async () => {
  const client = await suite.client();
  const persona_id = await createPersona();
  const { id } = (await client.post("/v1/test-sets", { persona_id, name: "Prices" })).body;
  const { page } = await suite.visit({ path: `/console/assistants/test-sets/${id}` });
  const path = `**/v1/test-sets/${id}/items`;
  let requests = 0;
  await page.route(path, (route) => {
    if (route.request().method() !== "POST" || requests++ === 0) return route.continue();
    return route.fulfill({ status: 403, contentType: "application/problem+json", body: '{"code": "forbidden"}' });
  });
  const lines = Array.from({ length: 450 }, (_, n) => JSON.stringify({ question: `Question ${n}?` }));
  await page.getByRole("button", { name: "Import a file" }).click();
  const dialog = page.getByRole("dialog");
  const buffer = Buffer.from(lines.join("\n"));
  await dialog.getByLabel("File with items").setInputFiles({ name: "items.jsonl", mimeType: "text/plain", buffer });
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("200 items added · 0 were there already · 250 lines refused").waitFor();
  await dialog.getByText("200 more are in the file of refused lines.").waitFor();
  expect(await dialog.getByRole("row").nth(1).innerText()).toMatch(/201\s+Your roles do not allow this\./);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save the refused lines" }).click();
  expect(readFileSync(await (await download).path(), "utf8")).toBe(`${lines.slice(200).join("\n")}\n`);
  expect(requests).toBe(2);
});

it("answer is added to a test set from its menu, once, and only by those who can change personas", async () => {
  suite.scripted().upstream.script = streamText(["It costs 12 euros."]);
  const client = await suite.client();
  await createPersona({ name: "Another guide" });
  const persona_id = await createPersona({ name: "Guide of this conversation" });
  const conversation = (await client.post("/v1/conversations", { title: "Prices", persona_id })).body.id;
  await client.chat({ conversation_id: conversation, content: "What does it cost?" });
  const path = `/console/chat/${conversation}`;
  const { page, pageErrors } = await suite.visit({ path });
  const dialog = page.getByRole("dialog");
  const open = async () => {
    await page.getByRole("button", { name: "More actions" }).last().click();
    await page.getByRole("menuitem", { name: "Add to a test set" }).click();
    await dialog.getByLabel("Persona").waitFor();
  };
  await open();
  expect(await dialog.getByLabel("Persona").inputValue()).toBe(persona_id);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("This must not be empty.").waitFor();
  await dialog.getByLabel("Name of the test set").fill("Prices");
  await dialog.getByRole("button", { name: "Add an expectation" }).click();
  await dialog.getByLabel("Text").fill("12 euros");
  expect(await findLayoutProblems(page)).toEqual([]);
  await saveScreenshot(page, "add-to-test-set");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Added to the test set.").waitFor();
  const [set] = (await client.get(`/v1/test-sets?persona_id=${persona_id}`)).body.test_sets;
  expect(set.name).toBe("Prices");
  expect((await client.get(`/v1/test-sets/${set.id}/items`)).body.items).toMatchObject([
    { question: "What does it cost?", expectations: [{ type: "contains", text: "12 euros" }] },
  ]);
  await open();
  await expect.poll(() => dialog.getByLabel("Test set", { exact: true }).inputValue()).toBe(set.id);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("This test set has the question already, with the same conversation before it.").waitFor();
  expect(pageErrors.filter((text) => !text.includes("409"))).toEqual([]);
  const identity = { user: "vera", roles: "viewer" };
  await new Client({ ...client.identity, ...identity }, suite.service.baseUrl).get("/v1/receptor");
  const share = { user_id: identity.user, permission: "READ" };
  expect((await client.post(`/v1/chat/${conversation}/share`, share)).status).toBeLessThan(300);
  const viewer = (await suite.visit({ path, identity })).page;
  await viewer.getByRole("button", { name: "More actions" }).last().click();
  await viewer.getByRole("menuitem", { name: "Details" }).waitFor();
  expect(await viewer.getByRole("menuitem", { name: "Add to a test set" }).count()).toBe(0);
});
