import { expect, it } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";

const letter = { name: "Letter", body: "Hello {{name}},\n{{ text }}\nYours, {{sender}}", category: "mail" };

const toNames = (response: ApiResponse) => response.body.templates.map(({ name }: { name: string }) => name);

it("prompt template is created, read, changed and deleted", async () => {
  const owner = new Client();
  const { status, headers, body } = await owner.post("/v1/templates", {
    ...letter,
    variables: [{ name: "sender", required: false, default: "the team" }],
  });
  expect([status, headers.get("location")]).toEqual([201, `/v1/templates/${body.id}`]);
  expect(body).toEqual({
    id: body.id,
    ...letter,
    description: "",
    variables: [
      { name: "name", required: true, default: null },
      { name: "text", required: true, default: null },
      { name: "sender", required: false, default: "the team" },
    ],
    visibility: "private",
    is_system: false,
    owner_id: owner.identity.user,
    version: 1,
    created_at: body.created_at,
    updated_at: body.created_at,
  });
  const updated = (await owner.patch(`/v1/templates/${body.id}`, { body: "{{sender}} {{new}}" })).body;
  expect(updated).toMatchObject({
    version: 2,
    variables: [{ name: "sender", default: "the team" }, { name: "new" }],
  });
  expect((await owner.get(`/v1/templates/${body.id}`)).body).toEqual(updated);
  expect((await owner.delete(`/v1/templates/${body.id}`)).status).toBe(204);
  expect((await owner.get(`/v1/templates/${body.id}`)).status).toBe(404);
  expect((await owner.delete(`/v1/templates/${body.id}`)).status).toBe(404);
});

it("prompt template gets a new version for each of several concurrent updates", async () => {
  const owner = new Client();
  const { id } = (await owner.post("/v1/templates", letter)).body;
  await Promise.all([1, 2, 3].map((n) => owner.patch(`/v1/templates/${id}`, { description: `${n}` })));
  expect((await owner.get(`/v1/templates/${id}`)).body.version).toBe(4);
});

it.each([
  [[{ name: "colour" }], "variables.0.name", "unused"],
  [[{ name: "name" }, { name: "name" }], "variables.1.name", "duplicate"],
  [[{ name: "no name" }], "variables.0.name", "invalid_format"],
])("prompt template cannot be created with the variables %j", async (variables, path, code) => {
  const response = await new Client().post("/v1/templates", { ...letter, variables });
  expect([response.status, response.body.errors[0]]).toMatchObject([400, { path, code, location: "body" }]);
});

it("prompt template cannot be created when its default values exceed the size limit of a message", async () => {
  const owner = new Client();
  const createVariables = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `v${n}`, default: "字".repeat(4_000) }));
  const body = createVariables(50)
    .map(({ name }) => `{{${name}}}`)
    .join("");
  expect((await owner.post("/v1/templates", { name: "Full", body, variables: createVariables(8) })).status).toBe(201);
  const rejectedResponse = await owner.post("/v1/templates", {
    name: "Too full",
    body,
    variables: createVariables(50),
  });
  expect([rejectedResponse.status, rejectedResponse.body.errors[0].path]).toEqual([400, "variables"]);
});

it("prompt template is visible to its owner only, or to the tenant when shared", async () => {
  const owner = new Client({ ...new Client().identity, roles: "member" });
  const [colleague, admin] = [await createColleague(owner), await createColleague(owner, "admin")];
  const create = async (visibility: string) =>
    (await owner.post("/v1/templates", { ...letter, name: visibility, visibility })).body.id;
  const [personal, shared] = [await create("private"), await create("tenant")];
  for (const [client, id, expected] of [
    [colleague, personal, [404, 404, 404, 404]],
    [admin, personal, [404, 404, 404, 404]],
    [new Client(), shared, [404, 404, 404, 404]],
    [colleague, shared, [200, 200, 403, 403]],
    [admin, shared, [200, 200, 200, 204]],
  ] as const) {
    const variables = { name: "a", text: "b", sender: "c" };
    const responses = [
      await client.get(`/v1/templates/${id}`),
      await client.post(`/v1/templates/${id}/render`, { variables }),
      await client.patch(`/v1/templates/${id}`, { description: "x" }),
      await client.delete(`/v1/templates/${id}`),
    ];
    expect(responses.map(({ status }) => status)).toEqual(expected);
  }
  expect(toNames(await owner.get("/v1/templates"))[0]).toBe("private");
  expect(toNames(await colleague.get("/v1/templates"))).not.toContain("private");
});

it("prompt template appears once in the list of templates, newest first and before built-in templates", async () => {
  const owner = new Client();
  const colleague = await createColleague(owner);
  for (let n = 0; n < 5; n++) {
    await (n % 2 ? colleague : owner).post("/v1/templates", { ...letter, name: `t${n}`, visibility: "tenant" });
    await owner.post("/v1/templates", { ...letter, name: `p${n}` });
  }
  for (const limit of [1, 3, 7, 10, 100]) {
    const listedIds: string[] = [];
    let cursor: string | null = null;
    do {
      const response: ApiResponse = await owner.get(`/v1/templates?limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`);
      listedIds.push(...response.body.templates.map(({ id }: { id: string }) => id));
      cursor = response.body.next_cursor;
    } while (cursor);
    expect(listedIds).toEqual([...new Set(listedIds)].sort().reverse());
    expect(listedIds.length).toBeGreaterThanOrEqual(22);
  }
});

