import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { MAX_ISSUERS } from "#shared/api/tenancy/issuers.ts";
import { Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { type OidcServer, startOidcServer } from "#test/support/tenancy/oidc-server.ts";

const waitFor = (expectation: () => Promise<void>) => vi.waitFor(expectation, { timeout: 60_000, interval: 200 });

const path = "/v1/tenant/issuers";
const audience = "chat";
let servers: readonly OidcServer[];

beforeAll(async () => {
  servers = await Promise.all([
    startOidcServer("a"),
    startOidcServer("b"),
    startOidcServer("c", "https://other.example"),
  ]);
});

afterAll(() => {
  for (const server of servers) server.stop();
});

const [first, second] = [() => servers[0] as OidcServer, () => servers[1] as OidcServer];

/** Client with a token of an identity provider. */
async function signIn({ sign }: OidcServer, claims: Record<string, unknown>): Promise<Client> {
  const client = new Client();
  for (const name of Object.keys(client.headers)) delete client.headers[name];
  client.headers.authorization = `Bearer ${await sign({ aud: audience, ...claims })}`;
  return client;
}

it("identity provider of a tenant signs in users of this tenant on REST and streaming endpoints until it is removed", async () => {
  const [admin, other] = [new Client(), new Client()];
  const claims = { roles: "roles", groups: "groups" };
  const { body: added, status } = await admin.post(path, { issuer: first().issuer, audience, claims });
  expect([status, added]).toMatchObject([
    201,
    { jwks_url: `${first().issuer}/keys`, claims: { user_id: "sub", name: "name", email: "email", ...claims } },
  ]);
  expect((await other.post(path, { issuer: second().issuer, audience })).status).toBe(201);
  const ann = await signIn(first(), { sub: "ann", name: "Ann", roles: ["viewer"] });
  expect((await ann.get("/v1/me")).body).toMatchObject({
    tenant_id: admin.identity.tenant,
    user_id: "ann",
    name: "Ann",
    roles: ["viewer"],
  });
  const conversation = await ann.createConversation();
  expect((await ann.chat({ conversation_id: conversation, content: "Hello", tier: "QUICK" })).at(-1)?.event).toBe(
    "done",
  );
  const bob = await signIn(second(), { sub: "ann" });
  expect((await bob.get("/v1/me")).body).toMatchObject({ tenant_id: other.identity.tenant, roles: ["member"] });
  expect((await bob.get(`/v1/conversations/${conversation}`)).status).toBe(404);

  expect((await admin.get(path)).body.issuers).toEqual([added]);
  expect((await other.delete(`${path}/${added.id}`)).status).toBe(404);
  expect((await admin.delete(`${path}/${added.id}`)).status).toBe(204);
  // In the stage `local`, a token of an unknown issuer is ignored. The user of the stage has no token.
  await waitFor(async () => expect((await ann.get("/v1/me")).body.tenant_id).not.toBe(admin.identity.tenant));
  expect((await bob.get("/v1/me")).status).toBe(200);
  expect((await admin.post(path, { issuer: first().issuer, audience })).status).toBe(201);
});

it("identity provider of a tenant makes users members of the groups that their tokens name, and of no others", async () => {
  const admin = new Client();
  const settings = { issuer: first().issuer, audience: "groups", claims: { groups: "teams" } };
  expect((await admin.post(path, settings)).status).toBe(201);
  const [support, sales] = await Promise.all(
    ["Support", "Sales"].map(async (name) => (await admin.post("/v1/groups", { name, roles: ["admin"] })).body.id),
  );
  await admin.patch(`/v1/groups/${sales}`, { member_ids: ["cleo"] });
  const groupsOf = async (client: Client) =>
    (await client.get("/v1/rbac/me")).body.groups.map(({ id }: { id: string }) => id);
  const cleo = await signIn(first(), { aud: "groups", sub: "cleo", teams: ["support", "unknown"] });
  await cleo.get("/v1/me");
  await waitFor(async () => expect((await groupsOf(cleo)).toSorted()).toEqual([support, sales].toSorted()));
  const later = await signIn(first(), { aud: "groups", sub: "cleo", teams: [] });
  await later.get("/v1/me");
  await waitFor(async () => expect(await groupsOf(later)).toEqual([sales]));
});

it("identity provider of a tenant is refused if issuer and audience are taken, its metadata is unusable, or the maximum is reached", async () => {
  const [admin, other] = [new Client(), new Client()];
  const post = (client: Client, changes: object) =>
    client.post(path, { issuer: second().issuer, audience: "mine", ...changes });
  expect((await post(admin, {})).status).toBe(201);
  const taken = await post(other, {});
  expect([taken.status, taken.body.code]).toEqual([409, "conflict"]);
  for (const issuer of [
    servers[2]?.issuer,
    `${second().issuer}/`,
    `${second().issuer}/nothing?x=1`,
    "http://127.0.0.1:1",
    "http://169.254.169.254",
    "https://user@example.com",
  ]) {
    const { status, body } = await post(other, { issuer, audience: "x" });
    expect([issuer, status, body.errors?.[0]?.path]).toEqual([issuer, 400, "issuer"]);
  }
  for (let number = 1; number < MAX_ISSUERS; number++) {
    expect((await post(admin, { audience: `mine-${number}` })).status).toBe(201);
  }
  expect((await post(admin, { audience: "one-more" })).status).toBe(409);
});

it("identity provider of a tenant can be added only with all permissions, and listed with rbac.manage", async () => {
  const admin = new Client();
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const keeper = await createColleague(admin, "keeper");
  const member = await createColleague(admin);
  const body = { issuer: first().issuer, audience: "keeper" };
  expect((await keeper.post(path, body)).body).toMatchObject({ status: 403 });
  expect((await keeper.get(path)).status).toBe(200);
  expect((await member.get(path)).status).toBe(403);
});
