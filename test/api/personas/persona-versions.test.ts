import { describe, expect, it } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { createColleague } from "#test/support/people.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";
import { startMcpServer } from "#test/support/tools/mcp-server.ts";

const createPersona = async (owner: Client, fields: Record<string, unknown> = {}): Promise<string> =>
  (await owner.post("/v1/personas", { name: "Guide", instructions: "Version one.", ...fields })).body.id;

const path = (id: string, version?: number, action = "") =>
  `/v1/personas/${id}/versions${version === undefined ? "" : `/${version}`}${action}`;

const numbersOf = (response: ApiResponse): number[] =>
  response.body.versions.map(({ version }: { version: number }) => version);

describe("versions of a persona", () => {
  it("versions of a persona record author, note and all fields of each change, and stay as they are", async () => {
    const admin = new Client();
    const owner = await createColleague(admin);
    const id = await createPersona(owner, { note: "First words" });
    await owner.patch(`/v1/personas/${id}`, { instructions: "Version two.", temperature: 0.5, note: "Warmer" });
    await admin.patch(`/v1/personas/${id}`, { greeting: "Hello" });
    const first = (await owner.get(path(id, 1))).body;
    expect(first).toMatchObject({
      persona_id: id,
      version: 1,
      author_id: owner.identity.user,
      note: "First words",
      restored_from: null,
      instructions: "Version one.",
      temperature: null,
      greeting: "",
      visibility: "private",
      revisions: { policy: 0, model: { name: null, updated_at: null }, tool_servers: [] },
    });
    const { body } = await owner.get(path(id));
    expect(body.versions).toEqual([
      { ...body.versions[0], version: 3, author_id: admin.identity.user, note: null },
      { ...body.versions[1], version: 2, author_id: owner.identity.user, note: "Warmer" },
      { ...body.versions[2], version: 1, author_id: owner.identity.user, note: "First words" },
    ]);
    expect(Object.keys(body.versions[0])).not.toContain("instructions");
    const current = (await owner.get(`/v1/personas/${id}`)).body;
    expect((await owner.get(path(id, 3))).body).toMatchObject({
      instructions: "Version two.",
      temperature: 0.5,
      greeting: current.greeting,
    });
    expect((await owner.get(path(id, 4))).status).toBe(404);
    expect((await owner.get(path(id, 0))).status).toBe(404);
  });

  it("versions of a persona are listed newest first in pages", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    for (let n = 0; n < 11; n++) await owner.patch(`/v1/personas/${id}`, { greeting: `${n}` });
    const listed: number[] = [];
    let cursor: string | null = null;
    do {
      const page: ApiResponse = await owner.get(`${path(id)}?limit=5${cursor ? `&cursor=${cursor}` : ""}`);
      listed.push(...numbersOf(page));
      cursor = page.body.next_cursor;
    } while (cursor);
    expect(listed).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it("versions of a persona name the revisions of the policy, the model and the tool servers at the time", async () => {
    const admin = new Client();
    const id = await createPersona(admin);
    const model = (
      await admin.post("/v1/models", { name: "own", model_id: "vendor/own", price: { input: 1, output: 2 } })
    ).body;
    const before = (await admin.get("/v1/policy")).body.version;
    await setPolicy(admin, { memory: { enabled: false } });
    const policy = (await admin.get("/v1/policy")).body.version;
    const mcp = await startMcpServer();
    const server = (await admin.post("/v1/tools/servers", { name: "Desk", url: mcp.url })).body;
    await mcp.stop();
    await admin.patch(`/v1/personas/${id}`, { model: "own", tool_servers: [{ server_id: server.id }] });
    expect((await admin.get(path(id, 2))).body.revisions).toEqual({
      policy,
      model: { name: "own", updated_at: model.updated_at },
      tool_servers: [{ id: server.id, version: server.version }],
    });
    expect((await admin.get(path(id, 1))).body.revisions.policy).toBe(before);
    expect(policy).toBeGreaterThan(before);
  });

  it("versions of a persona get each number once when updates and restorations are concurrent", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 3 === 0
          ? owner.post(path(id, 1, "/restore"), { note: `change ${n}` })
          : owner.patch(`/v1/personas/${id}`, { greeting: `${n}`, note: `change ${n}`, publish: n % 3 === 1 }),
      ),
    );
    expect(responses.map(({ status }) => status).filter((status) => status >= 400)).toEqual([]);
    const { versions } = (await owner.get(path(id))).body;
    expect(numbersOf({ body: { versions } } as ApiResponse)).toEqual(Array.from({ length: 13 }, (_, n) => 13 - n));
    const notes = versions.map(({ note }: { note: string | null }) => note).filter(Boolean);
    expect(notes.sort()).toEqual(Array.from({ length: 12 }, (_, n) => `change ${n}`).sort());
  });

  it("version of a persona is made once when a request is repeated with its idempotency key", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    const restore = () => owner.post(path(id, 1, "/restore"), {}, { "idempotency-key": "again" });
    const [first, second] = [await restore(), await restore()];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(first.headers.get("location")).toBe(path(id, 2));
    expect(numbersOf(await owner.get(path(id)))).toEqual([2, 1]);
  });

  it("note of a version of a persona has at most 500 characters", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    const { status, body } = await owner.patch(`/v1/personas/${id}`, { note: "x".repeat(501) });
    expect([status, body.errors[0].path]).toEqual([400, "note"]);
    expect((await owner.patch(`/v1/personas/${id}`, { note: "x".repeat(500) })).status).toBe(200);
  });

  it("versions of a persona are deleted with it", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    await owner.patch(`/v1/personas/${id}`, { greeting: "Hello" });
    expect((await owner.delete(`/v1/personas/${id}`)).status).toBe(204);
    expect((await owner.get(path(id))).status).toBe(404);
    expect((await owner.get(path(id, 1))).status).toBe(404);
  });
});

