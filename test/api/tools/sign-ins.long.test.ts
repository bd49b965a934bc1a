import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";
import { type AuthorizationServer, startAuthorizationServer } from "#test/support/tools/authorization-server.ts";
import { type ProtectedServer, startProtectedServer } from "#test/support/tools/protected-server.ts";

type Parameters = Record<string, string>;

let issuer: AuthorizationServer;
let mcp: ProtectedServer;
let admin: Client;
let serverId: string;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
  mcp = await startProtectedServer(issuer);
});
afterAll(() => Promise.all([issuer.stop(), mcp.stop()]));

const add = (client: Client, extra: object = {}) =>
  client.post("/v1/tools/servers", { name: "Mail", url: mcp.url, auth: { type: "oauth_user" }, ...extra });
const pathOf = (id: string) => `/v1/tools/servers/${id}`;
const start = async (client: Client, id = serverId) =>
  (await client.post(`${pathOf(id)}/sign-in`, {})).body.url as string;
const complete = (client: Client, parameters: Parameters) => client.post("/v1/tools/sign-ins", parameters);
const check = (client: Client, id = serverId) => client.post(`${pathOf(id)}/check`, undefined);
const signIns = async (client: Client) => (await client.get("/v1/tools/sign-ins")).body.sign_ins;
const signIn = async (client: Client, account: string) =>
  complete(client, await issuer.signIn(await start(client), account));

beforeEach(async () => {
  admin = new Client(newIdentity());
  mcp.metadata = () => ({ resource: mcp.url, authorization_servers: [issuer.issuer], scopes_supported: ["tools"] });
  serverId = (await add(admin)).body.id;
  mcp.accounts.length = 0;
});

it("sign-in to a tool server discovers the authorization server, registers a client, and gives each user a token of their own", async () => {
  const { body, text } = await admin.get(`/v1/tools/servers/${serverId}`);
  expect(body).toMatchObject({
    auth: { type: "oauth_user", header: null, issuer: issuer.issuer, scope: "tools offline_access" },
    tools: [],
    checked_at: null,
  });
  expect(text).not.toMatch(/sealed|token_endpoint/);
  expect((await check(admin)).body).toMatchObject({
    code: "tool_server_failed",
    detail: expect.stringMatching(/sign in/),
  });
  const url = new URL(await start(admin));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    resource: mcp.url,
    redirect_uri: `${admin.baseUrl}/console/tool-sign-in`,
  });
  expect(await signIns(admin)).toMatchObject([{ server_id: serverId, server_name: "Mail", signed_in: false }]);
  expect((await signIn(admin, "ada")).body).toEqual({ server_id: serverId, server_name: "Mail" });
  expect(await signIns(admin)).toMatchObject([{ signed_in: true }]);
  const checked = await check(admin);
  expect(checked.body.tools).toMatchObject([{ name: "whoami", status: "new" }]);
  const call = () => admin.post(`/v1/tools/servers/${serverId}/call`, { tool: "whoami" });
  expect((await call()).status).toBe(404);
  await admin.patch(`/v1/tools/servers/${serverId}`, { approved: { whoami: checked.body.tools[0].hash } });
  expect((await call()).body).toMatchObject({ is_error: false, result: expect.stringContaining("You are ada.") });
  const colleague = await createColleague(admin, "admin");
  expect((await check(colleague)).status).toBe(424);
  await signIn(colleague, "bob");
  await check(colleague);
  expect([...new Set(mcp.accounts)]).toEqual(["ada", "bob"]);
});

it("sign-in to a tool server that all users of a tenant share is done once by an administrator", async () => {
  serverId = (await add(admin, { name: "Shared", auth: { type: "oauth_tenant" } })).body.id;
  const member = await createColleague(admin);
  expect((await member.post(`/v1/tools/servers/${serverId}/sign-in`, {})).status).toBe(403);
  await signIn(admin, "robot");
  const other = await createColleague(admin, "admin");
  expect((await check(other)).status).toBe(200);
  expect(new Set(mcp.accounts)).toEqual(new Set(["robot"]));
});