it("built-in prompt templates number at least 12 and declare only variables that their texts use", async () => {
  const client = new Client();
  const { templates } = (await client.get("/v1/templates?limit=100")).body;
  expect(templates.length).toBeGreaterThanOrEqual(12);
  expect(new Set(templates.map(({ name }: { name: string }) => name)).size).toBe(templates.length);
  for (const { id, is_system, body, variables, description } of templates) {
    expect(is_system).toBe(true);
    expect(body.length).toBeGreaterThan(200);
    expect(description.length).toBeGreaterThan(20);
    expect(variables.length).toBeGreaterThan(0);
    for (const { name } of variables) expect(body).toContain(`{{${name}}}`);
    const requiredValues = Object.fromEntries(
      variables
        .filter((variable: { required: boolean }) => variable.required)
        .map(({ name }: { name: string }) => [name, "x"]),
    );
    const renderResponse = await client.post(`/v1/templates/${id}/render`, { variables: requiredValues });
    expect(renderResponse.body.text).not.toContain("{{");
  }
});

it("built-in prompt template cannot be changed", async () => {
  const admin = new Client();
  const [{ id }] = (await admin.get("/v1/templates")).body.templates;
  for (const response of [
    await admin.patch(`/v1/templates/${id}`, { name: "x" }),
    await admin.delete(`/v1/templates/${id}`),
  ]) {
    expect([response.status, response.body.code]).toEqual([403, "system_template"]);
  }
});

it("search for prompt templates ranks matches in the name first and tolerates prefixes and typos", async () => {
  const owner = new Client();
  const create = (name: string, body: string, visibility = "private") =>
    owner.post("/v1/templates", { name, body, visibility });
  await create("Holiday note", "I am away; ask about the zeppelin tour later.");
  await create("Zeppelin tour", "Describe the tour.", "tenant");
  for (const q of ["zeppelin", "ZEPP", "zepelin", "zeppelin%20tour"]) {
    expect([q, ...toNames(await owner.get(`/v1/templates/search?q=${q}`))].slice(0, 3)).toEqual([
      q,
      "Zeppelin tour",
      "Holiday note",
    ]);
  }
  const response = await owner.get("/v1/templates/search?q=minutes&limit=2");
  expect(response.body).toMatchObject({ query: "minutes", limit: 2, next_cursor: null });
  expect(response.body.templates[0]).toMatchObject({ name: "Minutes of a meeting", is_system: true });
  expect(response.body.templates[0].score).toBeGreaterThan(response.body.templates[1]?.score ?? 0);
  const colleague = await createColleague(owner);
  expect(toNames(await colleague.get("/v1/templates/search?q=zeppelin"))).toEqual(["Zeppelin tour"]);
  expect(toNames(await new Client().get("/v1/templates/search?q=zeppelin"))).toEqual([]);
  expect((await owner.get("/v1/templates/search")).status).toBe(400);
  expect((await owner.get("/v1/templates/search?q=%20")).status).toBe(400);
});

it("rendering of a prompt template inserts values without replacing placeholders in them, and uses defaults for missing values", async () => {
  const owner = new Client();
  const { id } = (
    await owner.post("/v1/templates", {
      ...letter,
      variables: [{ name: "sender", default: "the team", required: false }],
    })
  ).body;
  const variables = { name: "$& {{text}} {{sender}}", text: 7 };
  const { status, body } = await owner.post(`/v1/templates/${id}/render`, { variables });
  expect([status, body]).toEqual([
    200,
    { template_id: id, version: 1, text: "Hello $& {{text}} {{sender}},\n7\nYours, the team" },
  ]);
});

it("rendering of a prompt template reports every variable that is missing or unknown", async () => {
  const owner = new Client();
  const { id } = (await owner.post("/v1/templates", letter)).body;
  const response = await owner.post(`/v1/templates/${id}/render`, { variables: { text: "x", toString: "y" } });
  expect([response.status, response.body.code]).toEqual([400, "validation_failed"]);
  expect(response.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
    ["variables.name", "required"],
    ["variables.sender", "required"],
    ["variables.toString", "unknown_field"],
  ]);
});

it("rendering of a prompt template rejects a result that exceeds the size limit of a message", async () => {
  const owner = new Client();
  const { id } = (await owner.post("/v1/templates", { name: "Bomb", body: "{{a}}".repeat(3_000) })).body;
  const response = await owner.post(`/v1/templates/${id}/render`, { variables: { a: "x".repeat(30_000) } });
  expect([response.status, response.body.errors[0].code]).toEqual([400, "too_long"]);
});
