import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { Client } from "#test/support/client.ts";
import { getPolicyRules, setPolicy } from "#test/support/governance/policy.ts";
import { raiseIncident } from "#test/support/investigations/raise-incident.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";
import { setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

/** Creates a user with a name of the administrator's tenant, and returns a client that acts as the user. */
async function createUser(user: string, name: string): Promise<Client> {
  const { identity, baseUrl, post } = await withPost();
  const person = new Client({ tenant: identity.tenant, user, roles: "member" }, baseUrl);
  await person.get("/v1/me");
  const { key } = (await post("/v1/tenant/api-keys", { description: "SCIM", scopes: ["scim"] })).body;
  const response = await fetch(`${baseUrl}/scim/v2/Users`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/scim+json" },
    body: JSON.stringify({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      ...{ userName: `${user}@example.com`, externalId: user, displayName: name },
    }),
  });
  expect(response.status).toBe(201);
  return person;
}

async function withPost() {
  const client = await suite.client();
  const post = (path: string, body: unknown) => client.post(path, body, { "idempotency-key": crypto.randomUUID() });
  return { identity: client.identity, baseUrl: client.baseUrl, post };
}

it("widget form selects the only public persona, and stores the origin of a page's address as an allowed origin", async () => {
  const client = await suite.client();
  const { body: persona } = await client.post("/v1/personas", { name: "Ada", visibility: "public" });
  const { page, pageErrors } = await suite.visit({ path: "/console/assistants/widget" });
  await page.getByRole("button", { name: "New widget" }).first().click();
  const dialog = page.getByRole("dialog");
  const chosen = () =>
    dialog.getByLabel("Persona").evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.textContent);
  await expect.poll(chosen).toBe("Ada");
  await dialog.getByLabel("Name", { exact: true }).fill("Shop");
  await dialog.getByLabel("Addresses of your site").fill("https://www.example.com/shop/\nhttps://WWW.example.com");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("Your widget is ready").waitFor();
  const find = async () =>
    (await client.get("/v1/tenant/embed-keys")).body.keys.find((key: { name: string }) => key.name === "Shop");
  expect(await find()).toMatchObject({ persona_id: persona.id, allowed_origins: ["https://www.example.com"] });
  await page.getByRole("button", { name: "Done" }).click();
  await client.patch(`/v1/personas/${persona.id}`, { visibility: "private" });
  await page.reload();
  await page.getByRole("button", { name: "Actions for Shop" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await expect.poll(chosen).toBe("Ada");
  await dialog.getByText("The persona of this widget is no longer public").waitFor();
  expect(pageErrors).toEqual([]);
});

it("widget form stores how visitors are handed over to persons, and shows it again", async () => {
  const client = await suite.client();
  const { page, pageErrors } = await suite.visit({ path: "/console/assistants/widget" });
  await page.getByRole("button", { name: "New widget" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Desk");
  await dialog.getByLabel("Addresses of your site").fill("https://desk.example.com");
  await dialog.getByLabel("Form before the chat").fill("Your name*\nTopic: Order, Return");
  await dialog.getByLabel("Visitors can ask for a person").check();
  await dialog.getByLabel("Opening hours").fill("mon-fri 09:00-17:00\nSat 10:00-12:00");
  await dialog.getByLabel("Time zone").fill("Europe/Vienna");
  await dialog.getByLabel("Closed on").fill("2026-12-25");
  await dialog.getByLabel("Words with which").fill("lawyer\nmy order");
  await dialog.getByLabel("Answers without a source").fill("");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("Your widget is ready").waitFor();
  const { keys } = (await client.get("/v1/tenant/embed-keys")).body;
  const weekdays = ["mon", "tue", "wed", "thu", "fri"];
  const hours = {
    time_zone: "Europe/Vienna",
    periods: [
      { days: weekdays, from: "09:00", to: "17:00" },
      { days: ["sat"], from: "10:00", to: "12:00" },
    ],
    holidays: ["2026-12-25"],
  };
  const stored = keys.find(({ name }: { name: string }) => name === "Desk").handover;
  expect(keys.find(({ name }: { name: string }) => name === "Desk").form).toEqual({
    fields: [
      { name: "your_name", label: "Your name", type: "text", options: [], is_required: true },
      { name: "topic", label: "Topic", type: "choice", options: ["Order", "Return"], is_required: false },
    ],
    consent: null,
  });
  expect(stored).toEqual({
    wait_minutes: 10,
    hours,
    words: ["lawyer", "my order"],
    after_unanswered: null,
    shows_names: true,
  });
  await page.reload();
  await page.getByRole("button", { name: "Actions for Desk" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  expect(await dialog.getByLabel("Opening hours").inputValue()).toBe("mon-fri 09:00-17:00\nsat 10:00-12:00");
  await dialog.getByLabel("Opening hours").fill("weekdays 9-5");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByLabel("Opening hours").and(dialog.locator("[aria-invalid=true]")).waitFor();
  await dialog.getByLabel("Visitors can ask for a person").uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const after = (await client.get("/v1/tenant/embed-keys")).body.keys;
  expect(after.find(({ name }: { name: string }) => name === "Desk").handover).toBeNull();
  expect(pageErrors.filter((error) => !error.includes("400"))).toEqual([]);
});

it("widget form offers the tools that no person approves, says which ask the visitor, and keeps for whom they are", async () => {
  const client = await suite.client();
  const action = (name: string) => ({ name, description: name, method: "GET", path: `/${name}` });
  const { body: server } = await client.post("/v1/tools/servers", {
    ...{ name: "Orders", kind: "http", url: "https://orders.example.com", mode: "auto" },
    ...{ actions: ["find", "list", "refund", "wipe"].map(action), trusted_tools: ["find", "list"] },
    tool_modes: { refund: "confirm", wipe: "approve" },
  });
  const tools = [{ server_id: server.id, tools: ["find"], visitors: "anyone" }];
  await client.post("/v1/tenant/embed-keys", { name: "Help", allowed_origins: ["https://www.example.com"], tools });
  const { page, pageErrors } = await suite.visit({ path: "/console/assistants/widget" });
  await page.getByRole("button", { name: "Actions for Help" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Remove Orders: find" }).waitFor();
  expect(
    await dialog.locator("datalist option").evaluateAll((all) => all.map((each) => each.getAttribute("value"))),
  ).toEqual(["Orders: list", "Orders: refund (asks the visitor)"]);
  const field = dialog.getByLabel("Tools for signed visitors");
  await field.fill("list");
  await field.press("Enter");
  await dialog.getByRole("button", { name: "Remove Orders: list" }).waitFor();
  await field.fill("refund");
  await field.press("Enter");
  await dialog.getByRole("button", { name: "Remove Orders: refund (asks the visitor)" }).waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const { keys } = (await client.get("/v1/tenant/embed-keys")).body;
  expect(keys.find(({ name }: { name: string }) => name === "Help").tools).toEqual([
    { server_id: server.id, tools: ["find", "list", "refund"], visitors: "anyone" },
  ]);
  expect(pageErrors).toEqual([]);
});

it("console's access view erases the data of a member after the member's name was typed to confirm", async () => {
  const grace = await createUser("grace-1", "Grace Hopper");
  await grace.createConversation("To be erased");
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/people" });
  // The names of people can arrive after the dialog is open.
  await page.route("**/v1/tenant/people?*", (route) => setTimeout(() => route.continue(), 3_000));
  await page.reload();
  await page.getByRole("button", { name: "Erase the data of Grace Hopper" }).click();
  const dialog = page.getByRole("dialog");
  const erase = dialog.getByRole("button", { name: "Erase" });
  await dialog.getByLabel(/^Type .* to confirm/).fill("Grace");
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type .* to confirm/).fill("Grace Hopper");
  await erase.click();
  await page.getByText("The data of Grace Hopper is being erased…").waitFor();
  const list = async () => (await grace.get("/v1/conversations")).body.conversations;
  await vi.waitFor(async () => expect(await list()).toEqual([]), { timeout: 180_000, interval: 100 });
  expect(pageErrors).toEqual([]);
});

it("budget form accepts the name of a person and stores the person's id", async () => {
  await createUser("alan-1", "Alan Turing");
  const { page, pageErrors } = await suite.visit();
  // A name that is typed before the names of people arrive would count as an id.
  await page.route("**/v1/tenant/people?*", (route) => setTimeout(() => route.continue(), 3_000), { times: 1 });
  await page.goto(`${suite.service.baseUrl}/console/admin/budgets`);
  await page.getByRole("button", { name: "New budget" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Alan");
  await dialog.getByLabel("For", { exact: true }).selectOption("Each user");
  await dialog.getByLabel("Only for").fill("alan turing");
  await dialog.getByLabel("Limit").fill("5");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("article").filter({ hasText: "Alan Turing" }).waitFor();
  // A list with few entries explains itself below them.
  await page.getByText("A budget limits what users, keys and personas consume").waitFor();
  const { budgets } = (await (await suite.client()).get("/v1/budgets")).body;
  expect(budgets).toMatchObject([{ name: "Alan", scope: { type: "user", id: "alan-1" } }]);
  expect(pageErrors).toEqual([]);
});

it("console's approval view shows an approver the conversation that a share link would make public", async () => {
  const client = await suite.client();
  const rules = await getPolicyRules(client);
  await setPolicy(client, { approvals: { ...rules.approvals, share_link: "always" } });
  const edsger = await createUser("edsger-1", "Edsger Dijkstra");
  const id = await edsger.createConversation("Considered harmful");
  await edsger.chat({ conversation_id: id, content: "May I publish this?" });
  await edsger.post(`/v1/chat/${id}/share-link`, { expires_in: "7d" });
  const { page, pageErrors } = await suite.visit({ path: "/console/operate/approvals" });
  const card = page.getByRole("article").filter({ hasText: "Edsger Dijkstra" });
  await card.getByText("7 days").waitFor();
  expect(await card.getByText(id).count()).toBe(0);
  expect(await card.getByRole("link", { name: "Open the conversation" }).count()).toBe(0);
  await card.getByText("Show the conversation").click();
  await card.getByText("Considered harmful").waitFor();
  await card.getByText("May I publish this?", { exact: true }).first().waitFor();
  await card.getByRole("button", { name: "Change and approve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Valid for").selectOption("1 day");
  expect(await dialog.locator("label").allTextContents()).toEqual(["Valid for *", "Note (optional)"]);
  await page.keyboard.press("Escape");
  await card.getByRole("button", { name: "Deny" }).click();
  await card.waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
  await setPolicy(client, { approvals: rules.approvals });
});

it("console's approval view changes the parameters of an action in a form, by keyboard alone", async () => {
  const client = await suite.client();
  const katherine = await createUser("katherine-1", "Katherine Johnson");
  const params = { ship: "Friendship 7", crew: 1, armed: false, stops: ["Bermuda"] };
  const { body } = await katherine.post("/v1/approvals", {
    ...{ type: "tool_execution", action: { operation: "launch", params } },
  });
  const { page, pageErrors } = await suite.visit({ path: "/console/operate/approvals" });
  const schema = {
    properties: { ship: { enum: ["Friendship 7", "Aurora 7"] }, crew: { type: "integer", maximum: 3 } },
  };
  await page.route(`**/v1/approvals/${body.id}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), input_schema: schema } });
  });
  const card = page.getByRole("article").filter({ hasText: "Katherine Johnson" });
  await card.getByText("Bermuda").waitFor();
  expect(await card.textContent()).not.toMatch(/[{}[\]"]/);
  await card.getByRole("button", { name: "Change and approve" }).press("Enter");
  const dialog = page.getByRole("dialog");
  const crew = dialog.getByLabel("crew", { exact: true });
  await crew.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("many");
  await page.keyboard.press("Enter");
  await dialog.getByText("Enter a number.").waitFor();
  const described = await crew.evaluate((field) => [
    field === document.activeElement,
    field.getAttribute("aria-invalid"),
    document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent,
  ]);
  expect(described).toEqual([true, "true", "Enter a number."]);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("3");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  await dialog.getByLabel("ship", { exact: true }).selectOption("Aurora 7");
  expect(await dialog.getByLabel("stops (JSON)").inputValue()).toBe('[\n  "Bermuda"\n]');
  await dialog.getByLabel("Note (optional)").press("Enter");
  await card.waitFor({ state: "detached" });
  const decided = (await client.get(`/v1/approvals/${body.id}`)).body;
  expect(decided).toMatchObject({ status: "approved", decision: "edit" });
  expect(decided.action.params).toEqual({ ship: "Aurora 7", crew: 3, armed: true, stops: ["Bermuda"] });
  expect(pageErrors).toEqual([]);
});

it("API key form creates a key with the scope scim for an identity provider", async () => {
  const { page } = await suite.visit({ path: "/console/admin/api-keys" });
  await page.getByRole("button", { name: "New API key" }).first().click();
  await page.getByLabel("Description").fill("Okta");
  await page.getByLabel("Purpose").selectOption("Identity provider that provisions people (SCIM)");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "Guide for SCIM" }).waitFor();
  const { keys } = (await (await suite.client()).get("/v1/tenant/api-keys")).body;
  expect(keys.find((key: { description: string }) => key.description === "Okta").scopes).toEqual(["scim"]);
});

it("console's channel view plans a maintenance window that starts later", async () => {
  const client = await suite.client();
  const { body: persona } = await client.post("/v1/personas", { name: "On call" });
  const channel = await createChannel({ signature_scheme: "token" }, client);
  await client.patch(`/v1/webhooks/${channel.id}`, { investigate: { persona: persona.id } });
  const { page, pageErrors } = await suite.visit({ path: `/console/operate/alerts/${channel.id}`, timezoneId: "UTC" });
  await page.getByRole("button", { name: "Investigations" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Service").last().fill("checkout");
  await dialog.getByLabel("Start (empty: now)").fill("2031-05-01T22:00");
  await dialog.getByRole("button", { name: "Mute" }).click();
  await dialog.getByText(/from May 1, 2031/).waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const { investigate } = (await client.get(`/v1/webhooks/${channel.id}/info`)).body;
  const times = { from: "2031-05-01T22:00:00.000Z", until: "2031-05-02T06:00:00.000Z" };
  expect(investigate.mute).toEqual([{ match: { service: "checkout" }, ...times }]);
  expect(pageErrors).toEqual([]);
});

it("console's incident view drafts the review, which a person completes and saves", async () => {
  const client = await suite.client();
  const { body: persona } = await client.post("/v1/personas", { name: "On call" });
  const channel = await createChannel({}, client);
  const id = await raiseIncident(client, channel.id, channel.registration.secret ?? "", persona.id);
  const endedAt = async () => (await client.get(`/v1/investigations/${id}`)).body.ended_at;
  await vi.waitFor(async () => expect(await endedAt()).not.toBeNull(), { timeout: 180_000, interval: 100 });
  const { page, pageErrors } = await suite.visit({ path: `/console/operate/incidents/${id}` });
  await page.getByRole("button", { name: "Draft the review" }).click();
  const draft = page.getByLabel("Review (Markdown)");
  await expect.poll(() => draft.inputValue()).toContain("A secret incident");
  const download = page.waitForEvent("download");
  await draft.fill("Reviewed by a person.");
  await page.getByRole("button", { name: "Save as a file" }).click();
  expect(await readFile(await (await download).path(), "utf8")).toBe("Reviewed by a person.");
  expect(pageErrors).toEqual([]);
});

it("console's personal data view imports an archive that the service exported for a user", async () => {
  const client = await suite.client();
  const barbara = await createUser("barbara-1", "Barbara Liskov");
  const id = await barbara.createConversation("Substitution");
  const first = await barbara.chat({ conversation_id: id, content: "First words" });
  const { body: asked } = await barbara.get(`/v1/conversations/${id}/messages`);
  expect(first).toBeDefined();
  await barbara.chat({ conversation_id: id, content: "Better words", edit_message_id: asked.messages[0].message_id });
  const { body: started } = await barbara.post("/v1/exports", undefined);
  const find = async () => (await barbara.get(`/v1/exports/${started.export.id}`)).body;
  await vi.waitFor(async () => expect((await find()).status).toBe("ready"), { timeout: 180_000, interval: 100 });
  const zip = await fetch(client.baseUrl + (await find()).zip_urls[0]);
  const { page, pageErrors } = await suite.visit({ path: "/console/account/data" });
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = page.getByRole("dialog");
  const buffer = Buffer.from(await zip.arrayBuffer());
  await dialog.locator("input[type=file]").setInputFiles({ name: "a.zip", mimeType: "application/zip", buffer });
  await dialog.getByText("1 conversation found").waitFor();
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("1 conversation was imported.").waitFor();
  const { conversations } = (await client.get("/v1/conversations?q=Substitution")).body;
  const { messages } = (await client.get(`/v1/conversations/${conversations[0].id}/messages`)).body;
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
  expect(messages[0]).toMatchObject({ imported: true, content: [{ text: "Better words" }] });
  expect(pageErrors).toEqual([]);
});

it("console's model view sends a test question to a model, and shows the reason at once when the question is refused", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/models" });
  const test = page.getByRole("button", { name: "Test" }).first();
  const creation = page.waitForResponse((response) => response.request().method() === "POST");
  await test.click();
  await page.getByText("It answers: ").waitFor();
  const { id } = await (await creation).json();
  const client = await suite.client();
  // The conversation of the test is temporary, and no list would show that it is left behind.
  await expect.poll(async () => (await client.get(`/v1/conversations/${id}`)).status).toBe(404);
  expect(pageErrors).toEqual([]);
  const problem = { type: "/problems/quota-exceeded", title: "Quota exceeded", status: 429, code: "quota_exceeded" };
  await page.route("**/v1/runtime/chat", (route) =>
    route.fulfill({
      status: 429,
      headers: { "content-type": "application/problem+json", "retry-after": "402709" },
      body: JSON.stringify({ ...problem, detail: 'The budget "Team" is used up.' }),
    }),
  );
  await test.click();
  await page.getByRole("alert").filter({ hasText: 'The budget "Team" is used up.' }).waitFor();
});

/** Waits until the audit trail has an event that matches a query, because the view loads each list once. */
async function recorded(query: string): Promise<void> {
  const client = await suite.client();
  await expect.poll(async () => (await client.get(`/v1/audit-events?${query}`)).body.audit_events).not.toEqual([]);
}

it("console's audit view filters by the name of a person", async () => {
  const client = await suite.client();
  await createUser("john-1", "John Backus");
  await recorded("actor=john-1");
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/audit" });
  await page.getByLabel("User or key").fill("john backus");
  await page.getByRole("button", { name: "Filter" }).click();
  const actors = () => page.locator("td bdi").allTextContents();
  await expect.poll(async () => [...new Set(await actors())]).toEqual(["John Backus"]);
  expect(pageErrors).toEqual([]);
  await client.patch("/v1/tenant/users/john-1", { is_active: false });
  const visit = await suite.visit({ path: "/console/chat", identity: { user: "john-1", roles: "member" } });
  await visit.page.getByText("You have no access: your account was deactivated").waitFor();
});

it("console's audit view shows actions in words, and filters by them", async () => {
  const client = await suite.client();
  await client.post("/v1/folders", { name: "Travel" });
  await recorded("action=folder.created");
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/audit", locale: "de-DE" });
  const action = page.getByLabel("Aktion", { exact: true });
  const filter = page.getByRole("button", { name: "Filtern" });
  const actions = page.locator("tbody tr td:first-child button");
  await action.fill("erstellt");
  await filter.click();
  await page.getByText("Mehrere Aktionen passen").waitFor();
  expect(await action.getAttribute("aria-invalid")).toBe("true");
  await action.fill("ordner erstellt");
  await filter.click();
  await expect.poll(async () => [...new Set(await actions.allTextContents())]).toEqual(["Ordner erstellt"]);
  expect(await actions.first().getAttribute("title")).toBe("folder.created");
  expect(pageErrors).toEqual([]);
});

it("console's audit view speaks in names: what an export is of, and which values changed", async () => {
  const client = await suite.client();
  const id = await client.createConversation("Compilers");
  const { body: persona } = await client.post("/v1/personas", { name: "Reader of compilers", visibility: "private" });
  await client.post(`/v1/conversations/${id}/export`, { format: "markdown" });
  await client.patch(`/v1/conversations/${id}`, { persona_id: persona.id });
  await recorded("action=export.delivered");
  await recorded(`action=conversation.updated&target=${id}`);
  const { page, pageErrors } = await suite.visit({ path: "/console/admin/audit" });
  const rowOf = (action: string) => page.getByRole("row").filter({ hasText: action }).filter({ hasText: "Compilers" });
  await rowOf("Data export").first().getByText("Conversation “Compilers”").waitFor();
  await rowOf("Conversation changed").getByRole("button").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Conversation: Compilers").waitFor();
  await dialog.getByRole("row").filter({ hasText: "Persona" }).getByText("Reader of compilers").waitFor();
  expect(await dialog.textContent()).not.toMatch(/[{}]|[0-9a-f]{8}-[0-9a-f]{4}-/);
  await dialog.getByRole("button", { name: "All entries about it" }).click();
  const actions = page.locator("tbody tr td:first-child button");
  await expect.poll(() => actions.allTextContents()).toEqual(["Conversation changed", "Conversation created"]);
  expect(pageErrors).toEqual([]);
});

it("console's incident view silences an open incident and merges it into another one from the list", async () => {
  const channel = await createChannel({}, await suite.client());
  for (const name of ["Down", "Slow"]) {
    const data = { id: name, type: "incident", title: name, urgency: "high", assignees: [{ summary: "Anna Berg" }] };
    const raw = JSON.stringify({ event: { id: `${channel.id} ${name}`, event_type: "incident.triggered", data } });
    const signature = hmacHex(channel.registration.secret ?? "", raw);
    await channel.post(raw, { "x-webhook-signature": signature });
  }
  const list = async () => (await channel.client.get("/v1/investigations?state=open")).body.investigations;
  await expect
    .poll(async () => (await list()).filter((each: { channel_id: string }) => each.channel_id === channel.id))
    .toHaveLength(2);
  const { page, pageErrors } = await suite.visit({ path: "/console/operate/incidents" });
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  await row("Slow").getByText("Anna Berg").waitFor();
  await row("Slow").getByText("not investigated: turned off in its channel").waitFor();
  const choose = async (name: string, action: string) => {
    await row(name).getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose("Slow", "Merge into another incident");
  await page.getByRole("combobox", { name: "Incident" }).selectOption("Down");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await row("Down").getByText("with 1 other").waitFor();
  await row("Slow").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Down", exact: true }).click();
  await page.getByRole("list", { name: "Merged incidents" }).getByText("Slow").waitFor();
  await page.getByRole("heading", { name: "What is known" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Incidents" }).click();
  await choose("Down", "Silence for 8 hours");
  await row("Down").waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "All" }).click();
  await row("Down").getByText("silenced until").waitFor();
  await choose("Slow", "Separate again");
  await row("Slow").getByText("merged into another one").waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});

it("console's incident view lists open incidents that were not investigated, with the reason", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/operate/approvals" });
  const at = "2026-01-02T03:04:05.000Z";
  const common = {
    ...{ conversation_id: crypto.randomUUID(), channel_id: "alarms", alert_id: crypto.randomUUID(), message_id: null },
    ...{ severity: "high", service: null, state: "open", persona_id: null, model: null, cause: null, usage: null },
    ...{ acknowledged_by: null, acknowledged_at: null, created_at: at, started_at: null, resolved_at: null },
    ...{ assigned_to: null, silenced_until: null, merged_into: null, merged_count: 0 },
  };
  const investigations = [
    { ...common, id: "a", title: "Solved", status: "completed", reason: null, verdict: "confirmed", ended_at: at },
    { ...common, id: "b", title: "Unpaid", status: "skipped", reason: "budget", verdict: null, ended_at: at },
    { ...common, id: "c", title: "Waiting", status: "queued", reason: null, verdict: null, ended_at: null },
  ];
  const queries: string[] = [];
  await page.route("**/v1/investigations?*", (route) => {
    queries.push(new URL(route.request().url()).searchParams.get("state") ?? "");
    return route.fulfill({ json: { investigations, next_cursor: null } });
  });
  await page.getByRole("link", { name: "Incidents" }).click();
  await page.getByRole("link", { name: "Waiting" }).waitFor();
  await page.getByRole("tab", { name: "Not investigated" }).click();
  await expect.poll(() => page.locator("tbody a").allTextContents()).toEqual(["Unpaid"]);
  await page.getByText("not investigated: the budget was used up").waitFor();
  expect(new Set(queries)).toEqual(new Set(["open"]));
  expect(pageErrors).toEqual([]);
});