it("token of a sign-in to a tool server is renewed once for concurrent calls when the server refuses it", async () => {
  await signIn(admin, "ada");
  await check(admin);
  mcp.refuseTokens();
  const before = issuer.counts.get("/token") ?? 0;
  // Of two checks at the same time, one may find the server changed by the other.
  const statuses = (await Promise.all([check(admin), check(admin), check(admin)])).map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 409].includes(status))).toEqual([]);
  expect((issuer.counts.get("/token") ?? 0) - before).toBe(1);
});

it.each([
  ["a check of the server", check],
  ["a call of a tool", (client: Client) => client.post(`${pathOf(serverId)}/call`, { tool: "whoami" })],
  [
    "a change of the server that lists its tools again",
    (client: Client) => client.patch(pathOf(serverId), { allowed_tools: ["whoami"] }),
  ],
])(
  "sign-in to a tool server ends with %s when the authorization server refuses to renew the token",
  async (_, send) => {
    const issued: { destroy(): Promise<void> }[] = [];
    issuer.provider.on("refresh_token.saved", (token) => issued.push(token));
    await signIn(admin, "ada");
    const { body } = await check(admin);
    await admin.patch(pathOf(serverId), { approved: { whoami: body.tools[0].hash } });
    mcp.refuseTokens();
    for (const token of issued) await token.destroy();
    const response = await send(admin);
    expect([response.status, response.body]).toMatchObject([
      424,
      { code: "tool_server_failed", detail: expect.stringMatching(/sign in/) },
    ]);
    expect(await signIns(admin)).toMatchObject([{ server_id: serverId, signed_in: false }]);
  },
);

it("sign-in to a tool server ends with the user's sign-out, which revokes the tokens", async () => {
  await signIn(admin, "ada");
  await check(admin);
  const revoked = issuer.counts.get("/token/revocation") ?? 0;
  expect((await admin.delete(`/v1/tools/servers/${serverId}/sign-in`)).status).toBe(204);
  expect(issuer.counts.get("/token/revocation")).toBe(revoked + 1);
  expect((await check(admin)).status).toBe(424);
});

it("sign-in to a tool server ends when the server is deleted, which revokes the tokens of all users", async () => {
  const colleague = await createColleague(admin);
  await signIn(admin, "ada");
  await signIn(colleague, "bob");
  const revoked = issuer.counts.get("/token/revocation") ?? 0;
  await admin.delete(`/v1/tools/servers/${serverId}`);
  expect(issuer.counts.get("/token/revocation")).toBe(revoked + 2);
  expect(await signIns(colleague)).toEqual([]);
});

it("sign-in to a tool server ends with the erasure of the user's data, which revokes the tokens", async () => {
  const colleague = await createColleague(admin);
  await signIn(colleague, "bob");
  const revoked = issuer.counts.get("/token/revocation") ?? 0;
  const { status } = await admin.post("/v1/data-deletions", { user_id: colleague.identity.user });
  expect(status).toBeLessThan(300);
  await expect.poll(() => issuer.counts.get("/token/revocation")).toBe(revoked + 1);
  expect((await signIns(colleague))[0].signed_in).toBe(false);
});

it("tool server with a sign-in rejects a new address without a new authentication setting", async () => {
  await signIn(admin, "ada");
  const { status } = await admin.patch(`/v1/tools/servers/${serverId}`, { url: `${mcp.url}/other` });
  expect(status).toBe(400);
});

it("client metadata document for sign-ins to tool servers names the id and the redirect address of the client", async () => {
  const { body } = await admin.get("/v1/tools/oauth-client");
  expect(body).toMatchObject({
    client_id: `${admin.baseUrl}/v1/tools/oauth-client`,
    redirect_uris: [`${admin.baseUrl}/console/tool-sign-in`],
    token_endpoint_auth_method: "none",
  });
});

