import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";

const users = "/scim/v2/Users";
const groups = "/scim/v2/Groups";
const mediaType = { "content-type": "application/scim+json; charset=utf-8" };
const find = (path: string, filter: string, query = "") => `${path}?filter=${encodeURIComponent(filter)}${query}`;
const newUser = (name: string, changes: object = {}) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  userName: `${name}@example.com`,
  externalId: `00u${name}`,
  name: { givenName: name, familyName: "Lee" },
  emails: [{ primary: true, value: `${name}@example.com`, type: "work" }],
  active: true,
  ...changes,
});
const patch = (...Operations: object[]) => ({ schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations });

/** Identity provider that is connected to a new tenant. */
async function connect(): Promise<{ admin: Client; provider: KeyClient }> {
  const admin = new Client();
  return { admin, provider: await createKeyClient(admin, { scopes: ["scim"] }) };
}

const ids = ({ body }: ApiResponse): string[] => body.Resources.map(({ id }: { id: string }) => id);

describe("SCIM as Okta uses it", () => {
  let admin: Client;
  let okta: KeyClient;
  beforeAll(async () => {
    ({ admin, provider: okta } = await connect());
  });

  it("SCIM as Okta uses it creates a user that did not exist, and finds, reads and deactivates the user", async () => {
    const byName = find(users, 'userName eq "Ann@example.com"', "&startIndex=1&count=100");
    expect((await okta.get(byName)).body).toMatchObject({ totalResults: 0, itemsPerPage: 0, Resources: [] });
    const created = await okta.post(users, newUser("ann", { locale: "en-US", password: "1mz050nq" }), mediaType);
    expect([created.status, created.headers.get("content-type")]).toEqual([201, "application/scim+json"]);
    expect(created.body).toMatchObject({ ...newUser("ann"), id: "00uann", meta: { resourceType: "User" }, groups: [] });
    expect(created.text).not.toMatch(/1mz050nq|locale/);
    expect(created.headers.get("location")).toBe(`${okta.baseUrl}${users}/00uann`);
    expect(created.body.meta.location).toBe(created.headers.get("location"));
    expect(ids(await okta.get(byName))).toEqual(["00uann"]);
    expect((await okta.get(`${users}/00uann`)).body).toEqual(created.body);

    const duplicate = await okta.post(users, newUser("ann", { userName: "ANN@example.com", externalId: "x" }));
    expect([duplicate.status, duplicate.body]).toMatchObject([409, { status: "409", scimType: "uniqueness" }]);

    const renamed = newUser("ann", { userName: "ann.kim@example.com", name: { givenName: "Ann", familyName: "Kim" } });
    expect((await okta.put(`${users}/00uann`, renamed)).body).toMatchObject({ ...renamed, id: "00uann" });
    expect(ids(await okta.get(byName))).toEqual([]);
    const shown = await admin.get("/v1/tenant/users/00uann");
    expect(shown.body).toMatchObject({
      name: "Ann Kim",
      email: "ann@example.com",
      is_active: true,
      last_seen_at: null,
    });

    const deactivated = await okta.patch(`${users}/00uann`, patch({ op: "replace", value: { active: false } }));
    expect([deactivated.status, deactivated.body.active]).toEqual([200, false]);
    const user = new Client({ tenant: admin.identity.tenant, user: "00uann", roles: "member" });
    expect((await user.get("/v1/me")).status).toBe(403);
    await okta.patch(`${users}/00uann`, patch({ op: "replace", value: { active: true } }));
    expect((await admin.get("/v1/tenant/users/00uann")).body.is_active).toBe(true);
  });

  it("SCIM as Okta uses it creates, changes and deletes a group whose members get its roles", async () => {
    await okta.post(users, newUser("bob"));
    const { body: group } = await okta.post(groups, { displayName: "Publishers", members: [{ value: "00uann" }] });
    await admin.patch(`/v1/groups/${group.id}`, { roles: ["admin"] });
    const byName = find(groups, 'displayName eq "publishers"', "&startIndex=1&count=100");
    expect(ids(await okta.get(byName))).toEqual([group.id]);
    const changes = patch(
      { op: "remove", path: 'members[value eq "00uann"]' },
      { op: "add", path: "members", value: [{ value: "00ubob", display: "bob@example.com" }] },
      { op: "replace", value: { id: group.id, displayName: "Editors" } },
    );
    const changed = await okta.patch(`${groups}/${group.id}`, changes);
    expect(changed.body).toMatchObject({ displayName: "Editors", members: [{ value: "00ubob", type: "User" }] });
    const bob = new Client({ tenant: admin.identity.tenant, user: "00ubob", roles: "member" });
    expect((await bob.get("/v1/rbac/me")).body.roles).toEqual(["member", "admin"]);
    expect((await okta.get(`${users}/00ubob`)).body.groups).toMatchObject([{ value: group.id, display: "Editors" }]);
    expect((await okta.get(byName)).body.totalResults).toBe(0);
    expect((await okta.delete(`${groups}/${group.id}`)).status).toBe(204);
    expect((await okta.delete(`${groups}/${group.id}`)).status).toBe(404);
    expect((await bob.get("/v1/rbac/me")).body.roles).toEqual(["member"]);
  });
});