describe("draft of a persona", () => {
  it("draft of a persona changes nothing that users get until it is published", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    const draft = await owner.patch(`/v1/personas/${id}`, { instructions: "A draft.", publish: false });
    expect([draft.status, draft.body.version, draft.body.latest_version, draft.body.instructions]).toEqual([
      200,
      1,
      2,
      "Version one.",
    ]);
    expect((await owner.get(path(id, 2))).body.instructions).toBe("A draft.");
    const published = await owner.post(path(id, 2, "/publish"), {});
    expect(published.body).toMatchObject({ version: 2, latest_version: 2, instructions: "A draft.", rollouts: [] });
    expect((await owner.get(`/v1/personas/${id}`)).body).toEqual(published.body);
  });

  it("draft of a persona begins with the fields of the version that it names", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    await owner.patch(`/v1/personas/${id}`, { greeting: "Hello", publish: false });
    await owner.patch(`/v1/personas/${id}`, { temperature: 1, publish: false, base_version: 2 });
    await owner.patch(`/v1/personas/${id}`, { temperature: 1, publish: false });
    expect((await owner.get(path(id, 3))).body).toMatchObject({ greeting: "Hello", temperature: 1 });
    expect((await owner.get(path(id, 4))).body).toMatchObject({ greeting: "", temperature: 1 });
    const unknown = await owner.patch(`/v1/personas/${id}`, { base_version: 9 });
    expect([unknown.status, unknown.body.errors[0].path]).toEqual([400, "base_version"]);
  });

  it("draft of a persona cannot change the visibility, which no version brings back", async () => {
    const owner = new Client();
    const id = await createPersona(owner, { visibility: "public" });
    const { status, body } = await owner.patch(`/v1/personas/${id}`, { visibility: "org", publish: false });
    expect([status, body.errors[0].path]).toEqual([400, "visibility"]);
    await owner.patch(`/v1/personas/${id}`, { visibility: "private" });
    expect((await owner.post(path(id, 1, "/publish"), {})).body.visibility).toBe("private");
    expect((await owner.post(path(id, 1, "/restore"), {})).body.visibility).toBe("private");
    expect((await owner.get(`/v1/personas/${id}`)).body.visibility).toBe("private");
  });
});

describe("restored version of a persona", () => {
  it("restored version of a persona is a new version with the fields of the earlier one", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    await owner.patch(`/v1/personas/${id}`, { instructions: "Version two.", name: "Other" });
    const { status, body } = await owner.post(path(id, 1, "/restore"), { note: "Two was worse" });
    expect([status, body]).toEqual([
      201,
      { ...body, version: 3, restored_from: 1, note: "Two was worse", instructions: "Version one.", name: "Guide" },
    ]);
    expect((await owner.get(`/v1/personas/${id}`)).body).toMatchObject({ version: 3, instructions: "Version one." });
    expect((await owner.get(path(id, 2))).body.instructions).toBe("Version two.");
    await owner.post(path(id, 2, "/restore"), { publish: false });
    expect((await owner.get(`/v1/personas/${id}`)).body).toMatchObject({ version: 3, latest_version: 4 });
    expect((await owner.post(path(id, 9, "/restore"), {})).status).toBe(404);
  });
});