describe("sign-in to a tool server that an attacker completes", () => {
  const attacks: readonly (readonly [string, (own: Parameters) => Promise<[Client, Parameters]>])[] = [
    ["with a state of their own", async (own) => [admin, { ...own, state: "x".repeat(32) }]],
    ["as another user of the tenant", async (own) => [await createColleague(admin, "admin"), own]],
    ["as a user of another tenant", async (own) => [new Client(newIdentity()), own]],
    ["with another issuer", async (own) => [admin, { ...own, iss: "http://127.0.0.1:1" }]],
    ["with the issuer in another form", async (own) => [admin, { ...own, iss: `${own.iss}/` }]],
    ["without an issuer", async ({ iss: _, ...own }) => [admin, own]],
    ["without a code", async ({ code: _, ...own }) => [admin, own]],
    ["with an error", async (own) => [admin, { ...own, error: "access_denied" }]],
    ["with an empty code", async (own) => [admin, { ...own, code: "" }]],
    ["with a guessed code", async (own) => [admin, { ...own, code: "guessed" }]],
    [
      "with the code of an attacker, who has another verifier",
      async (own) => [admin, { ...own, code: (await issuer.signIn(await start(admin), "eve")).code ?? "" }],
    ],
    [
      "with the code of another client",
      async (own) => {
        const url = new URL(await start(admin));
        url.searchParams.set("client_id", "other");
        url.searchParams.set("redirect_uri", "https://other.example/");
        return [admin, { ...own, code: (await issuer.signIn(url.href, "eve")).code ?? "" }];
      },
    ],
    [
      "with a code for another server",
      async (own) => {
        const url = new URL(await start(admin));
        url.searchParams.set("resource", "https://other.example/mcp");
        return [admin, { ...own, code: (await issuer.signIn(url.href, "eve")).code ?? "" }];
      },
    ],
    ["with unknown parameters", async (own) => [admin, { ...own, redirect_uri: "https://evil.example" }]],
  ];

  it.each(attacks)("sign-in to a tool server that an attacker completes stores no token %s", async (_, attack) => {
    const own = await issuer.signIn(await start(admin), "ada");
    const [client, parameters] = await attack(own);
    const { status } = await complete(client, parameters);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await signIns(admin)).map((entry: Parameters) => entry.signed_in)).toEqual([false]);
    expect((await check(admin)).status).toBe(424);
  });

  it("sign-in to a tool server that an attacker completes stores no second token for a used code or a used state", async () => {
    const own = await issuer.signIn(await start(admin), "ada");
    expect((await complete(admin, own)).status).toBe(200);
    const next = await issuer.signIn(await start(admin), "eve");
    await admin.delete(`/v1/tools/servers/${serverId}/sign-in`);
    const replays = [own, { ...own, code: next.code ?? "" }, { ...next, code: own.code ?? "" }];
    for (const replay of replays) expect((await complete(admin, replay)).status).toBeGreaterThanOrEqual(400);
    expect((await signIns(admin))[0].signed_in).toBe(false);
  });

  it("sign-in to a tool server cannot be completed with an API key, or after the server's authentication setting was changed", async () => {
    const own = await issuer.signIn(await start(admin), "ada");
    const key = await createKeyClient(admin, { scopes: ["tools.write"] });
    expect((await key.post("/v1/tools/sign-ins", own)).status).toBe(403);
    await admin.patch(`/v1/tools/servers/${serverId}`, { auth: { type: "oauth_user" } });
    expect((await complete(admin, own)).status).toBe(409);
  });

  it("sign-in to a tool server is refused with 400 when the parameters name another issuer", async () => {
    const own = await issuer.signIn(await start(admin), "ada");
    const { status, body } = await complete(admin, { ...own, iss: "https://evil.example" });
    expect([status, body.errors[0].path]).toEqual([400, "iss"]);
    expect((await signIns(admin))[0].signed_in).toBe(false);
  });
});