describe("SCIM as Entra ID uses it", () => {
  let entra: KeyClient;
  let admin: Client;
  beforeAll(async () => {
    ({ admin, provider: entra } = await connect());
  });

  it("SCIM as Entra ID uses it tests the connection, provisions, changes and deletes a user", async () => {
    const test = find(users, `userName eq "${randomUUID()}"`, "&aadOptscim062020");
    expect((await entra.get(test)).body.totalResults).toBe(0);
    const user = newUser("Cleo", {
      schemas: [
        "urn:ietf:params:scim:schemas:core:2.0:User",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
      ],
      userName: "cleo_example.com#EXT#@contoso.example",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
      meta: { resourceType: "User" },
      roles: [],
    });
    const { body: created } = await entra.post(users, user, mediaType);
    expect(ids(await entra.get(find(users, `externalId eq "${user.externalId}"`)))).toEqual([created.id]);
    expect(ids(await entra.get(find(users, `userName eq "${user.userName.toUpperCase()}"`)))).toEqual([created.id]);
    const changes = patch(
      { op: "Replace", path: 'emails[type eq "work"].value', value: "new@example.com" },
      { op: "Add", path: "displayName", value: "Cleo K." },
      { op: "Replace", path: "active", value: "False" },
      { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", value: "x" },
    );
    const changed = await entra.patch(`${users}/${created.id}`, changes, mediaType);
    expect(changed.body).toMatchObject({ active: false, displayName: "Cleo K." });
    expect((await admin.get(`/v1/tenant/users/${created.id}`)).body).toMatchObject({
      name: "Cleo K.",
      email: "new@example.com",
      is_active: false,
    });
    expect((await entra.delete(`${users}/${created.id}`)).status).toBe(204);
    const gone = await entra.get(`${users}/${created.id}`);
    expect([gone.status, gone.body.status, gone.body.schemas[0]]).toEqual([
      404,
      "404",
      "urn:ietf:params:scim:api:messages:2.0:Error",
    ]);
    expect((await entra.delete(`${users}/${created.id}`)).status).toBe(404);
    expect((await admin.get(`/v1/tenant/users/${created.id}`)).body.is_active).toBe(false);
    expect((await entra.post(users, user)).body).toMatchObject({ id: created.id, active: true });
  });

  it("SCIM as Entra ID uses it renames a user, and gives the former name to another one", async () => {
    const { body: user } = await entra.post(users, newUser("ivy"));
    const rename = patch({ op: "Replace", path: "userName", value: "ivy.lane@example.com" });
    expect((await entra.patch(`${users}/${user.id}`, rename)).body.userName).toBe("ivy.lane@example.com");
    const next = await entra.post(users, newUser("ivy", { externalId: "00uivy2" }));
    expect([next.status, ids(await entra.get(find(users, 'userName eq "ivy@example.com"')))]).toEqual([
      201,
      [next.body.id],
    ]);
  });

  it("SCIM as Entra ID uses it changes the members of a group that it has read without members", async () => {
    for (const name of ["dan", "eve"]) await entra.post(users, newUser(name));
    const body = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "Staff", externalId: "g-1" };
    const { body: group } = await entra.post(groups, body, mediaType);
    const path = `${groups}/${group.id}`;
    const members = (...values: string[]) => values.map((value) => ({ value }));
    await entra.patch(path, patch({ op: "Add", path: "members", value: members("00udan", "00ueve") }));
    const query = "&excludedAttributes=members";
    const { body: list } = await entra.get(find(groups, 'displayName eq "Staff"', query));
    expect(list.Resources).toMatchObject([{ id: group.id, externalId: "g-1" }]);
    expect(list.Resources[0].members).toBeUndefined();
    const isMember = async (id: string) =>
      ids(await entra.get(find(groups, `id eq "${group.id}" and members eq "${id}"`))).length === 1;
    expect([await isMember("00udan"), await isMember("00ueve")]).toEqual([true, true]);
    await entra.patch(path, patch({ op: "Remove", path: "members", value: members("00udan") }));
    expect([await isMember("00udan"), await isMember("00ueve")]).toEqual([false, true]);
    await entra.delete(`${users}/00ueve`);
    expect((await entra.get(path)).body.members).toEqual([]);
  });
});