describe("publication of a version", () => {
  it("publication of a version to groups and a share is shown, moved and withdrawn", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    const group = (await owner.post("/v1/groups", { name: "Sales", member_ids: [] })).body.id;
    for (let n = 0; n < 2; n++) await owner.patch(`/v1/personas/${id}`, { greeting: `${n}`, publish: false });
    const publish = (version: number, body: object) => owner.post(path(id, version, "/publish"), body);
    expect((await publish(2, { group_ids: [group], percent: 20 })).body.rollouts).toEqual([
      { version: 2, group_ids: [group], percent: 20 },
    ]);
    expect((await publish(3, { percent: 30 })).body.rollouts).toEqual([
      { version: 2, group_ids: [group], percent: null },
      { version: 3, group_ids: [], percent: 30 },
    ]);
    expect((await owner.delete(path(id, 2, "/publish"))).status).toBe(204);
    expect((await owner.delete(path(id, 2, "/publish"))).status).toBe(404);
    const everybody = await owner.delete(path(id, 1, "/publish"));
    expect([everybody.status, everybody.body.code]).toEqual([409, "conflict"]);
    expect((await owner.get(`/v1/personas/${id}`)).body.rollouts).toEqual([{ version: 3, group_ids: [], percent: 30 }]);
    expect((await owner.patch(`/v1/personas/${id}`, { greeting: "All" })).body).toMatchObject({
      version: 4,
      rollouts: [],
    });
  });

  it.each([
    [{ percent: 0 }, 400, "percent"],
    [{ percent: 100 }, 400, "percent"],
    [{ percent: 1.5 }, 400, "percent"],
    [{ group_ids: ["none"] }, 400, "group_ids.0"],
  ])("publication of a version is rejected with %j", async (body, status, field) => {
    const owner = new Client();
    const id = await createPersona(owner);
    const response = await owner.post(path(id, 1, "/publish"), body);
    expect([response.status, response.body.errors[0].path]).toEqual([status, field]);
  });

  it("publication of versions to groups ends at ten versions", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) {
      const group = (await owner.post("/v1/groups", { name: `Group ${n}`, member_ids: [] })).body.id;
      const { latest_version } = (await owner.patch(`/v1/personas/${id}`, { greeting: `${n}`, publish: false })).body;
      statuses.push((await owner.post(path(id, latest_version, "/publish"), { group_ids: [group] })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(200), 409]);
  });

  it("publication of an endpoint can name a version, also a draft", async () => {
    const owner = new Client();
    const id = await createPersona(owner);
    await owner.patch(`/v1/personas/${id}`, { instructions: "A draft.", publish: false });
    const named = await owner.post(`/v1/personas/${id}/publish`, { slug: "guide", version: 2 });
    expect([named.status, named.body.version, named.body.endpoint.version]).toEqual([201, 1, 2]);
    expect((await owner.post(`/v1/personas/${id}/publish`, {})).body.endpoint.version).toBe(1);
    const unknown = await owner.post(`/v1/personas/${id}/publish`, { version: 7 });
    expect([unknown.status, unknown.body.errors[0].path]).toEqual([400, "version"]);
  });
});

describe("rights to versions of a persona", () => {
  /** Requests for the versions of a persona, with the status that its owner gets. */
  const requests: readonly (readonly [string, (client: Client, id: string) => Promise<ApiResponse>, number])[] = [
    ["list", (client, id) => client.get(path(id)), 200],
    ["get", (client, id) => client.get(path(id, 1)), 200],
    ["draft", (client, id) => client.patch(`/v1/personas/${id}`, { greeting: "x", publish: false }), 200],
    ["restore", (client, id) => client.post(path(id, 1, "/restore"), {}), 201],
    ["publish", (client, id) => client.post(path(id, 1, "/publish"), { percent: 10 }), 200],
    ["withdraw", (client, id) => client.delete(path(id, 1, "/publish")), 204],
  ];

  const statusesOf = async (client: Client, id: string) => {
    const statuses: number[] = [];
    for (const [, send] of requests) {
      const response = await send(client, id);
      statuses.push(response.status);
      if (response.status >= 400) expect(response.text).not.toContain("Version one");
    }
    return statuses;
  };

  it.each([
    ["org", 403],
    ["private", 404],
  ])(
    "rights to versions of a persona with the visibility %s belong to its owner and administrators only",
    async (visibility, status) => {
      const admin = new Client();
      const [owner, member] = [await createColleague(admin), await createColleague(admin)];
      const id = await createPersona(owner, { visibility });
      expect(await statusesOf(member, id)).toEqual(requests.map(() => status));
      expect(await statusesOf(new Client(), id)).toEqual(requests.map(() => 404));
      for (const client of [owner, admin]) expect(await statusesOf(client, id)).toEqual(requests.map(([, , ok]) => ok));
      if (status === 404) return;
      await owner.post(path(id, 1, "/publish"), { percent: 10 });
      const seen = (await member.get(`/v1/personas/${id}`)).body;
      expect([seen.instructions, seen.latest_version, seen.rollouts]).toEqual([null, null, []]);
    },
  );

  it("rights to versions of a persona are not those of an API key that acts for no user", async () => {
    const admin = new Client();
    const id = await createPersona(admin, { visibility: "public" });
    const key = await createKeyClient(admin, { preset: "administrator" });
    expect((await key.get(`/v1/personas/${id}`)).body).toMatchObject({ instructions: null, latest_version: null });
    expect(await statusesOf(key, id)).toEqual(requests.map(() => 403));
  });
});
