import { describe, expect, it } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { countStatuses, createColleague } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";

/** Number of concurrent publications of one slug. */
const concurrentPublications = sized({ usual: 30, full: 200 });

const personaFields = (fields: Record<string, unknown> = {}) => ({
  name: "Guide",
  instructions: "Answer like a mountain guide.",
  ...fields,
});

const toNames = (response: ApiResponse) => response.body.personas.map(({ name }: { name: string }) => name);

it("chat persona is created with defaults, read, changed and deleted", async () => {
  const owner = new Client();
  const { status, headers, body } = await owner.post("/v1/personas", personaFields());
  expect([status, headers.get("location")]).toEqual([201, `/v1/personas/${body.id}`]);
  expect(body).toEqual({
    id: body.id,
    name: "Guide",
    description: "",
    instructions: "Answer like a mountain guide.",
    visibility: "private",
    tier: "THINKING",
    model: null,
    temperature: null,
    max_output_tokens: null,
    collection_ids: [],
    tools: [],
    tool_servers: [],
    api_tools: false,
    greeting: "",
    starter_prompts: [],
    guardrails: {},
    owner_id: owner.identity.user,
    version: 1,
    latest_version: 1,
    rollouts: [],
    endpoint: null,
    gate: null,
    created_at: body.created_at,
    updated_at: body.created_at,
  });
  expect((await owner.get(`/v1/personas/${body.id}`)).body).toEqual(body);
  const updatedResponse = await owner.patch(`/v1/personas/${body.id}`, {
    tier: "QUICK",
    tools: ["calculate", "calculate"],
  });
  expect(updatedResponse.body).toEqual({
    ...body,
    tier: "QUICK",
    tools: ["calculate"],
    version: 2,
    latest_version: 2,
    updated_at: updatedResponse.body.updated_at,
  });
  expect((await owner.delete(`/v1/personas/${body.id}`)).status).toBe(204);
  expect((await owner.get(`/v1/personas/${body.id}`)).status).toBe(404);
  expect((await owner.get("/v1/personas")).body.personas).toEqual([]);
});

it("chat persona gets a new version for each of several concurrent updates", async () => {
  const owner = new Client();
  const { id } = (await owner.post("/v1/personas", personaFields())).body;
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) => owner.patch(`/v1/personas/${id}`, { greeting: `${n}` })),
  );
  const versions = responses.map(({ body }) => body.version).sort((one, other) => one - other);
  expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
});

it("chat persona is listed newest first in pages, and only to its owner if it is private", async () => {
  const owner = new Client(undefined);
  const member = await createColleague(owner);
  const other = await createColleague(owner);
  for (const [index, client] of [member, other, member, other, member].entries()) {
    for (const visibility of ["private", "org"])
      await client.post("/v1/personas", personaFields({ name: `${visibility} ${index}`, visibility }));
  }
  const listedNames: string[] = [];
  let cursor: string | null = null;
  do {
    const response: ApiResponse = await member.get(`/v1/personas?limit=3${cursor ? `&cursor=${cursor}` : ""}`);
    listedNames.push(...toNames(response));
    cursor = response.body.next_cursor;
  } while (cursor);
  const expected = ["org 4", "private 4", "org 3", "org 2", "private 2", "org 1", "org 0", "private 0"];
  expect(listedNames).toEqual(expected);
  expect(toNames(await owner.get("/v1/personas")).length).toBe(10);
  const page = (await member.get("/v1/personas?limit=3")).body.next_cursor;
  expect((await other.get(`/v1/personas?limit=3&cursor=${page}`)).body.code).toBe("invalid_cursor");
});

/** Relation of a caller to a persona's owner. */
type Viewer = "owner" | "team mate" | "colleague" | "admin" | "other tenant" | "visitor";
const viewers: readonly Viewer[] = ["owner", "team mate", "colleague", "admin", "other tenant", "visitor"];

/** Viewers besides owner and administrators who may use a persona, by visibility. */
const usersByVisibility: Readonly<Record<string, readonly Viewer[]>> = {
  private: [],
  team: ["team mate"],
  org: ["team mate", "colleague"],
  public: ["team mate", "colleague"],
};

