import { describe, expect, it } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { countStatuses, createColleague } from "#test/support/people.ts";

/** Creations that race for one name; `npm run test:full` runs the whole number. */
const racing = process.env.SWITCHBOARD_FULL ? 200 : 30;

const persona = (fields: Record<string, unknown> = {}) => ({
  name: "Guide",
  instructions: "Answer like a mountain guide.",
  ...fields,
});

const names = (answer: ApiResponse) => answer.body.personas.map(({ name }: { name: string }) => name);

describe("personas", () => {
  it("are created with defaults, read, changed and deleted", async () => {
    const owner = new Client();
    const { status, headers, body } = await owner.post("/v1/personas", persona());
    expect([status, headers.get("location")]).toEqual([201, `/v1/personas/${body.id}`]);
    expect(body).toEqual({
      id: body.id,
      name: "Guide",
      description: "",
      instructions: "Answer like a mountain guide.",
      visibility: "private",
      tier: "THINKING",
      collection_ids: [],
      tools: [],
      greeting: "",
      starter_prompts: [],
      owner_id: owner.identity.user,
      version: 1,
      endpoint: null,
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    expect((await owner.get(`/v1/personas/${body.id}`)).body).toEqual(body);
    const changed = await owner.patch(`/v1/personas/${body.id}`, { tier: "QUICK", tools: ["calculate", "calculate"] });
    expect(changed.body).toEqual({
      ...body,
      tier: "QUICK",
      tools: ["calculate"],
      version: 2,
      updated_at: changed.body.updated_at,
    });
    expect((await owner.delete(`/v1/personas/${body.id}`)).status).toBe(204);
    expect((await owner.get(`/v1/personas/${body.id}`)).status).toBe(404);
    expect((await owner.get("/v1/personas")).body.personas).toEqual([]);
  });

  it("count every change, however many are made at once", async () => {
    const owner = new Client();
    const { id } = (await owner.post("/v1/personas", persona())).body;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => owner.patch(`/v1/personas/${id}`, { greeting: `${n}` })),
    );
    const versions = answers.map(({ body }) => body.version).sort((one, other) => one - other);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
  });

  it("are listed newest first, page by page, private ones to their owner only", async () => {
    const owner = new Client(undefined);
    const member = await createColleague(owner);
    const other = await createColleague(owner);
    for (const [index, client] of [member, other, member, other, member].entries()) {
      for (const visibility of ["private", "org"])
        await client.post("/v1/personas", persona({ name: `${visibility} ${index}`, visibility }));
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const answer: ApiResponse = await member.get(`/v1/personas?limit=3${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...names(answer));
      cursor = answer.body.next_cursor;
    } while (cursor);
    const expected = ["org 4", "private 4", "org 3", "org 2", "private 2", "org 1", "org 0", "private 0"];
    expect(seen).toEqual(expected);
    expect(names(await owner.get("/v1/personas")).length).toBe(10);
    const page = (await member.get("/v1/personas?limit=3")).body.next_cursor;
    expect((await other.get(`/v1/personas?limit=3&cursor=${page}`)).body.code).toBe("invalid_cursor");
  });
});

/** Somebody in relation to a persona's owner. */
type Viewer = "owner" | "team mate" | "colleague" | "admin" | "other tenant" | "visitor";
const viewers: readonly Viewer[] = ["owner", "team mate", "colleague", "admin", "other tenant", "visitor"];

/** Who may use a persona of that visibility beside its owner and administrators. */
const users: Readonly<Record<string, readonly Viewer[]>> = {
  private: [],
  team: ["team mate"],
  org: ["team mate", "colleague"],
  public: ["team mate", "colleague"],
};

const actions = ["read", "list", "use", "use later", "edit", "publish", "unpublish", "delete"] as const;

/** What comes of it, in the words of the design: unseen is 404, seen and not one's own 403, no credential 401. */
function expectedStatus(visibility: string, viewer: Viewer, action: (typeof actions)[number]): number {
  if (viewer === "visitor") return 401;
  const manages = viewer === "owner" || viewer === "admin";
  const sees = manages || users[visibility]?.includes(viewer);
  if (action === "list" || action === "use later") return action === "list" || sees ? 200 : 404;
  if (!sees) return 404;
  const done = { read: 200, use: 201, edit: 200, publish: 201, unpublish: 204, delete: 204 }[action];
  return manages || action === "read" || action === "use" ? done : 403;
}

/** A request without any credential: its user id is none. */
const visitorTo = (client: Client) => new Client({ tenant: client.identity.tenant, user: " ", roles: "admin" });

async function cast(): Promise<Record<Viewer, Client>> {
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
    visitor: visitorTo(admin),
  };
}

describe.each(["private", "team", "org", "public"])("a %s persona", (visibility) => {
  it.each(viewers)("to: %s", async (viewer) => {
    const people = await cast();
    const client = people[viewer];
    for (const action of actions) {
      const made = await people.owner.post("/v1/personas", persona({ visibility, tier: "QUICK" }));
      const { id } = made.body;
      const conversation = viewer === "visitor" ? "none" : await client.createConversation();
      if (action === "unpublish") await people.owner.post(`/v1/personas/${id}/publish`, { slug: `s-${id}` });
      const answer = await {
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
      expect([viewer, action, answer.status]).toEqual([viewer, action, status]);
      const manages = viewer === "owner" || viewer === "admin";
      if (!manages) expect(answer.text).not.toContain("mountain");
      if (manages && action === "read") expect(answer.body.instructions).toContain("mountain");
      if (action === "list" && status === 200) {
        const listed = answer.body.personas.some((entry: { id: string }) => entry.id === id);
        expect(listed).toBe(manages || users[visibility]?.includes(viewer));
      }
      if (action === "use" && status === 201) expect(answer.body).toMatchObject({ persona_id: id, tier: "QUICK" });
    }
  });
});

describe("publishing a persona", () => {
  it("pins the version to the slug until it is published again", async () => {
    const owner = new Client();
    const { id } = (await owner.post("/v1/personas", persona({ name: "Überblick & Co." }))).body;
    const published = await owner.post(`/v1/personas/${id}/publish`, {});
    expect([published.status, published.headers.get("location")]).toEqual([201, `/v1/personas/${id}`]);
    expect(published.body.endpoint).toEqual({
      slug: "uberblick-co",
      enabled: true,
      published_at: published.body.endpoint.published_at,
      version: 1,
    });
    await owner.patch(`/v1/personas/${id}`, { instructions: "Something else." });
    expect((await owner.get(`/v1/personas/${id}`)).body).toMatchObject({ version: 2, endpoint: { version: 1 } });
    const again = await owner.post(`/v1/personas/${id}/publish`, { enabled: false });
    expect([again.status, again.body.endpoint]).toMatchObject([200, { version: 2, enabled: false }]);
  });

  it("moves and frees slugs, which belong to one persona of the tenant", async () => {
    const owner = new Client();
    const [one, other] = [
      (await owner.post("/v1/personas", persona())).body.id,
      (await owner.post("/v1/personas", persona())).body.id,
    ];
    const publish = (id: string, slug: string) => owner.post(`/v1/personas/${id}/publish`, { slug });
    expect((await publish(one, "help")).status).toBe(201);
    const refused = await publish(other, "help");
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect((await owner.get(`/v1/personas/${other}`)).body.endpoint).toBeNull();
    expect((await publish(one, "advice")).status).toBe(201);
    expect((await publish(other, "help")).status).toBe(201);
    expect((await owner.delete(`/v1/personas/${other}/publish`)).status).toBe(204);
    expect((await owner.delete(`/v1/personas/${other}/publish`)).status).toBe(404);
    expect((await owner.delete(`/v1/personas/${one}`)).status).toBe(204);
    expect((await publish(other, "advice")).status).toBe(201);
    const elsewhere = new Client();
    const { id } = (await elsewhere.post("/v1/personas", persona())).body;
    expect((await elsewhere.post(`/v1/personas/${id}/publish`, { slug: "advice" })).status).toBe(201);
  });

  it.each(["", "-a", "A", "a_b", "x".repeat(64)])("refuses the slug %j", async (slug) => {
    const owner = new Client();
    const { id } = (await owner.post("/v1/personas", persona())).body;
    const answer = await owner.post(`/v1/personas/${id}/publish`, { slug });
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, "slug"]);
  });

  it("needs the capability", async () => {
    const owner = new Client({ ...new Client().identity, roles: "viewer" });
    const { id } = (await owner.post("/v1/personas", persona())).body;
    expect((await owner.post(`/v1/personas/${id}/publish`, {})).status).toBe(403);
  });

  it(`has one winner among ${racing} personas that want one slug at once`, { timeout: 120_000 }, async () => {
    const owner = new Client();
    const made = await Promise.all(Array.from({ length: racing }, () => owner.post("/v1/personas", persona())));
    const statuses = await countStatuses(racing, (n) =>
      owner.post(`/v1/personas/${made[n]?.body.id}/publish`, { slug: "wanted" }),
    );
    expect(statuses).toEqual(
      new Map([
        [201, 1],
        [409, racing - 1],
      ]),
    );
    const all = (await owner.get("/v1/personas?limit=100")).body.personas;
    expect(all.filter(({ endpoint }: { endpoint: unknown }) => endpoint !== null).length).toBeLessThanOrEqual(1);
  });
});

describe("a conversation with a persona", () => {
  it("goes on without it when the persona is deleted", async () => {
    const owner = new Client();
    const { id: personaId } = (await owner.post("/v1/personas", persona())).body;
    const { id } = (await owner.post("/v1/conversations", { title: "x", persona_id: personaId })).body;
    await owner.delete(`/v1/personas/${personaId}`);
    expect((await owner.get(`/v1/conversations/${id}`)).status).toBe(200);
    expect((await owner.chat({ conversation_id: id, content: "Hello", tier: "QUICK" })).at(-1)?.event).toBe("done");
    expect((await owner.patch(`/v1/conversations/${id}`, { persona_id: null })).body.persona_id).toBeNull();
    expect((await owner.patch(`/v1/conversations/${id}`, { persona_id: personaId })).status).toBe(404);
  });
});
