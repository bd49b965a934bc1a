import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { type Capability, capabilities } from "#shared/api/capabilities.ts";
import { userScopes } from "#shared/api/scopes.ts";
import { Client } from "#test/support/client.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";

const SECRET = "the orange heron";
const allCapabilities = Object.keys(capabilities) as Capability[];

/** Permissions of the creators of keys with whom each key is combined. */
const mainCreators: Readonly<Record<string, readonly Capability[]>> = {
  administrator: allCapabilities,
  keymaker: ["rbac.manage"],
  vouching: ["rbac.manage", "users.act_as"],
  "all-but-acting": allCapabilities.filter((each) => each !== "users.act_as"),
};

/** Permissions of all creators of keys. */
const creators: Readonly<Record<string, readonly Capability[]>> = {
  ...mainCreators,
  ...Object.fromEntries(
    sized({ usual: [], full: allCapabilities }).map((each) => [
      `vouching-with-${each}`,
      [...new Set<Capability>(["rbac.manage", "users.act_as", each])],
    ]),
  ),
};

type KeySettings = Readonly<Record<string, { readonly preset?: string; readonly scopes?: readonly string[] }>>;

/** Scopes of keys with which each creator is combined. */
const mainKeySettings: KeySettings = {
  "preset chat_backend": { preset: "chat_backend" },
  "everything and acting": { preset: "administrator", scopes: ["users.act_as"] },
  "one scope and acting": { scopes: ["conversations.read", "memories.read", "notes.read", "users.act_as"] },
  "everything but acting": { preset: "administrator" },
};

/** Scopes of all keys. */
const keySettings: KeySettings = {
  ...mainKeySettings,
  ...Object.fromEntries(
    sized({ usual: [], full: userScopes.filter((scope) => scope !== "scim") }).map((scope) => [
      `${scope} and acting`,
      { scopes: [scope, "users.act_as"] },
    ]),
  ),
};

/** Returns scopes that a key has, for an access token. */
function exchangedScopes({ preset, scopes = [] }: { readonly preset?: string; readonly scopes?: readonly string[] }) {
  if (preset === "chat_backend") return "conversations.read";
  return preset
    ? "conversations.read memories.read notes.read"
    : scopes.filter((each) => each !== "users.act_as").join(" ");
}

const mayAct = (settings: object) => JSON.stringify(settings).match(/users.act_as|chat_backend/) !== null;

let admin: Client;
let colleague: Client;
/** Ids of people, by what a key may do for them. */
let people: Readonly<Record<string, { readonly id: string; readonly isActedFor: boolean }>>;
let secretConversation: string;

beforeAll(async () => {
  admin = new Client();
  await admin.get("/v1/me");
  for (const [name, permissions] of Object.entries(creators)) await admin.post("/v1/roles", { name, permissions });
  colleague = await createColleague(admin);
  secretConversation = await colleague.createConversation(SECRET);
  await colleague.chat({ conversation_id: secretConversation, content: SECRET, tier: "QUICK" });
  const kept = [
    await colleague.post("/v1/memories", { text: SECRET, scope: "user", category: "preference" }),
    await colleague.post("/v1/notes", { title: SECRET, body: SECRET }),
    await colleague.post("/v1/personas", { name: SECRET, instructions: SECRET, visibility: "private" }),
    await colleague.post("/v1/templates", { name: SECRET, body: SECRET }),
    await colleague.post("/v1/folders", { name: SECRET }),
    await colleague.post("/v1/knowledge/collections", { name: SECRET, readers: [] }),
  ];
  expect(kept.map(({ status }) => status)).toEqual(kept.map(() => 201));
  const backend = await createKeyClient(admin, { preset: "chat_backend" });
  const newId = () => `customer-${randomUUID()}`;
  const ids = { customer: newId(), arrived: newId(), provisioned: newId() };
  for (const id of Object.values(ids)) expect((await backend.onBehalfOf(id).get("/v1/me")).status).toBe(200);
  await new Client({ ...admin.identity, user: ids.arrived, roles: "member" }, admin.baseUrl).get("/v1/me");
  const scim = await createKeyClient(admin, { scopes: ["scim"] });
  const scimUser = {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: ids.provisioned,
    active: true,
  };
  const media = { "content-type": "application/scim+json" };
  expect((await scim.put(`/scim/v2/Users/${ids.provisioned}`, scimUser, media)).status).toBe(200);
  people = {
    "a colleague": { id: colleague.identity.user, isActedFor: false },
    "the administrator": { id: admin.identity.user, isActedFor: false },
    "a person of another key": { id: ids.customer, isActedFor: true },
    "an unknown person": { id: `new-${randomUUID()}`, isActedFor: true },
    "a person who has signed in since": { id: ids.arrived, isActedFor: false },
    "a person of the identity provider": { id: ids.provisioned, isActedFor: false },
  };
});