const actions = ["read", "list", "use", "use later", "edit", "publish", "unpublish", "delete"] as const;

/** Returns 401 without credentials, 404 for invisible personas and 403 for visible ones that the caller does not manage. */
function expectedStatus(visibility: string, viewer: Viewer, action: (typeof actions)[number]): number {
  if (viewer === "visitor") return 401;
  const canManage = viewer === "owner" || viewer === "admin";
  const canSee = canManage || usersByVisibility[visibility]?.includes(viewer);
  if (action === "list" || action === "use later") return action === "list" || canSee ? 200 : 404;
  if (!canSee) return 404;
  const successStatus = { read: 200, use: 201, edit: 200, publish: 201, unpublish: 204, delete: 204 }[action];
  return canManage || action === "read" || action === "use" ? successStatus : 403;
}

/** Creates a client without a valid credential: its user id is blank. */
const newVisitor = (client: Client) => new Client({ tenant: client.identity.tenant, user: " ", roles: "admin" });

async function createViewers(): Promise<Record<Viewer, Client>> {
  const admin = new Client();
  const owner = await createColleague(admin);
  const mate = await createColleague(admin);
  await admin.post("/v1/groups", { name: "Team", member_ids: [owner.identity.user, mate.identity.user] });
  return {
    owner,
    "team mate": mate,
    colleague: await createColleague(admin),
    admin,
    "other tenant": new Client(),
    visitor: newVisitor(admin),
  };
}

describe.each(["private", "team", "org", "public"])("%s persona", (visibility) => {
  it.each(viewers)(
    `${visibility} persona can be read, used and changed by the viewer "%s" only as far as its visibility allows`,
    async (viewer) => {
      const clients = await createViewers();
      const client = clients[viewer];
      for (const action of actions) {
        const createdResponse = await clients.owner.post("/v1/personas", personaFields({ visibility, tier: "QUICK" }));
        const { id } = createdResponse.body;
        const conversation = viewer === "visitor" ? "none" : await client.createConversation();
        if (action === "unpublish") await clients.owner.post(`/v1/personas/${id}/publish`, { slug: `s-${id}` });
        const response = await {
          read: () => client.get(`/v1/personas/${id}`),
          list: () => client.get("/v1/personas"),
          use: () => client.post("/v1/conversations", { title: "With it", persona_id: id }),
          "use later": () => client.patch(`/v1/conversations/${conversation}`, { persona_id: id }),
          edit: () => client.patch(`/v1/personas/${id}`, { greeting: "Hello" }),
          publish: () => client.post(`/v1/personas/${id}/publish`, { slug: `s-${id}` }),
          unpublish: () => client.delete(`/v1/personas/${id}/publish`),
          delete: () => client.delete(`/v1/personas/${id}`),
        }[action]();
        const status = expectedStatus(visibility, viewer, action);
        expect([viewer, action, response.status]).toEqual([viewer, action, status]);
        const canManage = viewer === "owner" || viewer === "admin";
        if (!canManage) expect(response.text).not.toContain("mountain");
        if (canManage && action === "read") expect(response.body.instructions).toContain("mountain");
        if (action === "list" && status === 200) {
          const isListed = response.body.personas.some((entry: { id: string }) => entry.id === id);
          expect(isListed).toBe(canManage || usersByVisibility[visibility]?.includes(viewer));
        }
        if (action === "use" && status === 201) expect(response.body).toMatchObject({ persona_id: id, tier: "QUICK" });
      }
    },
  );
});

it("publication of a persona keeps the published version in use until the persona is published again", async () => {
  const owner = new Client();
  const { id } = (await owner.post("/v1/personas", personaFields({ name: "Überblick & Co." }))).body;
  const publishResponse = await owner.post(`/v1/personas/${id}/publish`, {});
  expect([publishResponse.status, publishResponse.headers.get("location")]).toEqual([201, `/v1/personas/${id}`]);
  expect(publishResponse.body.endpoint).toEqual({
    slug: "uberblick-co",
    aliases: [],
    enabled: true,
    published_at: publishResponse.body.endpoint.published_at,
    version: 1,
  });
  await owner.patch(`/v1/personas/${id}`, { instructions: "Something else." });
  expect((await owner.get(`/v1/personas/${id}`)).body).toMatchObject({ version: 2, endpoint: { version: 1 } });
  const secondResponse = await owner.post(`/v1/personas/${id}/publish`, { enabled: false });
  expect([secondResponse.status, secondResponse.body.endpoint]).toMatchObject([200, { version: 2, enabled: false }]);
});