describe("sign-in to a hostile tool server", () => {
  let evil: Server;
  let address: string;
  let documents: Record<string, unknown>;
  let requests: string[];

  beforeAll(async () => {
    evil = createServer((request, response) => {
      const path = (request.url ?? "").split("?")[0] as string;
      requests.push(path);
      const body = documents[path];
      if (typeof body === "string" && body.startsWith("http")) return response.writeHead(302, { location: body }).end();
      if (body === undefined) return response.writeHead(404).end();
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return response.writeHead(path === "/register" ? 201 : 200, { "content-type": "application/json" }).end(text);
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    evil.closeAllConnections();
    evil.close();
  });
  beforeEach(() => {
    requests = [];
    documents = { "/.well-known/oauth-authorization-server": metadata() };
  });

  const metadata = (extra: object = {}) => ({
    issuer: address,
    authorization_endpoint: `${address}/authorize`,
    token_endpoint: `${address}/steal`,
    registration_endpoint: `${address}/register`,
    code_challenge_methods_supported: ["S256"],
    response_types_supported: ["code"],
    ...extra,
  });
  const name = (extra: object) => {
    mcp.metadata = () => ({ resource: mcp.url, authorization_servers: [address], ...extra });
  };
  const own = (extra: object) => {
    name({});
    documents["/.well-known/oauth-authorization-server"] = metadata(extra);
  };
  const useEvil = (extra: object) => {
    own(extra);
    documents["/register"] = { client_id: "evil" };
  };

  const setups: readonly (readonly [string, () => void])[] = [
    ["whose metadata describes a server of another site", () => name({ resource: "https://victim.example/mcp" })],
    ["whose metadata describes another path", () => name({ resource: `${mcp.url}/admin` })],
    ["whose metadata has no resource", () => name({ resource: undefined })],
    ["that names no authorization server", () => name({ authorization_servers: [] })],
    ["that names a private address", () => name({ authorization_servers: ["http://10.1.2.3"] })],
    ["that names a metadata service", () => name({ authorization_servers: ["http://169.254.169.254/latest"] })],
    ["that names a file", () => name({ authorization_servers: ["file:///etc/passwd"] })],
    ["whose issuer claims to be another one", () => own({ issuer: issuer.issuer })],
    ["without PKCE", () => own({ code_challenge_methods_supported: ["plain"] })],
    ["with a script as authorization endpoint", () => own({ authorization_endpoint: "javascript:alert(1)" })],
    ["with an endpoint of a public site without TLS", () => useEvil({ authorization_endpoint: "http://a.example/" })],
    ["without a token endpoint", () => useEvil({ token_endpoint: undefined })],
    [
      "whose metadata is a redirect",
      () => {
        name({});
        documents = { "/.well-known/oauth-authorization-server": "http://169.254.169.254/" };
      },
    ],
    [
      "whose metadata has 10 MB",
      () => {
        name({});
        documents = { "/.well-known/oauth-authorization-server": " ".repeat(10 * 1_048_576) };
      },
    ],
    ["that registers no client", () => own({ registration_endpoint: undefined })],
    ["that registers clients at a private address", () => own({ registration_endpoint: "http://10.1.2.3/" })],
  ];

  it.each(setups)(
    "hostile tool server is refused with an error when an administrator adds a server %s",
    async (_, setup) => {
      setup();
      const { status, body } = await add(admin, { name: "Evil" });
      expect([status, body.code]).toEqual([424, "tool_server_failed"]);
    },
  );

  it("sign-in to a hostile tool server sends no code to a server that redirected the user to another authorization server", async () => {
    useEvil({
      authorization_endpoint: `${issuer.issuer}/auth`,
      authorization_response_iss_parameter_supported: true,
    });
    const { status: added, body } = await add(admin, { name: "Evil" });
    expect(added).toBe(201);
    const state = new URL(await start(admin, body.id)).searchParams.get("state") ?? "";
    const { status } = await complete(admin, { state, code: "of the honest server", iss: issuer.issuer });
    expect(status).toBe(400);
    expect(requests).not.toContain("/steal");
  });

  it.each([
    ["of another type", { access_token: "x", token_type: "mac" }],
    ["with a line break", { access_token: "x\r\nx-admin: 1", token_type: "bearer" }],
    ["that is empty", { access_token: "", token_type: "bearer" }],
  ])("sign-in to a hostile tool server stores no token %s", async (_, token) => {
    useEvil({});
    const { status: added, body } = await add(admin, { name: "Evil" });
    expect(added).toBe(201);
    documents["/steal"] = token;
    const state = new URL(await start(admin, body.id)).searchParams.get("state") ?? "";
    expect((await complete(admin, { state, code: "x" })).body).toMatchObject({ code: "tool_server_failed" });
    expect(requests).toContain("/steal");
    expect((await signIns(admin)).every((entry: { signed_in: boolean }) => !entry.signed_in)).toBe(true);
  });
});
