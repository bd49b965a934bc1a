import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { getPolicyRules, setPolicy } from "#test/support/governance/policy.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { alertSamples } from "#test/support/webhooks/alert-payloads.ts";
import { createChannel } from "#test/support/webhooks/channel.ts";
import { saveScreenshot, setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

/** Returns the focused field with the text that describes it. */
const focusedField = (page: Page) =>
  page.evaluate(() => {
    const field = document.activeElement as HTMLInputElement;
    return {
      label: field.labels?.[0]?.textContent?.trim(),
      isInvalid: field.getAttribute("aria-invalid"),
      description: document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent,
    };
  });

const refused = (page: Page) => page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid"));

it("policy form moves the focus to the first invalid field and describes its error", async () => {
  const { page } = await suite.visit({ path: "/console/admin/policy", viewport: { width: 360, height: 740 } });
  const days = page.getByLabel("Days until conversations are deleted");
  await days.fill("-5");
  await page.getByRole("button", { name: "Save" }).click();
  await refused(page);
  expect(await focusedField(page)).toEqual({
    label: "Days until conversations are deleted (empty: never)",
    isInvalid: "true",
    description: "The lowest value is 1.",
  });
  const isVisible = await days.evaluate((field) => {
    const { top, bottom } = field.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  expect(isVisible).toBe(true);
  await saveScreenshot(page, "policy-refused");
  await days.fill("30");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The policy was saved.").waitFor();
  expect(await page.locator("[aria-invalid=true]").count()).toBe(0);
});

it.each([
  {
    form: "a group",
    path: "/console/admin/people/groups",
    open: "New group",
    fill: [
      ["Name", "Support"],
      ["Names or user ids of the members", `ada\n${"x".repeat(256)}`],
    ],
    expected: { label: "Names or user ids of the members, one per line", description: "Entry 2: Must be a user id." },
  },
  {
    form: "a role",
    path: "/console/admin/people/roles",
    open: "New role",
    fill: [["Name", "two words"]],
    expected: {
      label: "Name",
      description: "Must be 1 to 64 letters, digits or . _ : -, starting with a letter or digit.",
    },
  },
  {
    form: "a template",
    path: "/console/assistants/templates",
    open: "New template",
    fill: [
      ["Name", "   "],
      ["Text", "Hello {{name}}"],
    ],
    expected: { label: "Name", description: "This must not be empty." },
  },
  {
    form: "a widget key",
    path: "/console/assistants/widget",
    open: "New widget",
    fill: [
      ["Name", "Shop"],
      ["Addresses of your site", "https://shop.example.com\nnot-an-address"],
    ],
    expected: { label: "Addresses of your site, one per line", description: /^Entry 2: Must be/ },
  },
] as const)("form of $form describes an invalid value at its field", async ({ path, open, fill, expected }) => {
  const { page } = await suite.visit({ path });
  await page.getByRole("button", { name: open }).first().click();
  const dialog = page.getByRole("dialog");
  for (const [label, value] of fill) await dialog.getByLabel(new RegExp(`^${label}\\b`)).fill(value);
  await dialog.getByRole("button", { name: /^(Save|Create)$/ }).click();
  await refused(page);
  const { label, isInvalid, description } = await focusedField(page);
  expect([label, isInvalid]).toEqual([expected.label, "true"]);
  expect(description).toMatch(expected.description);
});

it("role form shows an error of the whole form and moves the focus to it when a second role gets the same name", async () => {
  const { page } = await suite.visit({ path: "/console/admin/people/roles" });
  for (const isFirst of [true, false]) {
    await page.getByRole("button", { name: "New role" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("auditor");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    if (isFirst) await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  const error = page.getByRole("dialog").getByRole("alert");
  await error.waitFor();
  await expect.poll(() => error.evaluate((element) => element === document.activeElement)).toBe(true);
});

it("console's access view lists members with their groups and roles, and deactivates and reactivates one", async () => {
  const client = await suite.client();
  const ada = new Client({ tenant: client.identity.tenant, user: "ada", roles: "member" }, client.baseUrl);
  await ada.get("/v1/me");
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/people" });
  await page.getByRole("tab", { name: "Groups" }).click();
  await page.getByRole("button", { name: "New group" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Editors");
  await dialog.getByLabel("Roles").fill("reader");
  await dialog.getByLabel("Roles").press("Enter");
  await dialog.getByLabel("Names or user ids of the members").fill("grace\nada");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Members" }).click();
  const row = page.getByRole("row").filter({ hasText: "ada" });
  await row.filter({ hasText: "Editors" }).waitFor();
  expect(await row.textContent()).toMatch(/ada.*Editors.*Member.*Reader/);
  await row.getByRole("button", { name: "Deactivate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await row.filter({ hasText: "deactivated" }).waitFor();
  expect((await client.get("/v1/tenant/users/ada")).body.is_active).toBe(false);
  await row.getByRole("button", { name: "Reactivate" }).click();
  await row.getByRole("button", { name: "Deactivate" }).waitFor();
  await row.getByRole("button", { name: "Editors" }).click();
  await page.getByRole("dialog", { name: "Editors" }).waitFor();
  expect(pageErrors).toEqual([]);
});

it("console's access view creates an invitation, whose link adds the person who opens it to the group", async () => {
  const client = await suite.client();
  await client.post("/v1/groups", { name: "Guests", roles: ["viewer"] });
  const { page } = await suite.visit({ path: "/console/admin/people" });
  // A name can be confirmed before the groups have arrived.
  await page.route("**/v1/groups*", (route) => setTimeout(() => route.continue(), 1_000));
  await page.reload();
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("For", { exact: true }).fill("grace@example.com");
  await dialog.getByLabel("Groups").fill("gue");
  await dialog.getByLabel("Groups").press("Enter");
  await dialog.getByRole("button", { name: "Remove Guests" }).waitFor();
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = (await dialog.locator("code").textContent()) ?? "";
  const visit = await suite.visit({
    path: link.slice(suite.service.baseUrl.length),
    identity: { user: "grace", roles: "member" },
  });
  await visit.page.getByText("You are now a member of Guests.").waitFor();
  expect(await visit.page.evaluate(() => sessionStorage.getItem("switchboard.invitation"))).toBeNull();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.reload();
  await page.getByRole("tab", { name: "Invitations" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: "grace@example.com" })
    .filter({ hasText: "accepted by grace" })
    .waitFor();
  expect(visit.pageErrors).toEqual([]);
});

it("console's people are found by words of their name and role, and added to a group and deactivated together", async () => {
  const client = await suite.client();
  const people = ["Barbara Liskov", "Liskov Senior", "Dana Scott"];
  for (const name of people) {
    const user = name.toLowerCase().replace(" ", "-");
    await new Client({ tenant: client.identity.tenant, user, roles: "member" }, client.baseUrl).get("/v1/me");
  }
  const group = (await client.post("/v1/groups", { name: "Abstraction", roles: [], member_ids: ["dana-scott"] })).body;
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/people" });
  await page.getByLabel("Search by name, email address, group or role").fill("member liskov");
  await page.getByLabel("Select 2 people").check();
  await page.getByRole("button", { name: "Add to a group…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Groups").fill("abstraction");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const groups = (await client.get("/v1/groups")).body.groups as { id: string; member_ids: string[] }[];
  expect(groups.find(({ id }) => id === group.id)?.member_ids.toSorted()).toEqual([
    "barbara-liskov",
    "dana-scott",
    "liskov-senior",
  ]);
  await page.getByLabel("Select 2 people").check();
  await page.getByRole("button", { name: "Deactivate 2 people" }).click();
  await dialog.getByRole("button", { name: "Deactivate" }).click();
  await expect.poll(() => page.getByRole("row").filter({ hasText: "deactivated" }).count()).toBe(2);
  expect((await client.get("/v1/tenant/users/dana-scott")).body.is_active).toBe(true);
  expect(pageErrors).toEqual([]);
});

it("budget form creates a budget, which is shown with what is used of it and can be changed", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/budgets" });
  await page.getByRole("button", { name: "New budget" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Team");
  await dialog.getByLabel("Measure").selectOption("Answers of any kind");
  await dialog.getByLabel("Limit").fill("1000");
  await dialog.getByRole("button", { name: "Create" }).click();
  const card = page.getByRole("article").filter({ hasText: "Team" });
  await card.getByText("0 of 1K used").waitFor();
  await card.getByRole("button", { name: "Change Team" }).click();
  await page.getByRole("dialog").getByLabel("Limit").fill("2000");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await card.getByText("0 of 2K used").waitFor();
  await saveScreenshot(page, "budgets");
  expect(pageErrors).toEqual([]);
});

it("widget form shows a working preview of the widget with the edited theme", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/assistants/widget" });
  await page.getByRole("button", { name: "New widget" }).first().click();
  await page.getByRole("button", { name: "Start the preview" }).click();
  const widget = page.frameLocator("iframe").locator("assistant-chat");
  const field = widget.getByRole("textbox");
  await field.waitFor();
  const color = () =>
    widget.evaluate((element) => getComputedStyle(element).getPropertyValue("--key-accent").trim().toLowerCase());
  expect(await color()).toBe("#4549d1");
  await page.getByLabel("Color").fill("#0a7d4f");
  await expect.poll(color).toBe("#0a7d4f");
  await field.fill("What can you do?");
  await widget.getByRole("button", { name: "Send" }).click();
  await widget.locator(".message.assistant .body").first().waitFor();
  await saveScreenshot(page, "widget-preview");
  expect(pageErrors).toEqual([]);
});

it("API key form creates one key when its button is clicked twice", async () => {
  const { page } = await suite.visit({ path: "/console/admin/api-keys" });
  const requests: string[] = [];
  await page.route("**/v1/tenant/api-keys", async (route) => {
    if (route.request().method() === "POST") {
      requests.push(route.request().postData() ?? "");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await route.continue();
  });
  await page.getByRole("button", { name: "New API key" }).first().click();
  await page.getByLabel("Description").fill("Clicked twice");
  const create = page.getByRole("button", { name: "Create", exact: true });
  await create.evaluate((button: HTMLButtonElement) => {
    button.click();
    button.click();
  });
  await expect.poll(() => create.isDisabled()).toBe(true);
  await page.getByRole("heading", { name: "Your new API key" }).waitFor();
  expect(requests.length).toBe(1);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row").filter({ hasText: "Clicked twice" }).waitFor();
  expect(await page.getByRole("row").filter({ hasText: "Clicked twice" }).count()).toBe(1);
});

it("template form enables its button again after a value was rejected", async () => {
  const { page } = await suite.visit({ path: "/console/assistants/templates" });
  await page.getByRole("button", { name: "New template" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("   ");
  await dialog.getByLabel("Text").fill("Hello {{name}}");
  await dialog.getByRole("button", { name: "Save" }).click();
  await refused(page);
  await dialog.getByLabel("Name").fill("Greeting");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
});

it("console's memory view creates, filters and deletes memories, and accepts a proposed one", async () => {
  const client = await suite.client();
  for (let index = 0; index < 9; index++) {
    await client.post("/v1/memories", { text: `Team ${index} meets on Mondays.`, category: "fact" });
  }
  const { page, pageErrors } = await suite.visit({ path: "/console/account/memories" });
  await page.getByRole("button", { name: "New memory" }).click();
  await page.getByRole("dialog").getByLabel("Text").fill("I prefer short answers.");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("I prefer short answers.").waitFor();
  await page.getByLabel("Filter").fill("SHORT");
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Forget this?" }).getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  // A reload keeps the filter, which is part of the address.
  await page.getByLabel("Filter").fill("");
  const { body } = await client.get("/v1/memories?limit=100");
  expect(body.memories.map(({ text }: { text: string }) => text)).not.toContain("I prefer short answers.");
  const proposed = { ...body.memories[0], id: "p1", text: "Proposed.", status: "proposed", trusted: false };
  await page.route("**/v1/memories?*", (route) =>
    route.fulfill({ json: { memories: [{ ...proposed, read_untrusted: true }], next_cursor: null } }),
  );
  await page.route("**/v1/memories/p1", (route) => route.fulfill({ json: proposed }));
  await page.reload();
  await page.getByText("Proposed after a document").waitFor();
  const request = page.waitForRequest((each) => each.method() === "PATCH");
  await page.getByRole("button", { name: "Accept" }).click();
  expect((await request).postDataJSON()).toEqual({ status: "active", trusted: true });
  expect(pageErrors).toEqual([]);
});

it("console's note view creates and changes a note and shows pinned ones first", async () => {
  const client = await suite.client();
  await client.post("/v1/notes", { title: "Older" });
  const { page, pageErrors } = await suite.visit({ path: "/console/account/notes" });
  await page.getByRole("button", { name: "New note" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Newer");
  await dialog.getByLabel("Tags").fill("travel, , expenses");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("expenses").waitFor();
  await page.getByRole("button", { name: "Older" }).click();
  await dialog.getByLabel("Show at the top").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.locator(".cards strong").allTextContents()).toEqual(["Older", "Newer"]);
  const { body } = await client.get("/v1/notes");
  expect(body.notes.find(({ title }: { title: string }) => title === "Newer").tags).toEqual(["travel", "expenses"]);
  expect(pageErrors).toEqual([]);
});

it("console's audit view names people, and saves the filtered entries as a file", async () => {
  const client = await suite.client();
  await client.post("/v1/notes", { title: "Audited" });
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/people" });
  const user = { id: client.identity.user, name: "Ada Lovelace" };
  const person = { ...user, is_active: true };
  await page.route("**/v1/tenant/people?*", (route) =>
    route.fulfill({ json: { people: [person], next_cursor: null } }),
  );
  await page.goto(`${suite.service.baseUrl}/console/admin/audit`);
  await page.getByText("Ada Lovelace").first().waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).actor.id)).toContain(user.id);
  expect(pageErrors).toEqual([]);
});

it("console's approval view describes the requested action in words, with a link to the conversation", async () => {
  const client = await suite.client();
  const rules = await getPolicyRules(client);
  await setPolicy(client, { approvals: { ...rules.approvals, share_link: "always" } });
  const id = await client.createConversation("Shared");
  await client.post(`/v1/chat/${id}/share-link`, { expires_in: "7d" });
  const { page, pageErrors } = await suite.visit({ path: "/console/operate/approvals" });
  const card = page.getByRole("article").filter({ hasText: "Create a public link" });
  await card.waitFor();
  expect(await card.locator("dt").allTextContents()).toEqual(expect.arrayContaining(["Conversation", "Valid for"]));
  expect(await card.locator("pre").count()).toBe(0);
  await card.getByRole("link", { name: "Shared" }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  expect(pageErrors).toEqual([]);
  await setPolicy(client, { approvals: rules.approvals });
});

it("console's personal data view imports the conversations of an export and refuses other files", async () => {
  const client = await suite.client();
  const { page, pageErrors } = await suite.visit({ path: "/console/account/data" });
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = page.getByRole("dialog");
  const choose = (text: string) =>
    dialog
      .locator("input[type=file]")
      .setInputFiles({ name: "conversations.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await choose('{"other": 1}');
  await dialog.getByRole("alert").filter({ hasText: "no export" }).waitFor();
  const messages = Array.from({ length: 120 }, (_, index) => ({
    sender: index % 2 === 0 ? "human" : "assistant",
    text: `Message ${index}`,
  }));
  const toConversation = (name: string) => ({ name, created_at: "2026-01-02T03:04:05Z", chat_messages: messages });
  const long = {
    name: "Long",
    created_at: "2026-01-02T03:04:05Z",
    chat_messages: [{ sender: "human", text: "a".repeat(60_001) }],
  };
  await choose(JSON.stringify([long]));
  await dialog.getByText("1 message is too long").waitFor();
  await choose(JSON.stringify([toConversation("Imported A"), toConversation("Imported B")]));
  await dialog.getByText("2 conversations found").waitFor();
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("2 conversations were imported.").waitFor();
  const { conversations } = (await client.get("/v1/conversations?q=Imported")).body;
  expect(conversations.map((each: Record<string, unknown>) => [each.title, each.message_count])).toEqual([
    ["Imported B", 120],
    ["Imported A", 120],
  ]);
  expect(pageErrors).toEqual([]);
});

it("console's personal data view continues an import in the background, and warns before the page is left", async () => {
  const client = await suite.client();
  const { page, pageErrors } = await suite.visit({ path: "/console/account/data" });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/messages/import", async (route) => {
    await held;
    await route.continue();
  });
  const leaves = () => page.evaluate(() => dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = page.getByRole("dialog");
  const messages = [{ sender: "human", text: "Ahoy" }];
  const conversations = ["Behind A", "Behind B"].map((name) => ({
    ...{ name, created_at: "2026-01-02T03:04:05Z", chat_messages: messages },
  }));
  await dialog.locator("input[type=file]").setInputFiles({
    ...{ name: "conversations.json", mimeType: "application/json" },
    buffer: Buffer.from(JSON.stringify(conversations)),
  });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("0 of 2 conversations").waitFor();
  expect(await leaves()).toBe(false);
  await dialog.getByRole("button", { name: "Continue in the background" }).click();
  await page.getByRole("main").getByText("0 of 2 conversations").waitFor();
  await page.getByRole("link", { name: "Notes" }).click();
  release();
  await page.getByText("2 conversations were imported.").waitFor();
  expect((await client.get("/v1/conversations?q=Behind")).body.conversations).toHaveLength(2);
  expect(await leaves()).toBe(true);
  expect(pageErrors).toEqual([]);
});

it("API key form creates a key for a back end", async () => {
  const { page } = await suite.visit({ path: "/console/admin/api-keys" });
  await page.getByRole("button", { name: "New API key" }).first().click();
  await page.getByLabel("Description").fill("Shop");
  await page.getByLabel("Purpose").selectOption("chat_backend");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "Guide for back ends" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("On behalf of users").waitFor();
});

it("list of API keys shows the entries that its address searches for, and sorts them by the head of a column", async () => {
  const client = await suite.client();
  for (const description of ["Zebra two", "Zebra one", "Lion"]) {
    const body = { description, scopes: ["models.read"] };
    await client.post("/v1/tenant/api-keys", body, { "idempotency-key": randomUUID() });
  }
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/api-keys?q=zebra" });
  const rows = page.getByRole("row").filter({ hasText: /Zebra|Lion/ });
  await expect.poll(() => rows.count()).toBe(2);
  const head = page.getByRole("columnheader", { name: "Description" });
  for (const [order, first] of [
    ["ascending", "Zebra one"],
    ["descending", "Zebra two"],
  ] as const) {
    await head.getByRole("button").click();
    await expect.poll(() => head.getAttribute("aria-sort")).toBe(order);
    expect(await rows.first().textContent()).toContain(first);
  }
  await page.getByLabel("Filter").fill("lion");
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).search).toBe("?q=lion");
  expect(pageErrors).toEqual([]);
});

it("budget form names the values that the contract does not allow without a request", async () => {
  const { page } = await suite.visit({ path: "/console/admin/budgets" });
  const requests: string[] = [];
  page.on("request", (request) => request.method() === "POST" && requests.push(request.url()));
  await page.getByRole("button", { name: "New budget" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Limit").fill("-1");
  await dialog.getByRole("button", { name: "Create" }).click();
  await refused(page);
  expect((await focusedField(page)).description).toBe("This must not be empty.");
  await dialog.getByText("The lowest value is 0.").waitFor();
  expect(requests.filter((url) => url.includes("/v1/budgets"))).toEqual([]);
});

it("list of API keys shows the last characters of each key", async () => {
  const client = await suite.client();
  const { body } = await client.post(
    "/v1/tenant/api-keys",
    { description: "Nightly report", scopes: ["models.read"] },
    { "idempotency-key": randomUUID() },
  );
  const { page } = await suite.visit({ path: "/console/admin/api-keys" });
  const row = page.getByRole("row").filter({ hasText: "Nightly report" });
  await row.getByText(`${body.key_prefix}…${body.key.slice(-4)}`, { exact: true }).waitFor();
});

it("policy form restricts the choice of a model to a group", async () => {
  const client = await suite.client();
  const { body: group } = await client.post("/v1/groups", { name: `Support ${randomUUID().slice(0, 8)}` });
  const { body: models } = await client.get("/v1/models");
  const model = models.models[0].name;
  const { page } = await suite.visit({ path: "/console/admin/policy" });
  await page.getByLabel("People may choose only some models in chats").check();
  await page.getByLabel(model, { exact: true }).check();
  await page.getByText(`Who may choose ${model}`).click();
  await page.getByLabel(group.name).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The policy was saved.").waitFor();
  const { body: policy } = await client.get("/v1/policy");
  expect(policy.models.choices).toEqual([{ model, group_ids: [group.id], persona_ids: [] }]);
  await page.getByText("For some groups or personas only.").waitFor();
  await setPolicy(client, { models: { choices: null } });
});

it("policy form reports that another administrator has changed the policy", async () => {
  const { page } = await suite.visit({ path: "/console/admin/policy" });
  await page.getByLabel("Text above all views").fill("Maintenance on Sunday");
  const client = await suite.client();
  const { body: policy, headers } = await client.get("/v1/policy");
  const changed = await client.put("/v1/policy", policy, { "if-match": headers.get("etag") ?? "" });
  expect(changed.status).toBe(200);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Another administrator has changed the policy.").waitFor();
});

it("console's webhook view reports that replaying an incident's delivery adds no message", async () => {
  const channel = await createChannel({ signature_scheme: "token" }, await suite.client());
  const sample = alertSamples.find(({ payload }) => JSON.stringify(payload).includes("incident.triggered"));
  const delivered = await channel.post(JSON.stringify(sample?.payload), {
    authorization: `Bearer ${channel.registration.secret}`,
  });
  expect(delivered.status).toBeLessThan(300);
  const count = (await channel.messages()).length;
  const { page } = await suite.visit({ path: `/console/operate/alerts/${channel.id}` });
  await page.getByRole("button", { name: "Replay the delivery" }).click();
  await page.getByText("The event was applied to its incident again. No message was added.").waitFor();
  expect((await channel.messages()).length).toBe(count);
});

it("console's incident view says what a button writes to which service, and shows that the update was not written yet", async () => {
  const client = await suite.client();
  const channel = await createChannel({ signature_scheme: "token" }, client);
  const { body: persona } = await client.post("/v1/personas", { name: "On call" });
  await client.patch(`/v1/webhooks/${channel.id}`, { investigate: { persona: persona.id } });
  const { page, pageErrors } = await suite.visit({ path: `/console/operate/alerts/${channel.id}` });
  await page.getByRole("button", { name: "Write back" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Service").selectOption("PagerDuty");
  await form.getByLabel("Address of the API").fill("http://127.0.0.1:1");
  await form.getByLabel("API key or token").fill("pd-key");
  await form.getByLabel("E-mail address").fill("ann@example.com");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const data = { id: "Q7ABC", type: "incident", title: "Down", urgency: "high" };
  const event = { id: randomUUID(), event_type: "incident.triggered", data };
  await channel.post(JSON.stringify({ event }), { authorization: `Bearer ${channel.registration.secret}` });
  const found = async () =>
    (await client.get("/v1/investigations")).body.investigations.find(
      (each: { channel_id: string }) => each.channel_id === channel.id,
    )?.id;
  await expect.poll(found).toBeTruthy();
  await page.goto(`${suite.service.baseUrl}/console/operate/incidents/${await found()}`);
  await page.getByText("To Q7ABC in PagerDuty (127.0.0.1:1)").waitFor();
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByText("Resolves Q7ABC in PagerDuty (127.0.0.1:1).").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Resolve" }).click();
  await page.getByText("is written", { exact: true }).waitFor();
  await page.getByText("unreachable · next attempt").waitFor();
  expect(pageErrors).toEqual([]);
});

it("console's webhook view reports that replaying an alert without an incident adds a message", async () => {
  const channel = await createChannel({}, await suite.client());
  const { page } = await suite.visit({ path: `/console/operate/alerts/${channel.id}` });
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("button", { name: "Replay the delivery" }).click();
  await page.getByText("The alert was added once more.").waitFor();
  expect((await channel.messages()).length).toBe(2);
});

it("console's webhook view offers the guessed fields of a delivery of unknown form, previews other ones, and stores them", async () => {
  const channel = await createChannel({ signature_scheme: "token" }, await suite.client());
  const deliver = (what: string) =>
    channel.post(JSON.stringify({ alarm: { message: what, rank: "P1", zustand: "HEIL" } }), {
      authorization: `Bearer ${channel.registration.secret}`,
    });
  expect((await deliver("Disk full")).status).toBe(200);
  const { page, pageErrors } = await suite.visit({ path: `/console/operate/alerts/${channel.id}` });
  await page.getByRole("button", { name: "Form not known: check its fields" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Text").inputValue()).toBe("alarm.message");
  const preview = dialog.getByRole("button", { name: "Show the last delivery of unknown form" });
  await dialog.getByLabel("Severity").fill("alarm.rank");
  await dialog.getByLabel("State", { exact: true }).fill("alarm.zustand");
  await dialog.getByLabel("Words for resolved").fill("HEIL, GESUND");
  await preview.click();
  await dialog.getByText("Disk full").waitFor();
  await dialog.getByText("critical").waitFor();
  await dialog.getByText("resolved", { exact: true }).waitFor();
  expect(pageErrors).toEqual([]);
  await dialog.getByLabel("Link").fill("a..b");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("must be names or indexes joined by dots").waitFor();
  await dialog.getByLabel("Link").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect((await deliver("Disk full again")).status).toBe(200);
  expect((await channel.messages()).at(-1)?.alert).toMatchObject({ severity: "critical", state: "resolved" });
  await page.getByRole("button", { name: "Fields of the alert" }).click();
  expect(await page.getByRole("dialog").getByLabel("Words for resolved").inputValue()).toBe("HEIL, GESUND");
});

it("console's webhook view shows the form for payload paths in German if the browser prefers German", async () => {
  const channel = await createChannel({}, await suite.client());
  const { page } = await suite.visit({ path: `/console/operate/alerts/${channel.id}`, locale: "de-DE" });
  await page.getByRole("button", { name: "Felder des Alarms" }).click();
  await page.getByRole("dialog").getByText("Letzte Zustellung unbekannter Form zeigen").waitFor();
});

it("console page of event endpoints adds an endpoint, shows its secret once, and sends events again", async () => {
  const receiver = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  const { page } = await suite.visit({ path: "/console/admin/events" });
  await page.getByRole("button", { name: "New endpoint" }).click();
  await page.getByLabel("Address", { exact: true }).fill(url);
  await page.getByLabel("Description").fill("Jobs");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Jobs" }).waitFor();
  expect(await page.getByText(/^whsec_/).count()).toBe(0);
  expect(await page.getByText("An action waits for a decision").count()).toBe(1);
  await page.getByRole("button", { name: "Send a test" }).click();
  const rows = page.getByRole("row", { name: /A test event/ });
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      return rows.first().innerText();
    })
    .toContain("delivered");
  await rows.getByRole("button", { name: "A test event" }).click();
  await page.getByRole("dialog").getByText('"type": "endpoint.test"').waitFor();
  await page.keyboard.press("Escape");
  await rows.getByRole("button", { name: "Send the event again" }).click();
  await page.getByText("The event is sent again.").waitFor();
  await page.getByRole("button", { name: "Change" }).click();
  await page.getByLabel("An answer is complete").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByTitle("run.completed").waitFor();
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByText("Switched off", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No endpoint yet").waitFor();
  await page.getByRole("button", { name: "New endpoint" }).click();
  await page.getByLabel("Address", { exact: true }).fill(url);
  await page.getByLabel("Form", { exact: true }).selectOption("otlp");
  await page.getByLabel("Headers for the collector").fill("authorization=Bearer%20k");
  await page.getByLabel("Include questions and answers").check();
  expect(await page.getByLabel("A person rated an answer").count()).toBe(0);
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  const admin = await suite.client();
  await expect
    .poll(async () => (await admin.get("/v1/event-endpoints")).body.endpoints)
    .toMatchObject([{ format: "otlp", include_content: true, types: ["run.completed", "run.failed"] }]);
  receiver.close();
});

it("page of the operator creates, limits, suspends and deletes tenants with the deployment key only", async () => {
  const { page } = await suite.visit({ path: "/console/operator" });
  const enter = async (key: string) => {
    await page.getByLabel("Deployment key").fill(key);
    await page.getByRole("button", { name: "Continue" }).click();
  };
  await enter("wrong");
  await page.getByRole("alert").waitFor();
  await enter(readDeploymentKey(suite.service));
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
  const id = `harbor-${randomUUID()}`;
  await page.getByRole("button", { name: "New tenant" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Id").fill(id);
  await dialog.getByLabel("Name").fill("Harbor");
  await dialog.getByLabel("Members").fill("-5");
  await dialog.getByRole("button", { name: "Create" }).click();
  await refused(page);
  await dialog.getByLabel("Members").fill("50");
  await dialog.getByLabel("US dollars a month").fill("500");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("500 usd / month").waitFor();
  await dialog.getByRole("button", { name: "Invite an administrator" }).click();
  await dialog.getByText(/#invitation=/).waitFor();
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("Members").fill("");
  await dialog.getByLabel("Plan").fill("pro");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await dialog.getByText("suspended", { exact: true }).waitFor();
  const operator = new Operator(readDeploymentKey(suite.service), suite.service.baseUrl);
  const stored = async () => (await operator.get(`/v1/admin/tenants/${id}`)).body;
  expect(await stored()).toMatchObject({
    ...{ name: "Harbor", plan: "pro", status: "suspended", limits: {} },
    budgets: [{ unit: "usd", limit: 500, window: "month" }],
  });
  await dialog.getByRole("button", { name: "Resume" }).click();
  await dialog.getByText("active", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  const confirm = dialog.getByRole("button", { name: "Delete for good" });
  await dialog.getByLabel(`Type ${id} to confirm`).fill("harbor");
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${id} to confirm`).fill(id);
  await saveScreenshot(page, "operator-deletion");
  await confirm.click();
  await dialog.getByText(/items so far/).waitFor();
  expect((await stored()).status).toBe("deleting");
  await page.keyboard.press("Escape");
  await saveScreenshot(page, "operator");
});

it("console's webhook view connects the alerts to a Slack channel and disconnects them", async () => {
  const client = await suite.client();
  const { id } = await createChannel({}, client);
  const { body: workspace } = await client.post("/v1/messengers/slack/workspaces", { name: "On call" });
  const { page } = await suite.visit({ path: `/console/operate/alerts/${id}` });
  const stored = async () => (await client.get(`/v1/webhooks/${id}/info`)).body.slack;
  await page.getByRole("main").getByRole("button", { name: "Slack" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Workspace").selectOption("On call");
  await dialog.getByLabel("Id of the channel").fill("general");
  await dialog.getByRole("button", { name: "Save" }).click();
  await refused(page);
  expect((await focusedField(page)).description).toContain("id of a channel");
  await dialog.getByLabel("Id of the channel").fill("C0123456789");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await stored()).toMatchObject({ workspace_id: workspace.id, channel: "C0123456789" });
  await page.getByRole("main").getByRole("button", { name: "Slack" }).click();
  await dialog.getByLabel("Workspace").selectOption("Not in Slack");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await stored()).toBeNull();
});

it("console's webhook view names channels by the titles of their conversations and by their ids", async () => {
  const client = await suite.client();
  const channel = await createChannel({}, client);
  await client.patch(`/v1/conversations/${channel.conversation_id}`, { title: "Alarms of the library" });
  const { page, pageErrors } = await suite.visit({ path: "/console/operate/alerts" });
  const card = page.getByRole("link").filter({ hasText: "Alarms of the library" });
  await card.getByText(channel.id).waitFor();
  await card.click();
  await page.getByRole("heading", { level: 1, name: "Alarms of the library" }).waitFor();
  await page.getByRole("main").getByText(channel.id, { exact: true }).waitFor();
  expect(pageErrors).toEqual([]);
});

it.each(["operate/alerts", "admin/events"])(
  "details page of %s shows one error when the service fails",
  async (section) => {
    const { page } = await suite.visit({ path: `/console/${section}` });
    await page.route(/\/v1\/(?!receptor)/, (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto(`${suite.service.baseUrl}/console/${section}/0196d8a5-0000-7000-8000-000000000000`);
    const errors = page.getByRole("main").getByRole("alert");
    await errors.first().waitFor();
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
    expect(await errors.count()).toBe(1);
    expect(await page.getByRole("button", { name: "Send a test" }).count()).toBe(0);
  },
);

it.each(["slack", "teams"] as const)(
  "workspace page of %s chooses a persona, switches the workspace off and on, and removes it",
  async (messenger) => {
    const client = await suite.client();
    const path = `/v1/messengers/${messenger}/workspaces`;
    const persona = (await client.post("/v1/personas", { name: `Desk of ${messenger}`, visibility: "public" })).body;
    const { id } = (await client.post(path, { name: "Front desk" })).body;
    const stored = async () => (await client.get(`${path}/${id}`)).body;
    const { page, pageErrors } = await suite.visit({ path: `/console/operate/${messenger}/${id}` });
    await page.getByLabel("Persona of new conversations").selectOption(persona.name);
    await expect.poll(async () => (await stored()).persona_id).toBe(persona.id);
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByText("Switched off").waitFor();
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByRole("button", { name: "Switch off" }).waitFor();
    expect((await stored()).enabled).toBe(true);
    await page.getByRole("button", { name: "Remove the workspace" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.waitForURL(`**/console/operate/${messenger}`);
    // A request for the removed workspace would be an error in the browser's log.
    await page.waitForLoadState("networkidle");
    expect((await client.get(`${path}/${id}`)).status).toBe(404);
    expect(pageErrors).toEqual([]);
  },
);

it.each([
  ["an event endpoint", "admin/events", "Delete"],
  ["a webhook channel", "operate/alerts", "Remove"],
] as const)("page that has removed %s does not request it again", async (_, section, action) => {
  const client = await suite.client();
  const create = {
    "admin/events": async () =>
      (await client.post("/v1/event-endpoints", { url: "https://example.com", types: ["run.failed"] })).body,
    "operate/alerts": async () => createChannel({}, client),
  };
  const { id } = await create[section]();
  const { page, pageErrors } = await suite.visit({ path: `/console/${section}/${id}` });
  await page.getByRole("button", { name: action }).click();
  await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click();
  await page.waitForURL(`**/console/${section}`);
  await page.waitForLoadState("networkidle");
  expect(pageErrors).toEqual([]);
});