it("publication of a persona reserves its slug for one persona of the tenant until that persona is unpublished", async () => {
  const owner = new Client();
  const [one, other] = [
    (await owner.post("/v1/personas", personaFields())).body.id,
    (await owner.post("/v1/personas", personaFields())).body.id,
  ];
  const publish = (id: string, slug: string) => owner.post(`/v1/personas/${id}/publish`, { slug });
  expect((await publish(one, "help")).status).toBe(201);
  const rejectedResponse = await publish(other, "help");
  expect([rejectedResponse.status, rejectedResponse.body.code]).toEqual([409, "conflict"]);
  expect((await owner.get(`/v1/personas/${other}`)).body.endpoint).toBeNull();
  expect((await publish(one, "advice")).status).toBe(201);
  expect((await publish(other, "help")).status).toBe(201);
  expect((await owner.delete(`/v1/personas/${other}/publish`)).status).toBe(204);
  expect((await owner.delete(`/v1/personas/${other}/publish`)).status).toBe(404);
  expect((await owner.delete(`/v1/personas/${one}`)).status).toBe(204);
  expect((await publish(other, "advice")).status).toBe(201);
  const otherTenant = new Client();
  const { id } = (await otherTenant.post("/v1/personas", personaFields())).body;
  expect((await otherTenant.post(`/v1/personas/${id}/publish`, { slug: "advice" })).status).toBe(201);
});

it.each(["", "-a", "a b", "a#b", "x".repeat(129)])(
  "publication of a persona is rejected for the invalid slug %j",
  async (slug) => {
    const owner = new Client();
    const { id } = (await owner.post("/v1/personas", personaFields())).body;
    const response = await owner.post(`/v1/personas/${id}/publish`, { slug });
    expect([response.status, response.body.errors[0].path]).toEqual([400, "slug"]);
  },
);

it("publication of a persona requires the permission to publish", async () => {
  const owner = new Client({ ...new Client().identity, roles: "viewer" });
  const { id } = (await owner.post("/v1/personas", personaFields())).body;
  expect((await owner.post(`/v1/personas/${id}/publish`, {})).status).toBe(403);
});

it(`publication of a persona succeeds for one of ${concurrentPublications} personas that are published under the same slug concurrently`, async () => {
  const owner = new Client();
  const createdResponses = await Promise.all(
    Array.from({ length: concurrentPublications }, () => owner.post("/v1/personas", personaFields())),
  );
  const statuses = await countStatuses(concurrentPublications, (n) =>
    owner.post(`/v1/personas/${createdResponses[n]?.body.id}/publish`, { slug: "contested" }),
  );
  expect(statuses).toEqual(
    new Map([
      [201, 1],
      [409, concurrentPublications - 1],
    ]),
  );
  const all = (await owner.get("/v1/personas?limit=100")).body.personas;
  expect(all.filter(({ endpoint }: { endpoint: unknown }) => endpoint !== null).length).toBeLessThanOrEqual(1);
});

it("conversation with a persona can be continued after the persona is deleted", async () => {
  const owner = new Client();
  const { id: personaId } = (await owner.post("/v1/personas", personaFields())).body;
  const { id } = (await owner.post("/v1/conversations", { title: "x", persona_id: personaId })).body;
  await owner.delete(`/v1/personas/${personaId}`);
  expect((await owner.get(`/v1/conversations/${id}`)).status).toBe(200);
  expect((await owner.chat({ conversation_id: id, content: "Hello", tier: "QUICK" })).at(-1)?.event).toBe("done");
  expect((await owner.patch(`/v1/conversations/${id}`, { persona_id: null })).body.persona_id).toBeNull();
  expect((await owner.patch(`/v1/conversations/${id}`, { persona_id: personaId })).status).toBe(404);
});