const exchangeOf = (user: string, scope: string) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token: user,
  subject_token_type: "urn:switchboard:token-type:user-id",
  scope,
});

/** Paths where the colleague's secret is. */
const secretPaths = () => [
  `/v1/conversations/${secretConversation}`,
  `/v1/conversations/${secretConversation}/messages`,
  "/v1/conversations",
  "/v1/memories",
  "/v1/notes",
  "/v1/personas",
  "/v1/templates",
  "/v1/folders",
  "/v1/knowledge/collections",
];

const isSecretIn = async (client: Client, path: string) => (await client.get(path)).text.includes(SECRET);

/** Returns the paths where a client reads the colleague's secret. */
async function findLeaks(client: Client): Promise<string[]> {
  const paths = secretPaths();
  const leaks = await Promise.all(paths.map((path) => isSecretIn(client, path)));
  return paths.filter((_, index) => leaks[index]);
}

it("colleague reads the secret on every path where the matrix looks for it", async () => {
  expect(await findLeaks(colleague)).toEqual(secretPaths());
});

it.each(Object.entries(creators))(
  "API keys of the creator %s act only for people whom keys manage and read nothing that the creator cannot",
  async (role, permissions) => {
    const creator = await createColleague(admin, role);
    const wrong: unknown[] = [];
    for (const [name, settings] of Object.entries(role in mainCreators ? keySettings : mainKeySettings)) {
      const isAllowed = !mayAct(settings) || permissions.includes("users.act_as");
      const reply = await creator.post(
        "/v1/tenant/api-keys",
        { description: "k", ...settings },
        { "idempotency-key": randomUUID() },
      );
      if (reply.status !== (isAllowed ? 201 : 403)) wrong.push([name, reply.status]);
      if (reply.status !== 201) continue;
      const key = new KeyClient(creator, reply.body.id, reply.body.key);
      for (const [person, { id, isActedFor }] of Object.entries(people)) {
        const exchanged = await key.post("/v1/tokens", exchangeOf(id, exchangedScopes(settings)));
        const page = exchanged.status === 200 ? new KeyClient(creator, key.keyId, exchanged.body.access_token) : key;
        const clients = [key.onBehalfOf(id), page];
        if ((exchanged.status === 200) !== (isActedFor && mayAct(settings)))
          wrong.push([name, person, exchanged.status]);
        const { status } = await key.onBehalfOf(id).get("/v1/conversations");
        const mayList = isActedFor && mayAct(settings) && exchangedScopes(settings).includes("conversations.read");
        if (status !== (mayList ? 200 : 403)) wrong.push([name, person, status]);
        for (const client of clients) {
          const leaks = await findLeaks(client);
          if (leaks.length > 0) wrong.push([name, person, leaks]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(await findLeaks(creator)).toEqual([]);
  },
);

it("person for whom keys act gets no conversation of a colleague, and of another such person", async () => {
  const key = await createKeyClient(admin, { preset: "chat_backend", scopes: ["sharing.write"] });
  const [owner, friend] = [key.onBehalfOf(`owner-${randomUUID()}`), `friend-${randomUUID()}`];
  await key.onBehalfOf(friend).get("/v1/me");
  const colleague = await createColleague(admin);
  const refused = await colleague.post(`/v1/chat/${await colleague.createConversation()}/share`, {
    user_id: friend,
    permission: "READ",
  });
  expect(refused.status).toBe(403);
  const shared = await owner.createConversation();
  expect((await owner.post(`/v1/chat/${shared}/share`, { user_id: friend, permission: "READ" })).status).toBe(201);
  expect((await key.onBehalfOf(friend).get(`/v1/conversations/${shared}`)).status).toBe(200);
  expect((await shareConversation(colleague, await colleague.createConversation(), admin, "READ")).status).toBe(201);
});
