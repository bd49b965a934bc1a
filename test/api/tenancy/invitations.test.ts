import { beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { Operator } from "#test/support/tenancy/deployment-key.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

const path = "/v1/tenant/invitations";
const tokenOf = ({ body }: { body: { url: string } }) => body.url.split("#invitation=")[1] ?? "";
const accept = (client: Client, token: string) => client.post("/v1/invitations/accept", { token });
const newMember = (admin: Client, user: string) => new Client({ tenant: admin.identity.tenant, user, roles: "member" });

let admin: Client;
let group: { id: string; name: string };
beforeAll(async () => {
  admin = new Client();
  group = (await admin.post("/v1/groups", { name: "Support", roles: ["viewer"] })).body;
});

it("invitation of a tenant makes the person who accepts it a member of its groups, and then no other person", async () => {
  const created = await admin.post(path, { note: "ann@example.com", group_ids: [group.id] });
  expect([created.status, created.body]).toMatchObject([
    201,
    { status: "pending", note: "ann@example.com", accepted_by: null },
  ]);
  expect(created.body.url).toMatch(/\/console#invitation=swi_[\w-]{80}$/);
  const listed = await admin.get(path);
  expect(listed.body.invitations).toMatchObject([{ id: created.body.id, created_by: admin.identity.user }]);
  expect(listed.text).not.toContain("swi_");

  const [ann, bob] = [newMember(admin, "ann"), newMember(admin, "bob")];
  expect((await accept(ann, tokenOf(created))).body).toEqual({ groups: [{ id: group.id, name: "Support" }] });
  expect((await ann.get("/v1/rbac/me")).body).toMatchObject({
    roles: ["member", "viewer"],
    groups: [{ id: group.id }],
  });
  expect((await accept(ann, tokenOf(created))).status).toBe(200);
  expect((await accept(bob, tokenOf(created))).status).toBe(404);
  expect((await admin.get(path)).body.invitations).toMatchObject([{ status: "accepted", accepted_by: "ann" }]);
  expect((await bob.get("/v1/rbac/me")).body.groups).toEqual([]);
});

it("invitation of a tenant is accepted by one of many people who try at the same time", async () => {
  const { body } = await admin.post("/v1/groups", { name: "Race" });
  const token = tokenOf(await admin.post(path, { group_ids: [body.id] }));
  const people = Array.from({ length: 6 }, (_, index) => newMember(admin, `racer-${index}`));
  await Promise.all(people.map((person) => person.get("/v1/me")));
  const statuses = await Promise.all(people.map(async (person) => (await accept(person, token)).status));
  expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
  const { body: after } = await admin.get("/v1/groups");
  expect(after.groups.find(({ id }: { id: string }) => id === body.id).member_ids).toHaveLength(1);
});

it("invitation of a tenant is refused with 404 in another tenant, with a changed token and after its revocation", async () => {
  const created = await admin.post(path, { group_ids: [group.id] });
  const token = tokenOf(created);
  const member = newMember(admin, "cleo");
  expect((await accept(new Client(newIdentity("member")), token)).status).toBe(404);
  for (const wrong of [
    "",
    "swi_",
    `${token}x`,
    token.replace(/.$/, (end) => (end === "A" ? "B" : "A")),
    `swi_${created.body.id}_`,
  ]) {
    expect([wrong, (await accept(member, wrong)).status]).toEqual([wrong, 404]);
  }
  expect((await admin.delete(`${path}/${created.body.id}`)).status).toBe(204);
  expect((await admin.delete(`${path}/${created.body.id}`)).status).toBe(404);
  expect((await accept(member, token)).status).toBe(404);
});

it("invitation of a tenant grants only what its creator may grant, both when it is created and when it is accepted", async () => {
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const keeper = await createColleague(admin, "keeper");
  const { body: owners } = await admin.post("/v1/groups", { name: "Owners", roles: ["admin"] });
  const { body: empty } = await admin.post("/v1/groups", { name: "Empty" });
  expect((await keeper.post(path, { group_ids: [owners.id] })).status).toBe(403);
  expect((await keeper.post(path, { group_ids: ["unknown"] })).status).toBe(404);
  const [first, second] = [
    await keeper.post(path, { group_ids: [empty.id] }),
    await keeper.post(path, { group_ids: [empty.id] }),
  ];
  await admin.patch(`/v1/groups/${empty.id}`, { roles: ["admin"] });
  expect((await accept(newMember(admin, "dan"), tokenOf(first))).status).toBe(403);
  await admin.patch(`/v1/groups/${empty.id}`, { roles: [] });
  await admin.patch(`/v1/tenant/users/${keeper.identity.user}`, { is_active: false });
  expect((await accept(newMember(admin, "dan"), tokenOf(second))).status).toBe(403);
  await admin.patch(`/v1/tenant/users/${keeper.identity.user}`, { is_active: true });
  expect((await accept(newMember(admin, "dan"), tokenOf(second))).status).toBe(200);
});

it("invitation of a tenant can be created with an API key, but accepted only by a person", async () => {
  const key = await createKeyClient(admin, { preset: "administrator" });
  const created = await key.post(path, { group_ids: [group.id] });
  expect(created.body.created_by).toBe(admin.identity.user);
  expect((await accept(key, tokenOf(created))).status).toBe(403);
  expect((await accept(newMember(admin, "eve"), tokenOf(created))).status).toBe(200);
  expect((await newMember(admin, "eve").post(path, {})).status).toBe(403);
});

it("invitation of the operator makes a person the first administrator of a new tenant", async () => {
  const operator = new Operator();
  const tenant = newIdentity().tenant;
  const adminPath = `/v1/admin/tenants/${tenant}/invitations`;
  expect((await operator.post(adminPath, {})).status).toBe(404);
  await operator.post("/v1/admin/tenants", { id: tenant });
  const created = await operator.post(adminPath, { note: "Ann", expires_in_days: 1 });
  expect([created.status, created.body]).toMatchObject([201, { is_administrator: true, created_by: null }]);
  const ann = new Client({ tenant, user: "ann", roles: "member" });
  expect((await ann.get("/v1/tenant/users")).status).toBe(403);
  expect((await accept(ann, tokenOf(created))).body.groups).toMatchObject([{ name: "Administrators" }]);
  expect((await ann.get("/v1/tenant/users")).status).toBe(200);
  const next = await operator.post(adminPath, {});
  const bob = new Client({ tenant, user: "bob", roles: "member" });
  expect((await accept(bob, tokenOf(next))).status).toBe(200);
  expect((await ann.get("/v1/groups")).body.groups).toMatchObject([
    { name: "Administrators", roles: ["admin"], member_ids: ["ann", "bob"] },
  ]);
  expect((await ann.post(adminPath, {})).status).toBe(401);
});
