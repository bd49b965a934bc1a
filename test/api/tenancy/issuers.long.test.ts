import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { MAX_ISSUERS } from "#shared/api/tenancy/issuers.ts";
import { Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { addIssuer } from "#test/support/tenancy/add-issuer.ts";
import { type OidcServer, startOidcServer } from "#test/support/tenancy/oidc-server.ts";

const waitFor = (expectation: () => Promise<void>) => vi.waitFor(expectation, { timeout: 180_000, interval: 200 });

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
  const { body: added, status } = await addIssuer(admin, first(), { audience, claims });
  expect([status, added]).toMatchObject([
    200,
    { jwks_url: `${first().issuer}/keys`, claims: { user_id: "sub", name: "name", email: "email", ...claims } },
  ]);
  expect((await addIssuer(other, second(), { audience })).status).toBe(200);
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
  expect((await addIssuer(admin, first(), { audience })).status).toBe(200);
});

it("identity provider of a tenant makes users members of the groups that their tokens name, and of no others", async () => {
  const admin = new Client();
  const settings = { audience: "groups", claims: { groups: "teams" } };
  expect((await addIssuer(admin, first(), settings)).status).toBe(200);
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
  expect((await addIssuer(admin, second(), { audience: "mine" })).status).toBe(200);
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

it("identity provider of a tenant is active only for the tenant that proves the pair of issuer and audience by a token with its nonce", async () => {
  const [squatter, admin] = [new Client(), new Client()];
  const body = { issuer: first().issuer, audience: "proved" };
  const [held, mine] = [(await squatter.post(path, body)).body, (await admin.post(path, body)).body];
  expect([held, mine]).toMatchObject([{ status: "pending" }, { status: "pending" }]);
  expect(held.nonce).not.toBe(mine.nonce);
  expect((await admin.post(path, body)).body).toEqual(mine);
  const user = await signIn(first(), { aud: "proved", sub: "ann" });
  // In the stage `local`, a token of an unknown issuer is ignored.
  const tenants = [squatter.identity.tenant, admin.identity.tenant];
  expect(tenants).not.toContain((await user.get("/v1/me")).body.tenant_id);
  const prove = (client: Client, token: string) => client.post(path, { ...body, token });
  const claims = { aud: "proved", sub: "admin", nonce: mine.nonce };
  const refused: [Client, string][] = [
    [squatter, await first().sign(claims)],
    [admin, await first().sign({ ...claims, nonce: undefined })],
    [admin, await first().sign({ ...claims, aud: "other" })],
    [admin, await first().sign({ ...claims, exp: 1 })],
    [admin, await second().sign({ ...claims, iss: first().issuer }, { kid: "a" })],
    [admin, "no.jwt.x"],
  ];
  for (const [client, token] of refused) {
    const { status, body: problem } = await prove(client, token);
    expect([status, problem.errors?.[0]?.path], token).toEqual([400, "token"]);
  }
  const proof = await first().sign({ ...claims, nonce: undefined, switchboard_nonce: mine.nonce });
  expect((await prove(admin, proof)).body).toMatchObject({ id: mine.id, status: "active", nonce: null });
  await waitFor(async () => expect((await user.get("/v1/me")).body.tenant_id).toBe(admin.identity.tenant));
  // Neither the proof of a second tenant nor the removal of what it holds takes the pair away.
  const late = await prove(squatter, await first().sign({ ...claims, nonce: held.nonce }));
  expect([late.status, (await prove(admin, proof)).status]).toEqual([409, 400]);
  expect((await squatter.delete(`${path}/${held.id}`)).status).toBe(204);
  expect((await user.get("/v1/me")).body.tenant_id).toBe(admin.identity.tenant);
});