describe("SCIM", () => {
  let admin: Client;
  let provider: KeyClient;
  beforeAll(async () => {
    ({ admin, provider } = await connect());
  });

  it("SCIM takes over a user whom a token created, and later tokens do not change the user's name", async () => {
    const colleague = await createColleague(admin);
    const { user: id, tenant } = colleague.identity;
    expect((await provider.get(find(users, `userName eq "${id}"`))).body.Resources).toMatchObject([
      { id, active: true },
    ]);
    const created = await provider.post(users, newUser("fay", { externalId: id }));
    expect([created.status, created.body.id]).toEqual([201, id]);
    expect((await provider.post(users, newUser("fay", { externalId: id }))).status).toBe(409);
    await new Client({ tenant, user: id, roles: "viewer" }).get("/v1/me");
    expect((await admin.get(`/v1/tenant/users/${id}`)).body).toMatchObject({ name: "fay Lee", roles: ["viewer"] });
  });

  it("SCIM lists users in pages with the total count, and omits services", async () => {
    const { provider: own } = await connect();
    for (const name of ["u1", "u2", "u3"]) await own.post(users, newUser(name));
    const pages = [await own.get(`${users}?startIndex=1&count=3`), await own.get(`${users}?startIndex=4&count=3`)];
    expect(pages.map(({ body }) => [body.totalResults, body.startIndex, body.itemsPerPage])).toEqual([
      [4, 1, 3],
      [4, 4, 1],
    ]);
    expect(pages.flatMap(ids).filter((id) => id.startsWith("00u"))).toEqual(["00uu1", "00uu2", "00uu3"]);
    expect((await own.get(`${users}?count=0`)).body).toMatchObject({ totalResults: 4, Resources: [] });
    expect((await own.get(`${users}?startIndex=-1&count=1`)).body).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
    expect((await own.get(`${users}?attributes=userName&count=1`)).body.Resources[0]).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      id: "00uu1",
      userName: "u1@example.com",
    });
  });

  it("SCIM rejects a change with the ETag of an outdated version", async () => {
    const { headers } = await provider.post(users, newUser("gus"));
    const etag = String(headers.get("etag"));
    expect(etag).toMatch(/^W\/"\d+"$/);
    const change = (title: string, ifMatch: string) =>
      provider.patch(`${users}/00ugus`, patch({ op: "add", path: "title", value: title }), { "if-match": ifMatch });
    const first = await change("VP", etag);
    expect([first.status, first.headers.get("etag") === etag]).toEqual([200, false]);
    expect((await change("CEO", etag)).body).toMatchObject({ status: "412" });
    expect((await provider.delete(`${users}/00ugus`, { "if-match": etag })).status).toBe(412);
    expect((await change("CEO", "*")).body.title).toBe("CEO");
    const { body: group, headers: groupHeaders } = await provider.post(groups, { displayName: "Versions" });
    const stale = { "if-match": String(groupHeaders.get("etag")) };
    await provider.put(`${groups}/${group.id}`, { displayName: "Version" });
    expect((await provider.put(`${groups}/${group.id}`, { displayName: "X" }, stale)).status).toBe(412);
    expect((await provider.delete(`${groups}/${group.id}`, stale)).status).toBe(412);
  });

  it("SCIM keeps every member when concurrent requests add members to a group, and accepts more members than fit into one transaction", async () => {
    const { body: group } = await provider.post(groups, { displayName: "Crowd" });
    const add = (value: string) =>
      provider.patch(`${groups}/${group.id}`, patch({ op: "add", path: "members", value: [{ value }] }));
    const responses = await Promise.all(["p1", "p2", "p3", "p4"].map(add));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const members = Array.from({ length: 200 }, (_, index) => ({ value: `m${index}` }));
    const { body } = await provider.put(`${groups}/${group.id}`, { displayName: "Crowd", members });
    expect(body.members.map(({ value }: { value: string }) => value).toSorted()).toEqual(
      members.map(({ value }) => value).toSorted(),
    );
    expect((await provider.post(groups, { displayName: "crowd" })).body).toMatchObject({ scimType: "uniqueness" });
    expect((await provider.get(`${users}?filter=groups.value%20eq%20%22${group.id}%22`)).body.totalResults).toBe(0);
  });

  // Takes seconds, so that the other request arrives before the last transaction.
  it.runIf(isFullRun)(
    "SCIM creates a group of more members than fit into one transaction exactly as requested, although another request changes it",
    async () => {
      const members = Array.from({ length: 900 }, (_, index) => ({ value: `m${index}` }));
      const addition = patch({ op: "add", path: "members", value: [{ value: "other" }] });
      const findLarge = () => provider.get(find(groups, 'displayName eq "Large"', "&attributes=id"));
      // Starts the functions that find and change groups, so that they answer before the group is complete.
      expect([ids(await findLarge()), (await provider.patch(`${groups}/unknown`, addition)).status]).toEqual([[], 404]);
      const creation = provider.post(groups, { displayName: "Large", members });
      await expect.poll(async () => ids(await findLarge()), { interval: 10 }).toHaveLength(1);
      const [id] = ids(await findLarge());
      expect((await provider.patch(`${groups}/${id}`, addition)).status).toBe(200);
      const { status, body } = await creation;
      expect([status, body.members.map(({ value }: { value: string }) => ({ value }))]).toEqual([201, members]);
    },
  );

  it("SCIM lets an API key grant roles and deactivate users only as far as the key's creator may", async () => {
    await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
    const keeper = await createKeyClient(await createColleague(admin, "keeper"), { scopes: ["scim"] });
    const { body: group } = await admin.post("/v1/groups", { name: "Admins", roles: ["admin"] });
    const add = patch({ op: "add", path: "members", value: [{ value: "someone" }] });
    expect((await keeper.patch(`${groups}/${group.id}`, add)).body).toMatchObject({ status: "403" });
    const path = `${users}/${admin.identity.user}`;
    expect((await keeper.patch(path, patch({ op: "replace", value: { active: false } }))).status).toBe(403);
    expect((await keeper.delete(path)).status).toBe(403);
  });

  it("SCIM rejects API keys without the scope scim and users without rbac.manage", async () => {
    const reader = await createKeyClient(admin, { preset: "read_only" });
    const member = await createColleague(admin);
    expect((await reader.get(users)).body).toMatchObject({
      status: "403",
      detail: expect.stringContaining("scope scim"),
    });
    expect((await member.get(users)).status).toBe(403);
    const unknownKey = new KeyClient(admin, "x", `swk_aaaaaaaa_${"0".repeat(32)}`);
    expect((await unknownKey.get(users)).status).toBe(401);
  });

  it.each([
    ["POST", users, { externalId: "x" }, 400, "invalidValue"],
    ["POST", users, { userName: "with space", externalId: "" }, 400, "invalidValue"],
    ["POST", users, { userName: "x", emails: "x@example.com", active: 1 }, 400, "invalidValue"],
    ["POST", users, { userName: "x".repeat(300) }, 400, "invalidValue"],
    ["POST", groups, { displayName: " " }, 400, "invalidValue"],
    ["POST", groups, { displayName: "Nested", members: [{ value: "g", type: "Group" }] }, 400, "invalidValue"],
    ["GET", `${users}?filter=userName`, undefined, 400, "invalidFilter"],
    ["GET", `${users}?count=ten`, undefined, 400, "invalidValue"],
    ["POST", users, [], 400, "invalidSyntax"],
    ["GET", "/scim/v2/Bulk", undefined, 404, undefined],
    ["POST", "/scim/v2/Bulk", { Operations: [] }, 501, undefined],
    ["POST", "/scim/v2/.search", { filter: "" }, 501, undefined],
    ["POST", `${users}/.search`, { filter: "" }, 501, undefined],
    ["POST", `${groups}/.search`, { filter: "" }, 501, undefined],
    ["POST", "/scim/v2/ServiceProviderConfig", {}, 405, undefined],
    ["PUT", "/scim/v2/Schemas", {}, 405, undefined],
    ["PATCH", "/scim/v2/ResourceTypes", {}, 405, undefined],
    ["DELETE", "/scim/v2/ResourceTypes/User", undefined, 405, undefined],
    ["PUT", users, {}, 404, undefined],
    ["POST", "/scim/v2/Nothing", {}, 404, undefined],
    ["GET", "/scim/v1/Users", undefined, 404, undefined],
    ["GET", `${users}?filter=${encodeURIComponent("active eq Maybe")}`, undefined, 400, "invalidFilter"],
  ])("SCIM answers %s %s %j with %i and the type %s", async (method, path, body, status, scimType) => {
    const response = await provider.request(method, path, body);
    expect([response.status, response.body.status, response.body.scimType]).toEqual([status, String(status), scimType]);
  });

  it("SCIM describes its configuration, schemas and resource types", async () => {
    const config = (await provider.get("/scim/v2/ServiceProviderConfig")).body;
    expect(config).toMatchObject({ patch: { supported: true }, etag: { supported: true }, bulk: { supported: false } });
    const { body: schemas } = await provider.get("/scim/v2/Schemas");
    const { body: types } = await provider.get("/scim/v2/ResourceTypes");
    expect(types.Resources.map(({ schema }: { schema: string }) => schema)).toEqual(
      ids({ body: schemas } as ApiResponse),
    );
    for (const { id, meta } of [...schemas.Resources, ...types.Resources]) {
      expect((await provider.get(new URL(meta.location).pathname)).body.id).toBe(id);
    }
    expect((await provider.get("/scim/v2/Schemas?filter=id%20eq%201")).status).toBe(403);
  });
});
