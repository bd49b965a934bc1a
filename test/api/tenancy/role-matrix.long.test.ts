import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { builtInRoles, type Capability, capabilities } from "#shared/api/capabilities.ts";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { createKeyClient, type KeyClient } from "#test/support/tenancy/key-client.ts";
import { forEachMessenger, type ResourceIds, seedTenant, toRequest } from "#test/support/tenant-resources.ts";

const allCapabilities = Object.keys(capabilities) as Capability[];

/** The deletion of a conversation comes last, because it deletes the feedback and webhooks of the conversation. */
const deletionOrder = ({ id, method }: Route) => (id === "deleteConversation" ? 2 : Number(method === "DELETE"));

/** Operations that require a permission or change what exists, with deletions last, those of inner resources first. */
const operations: readonly Route[] = forEachMessenger(routes)
  .filter(({ auth, streaming, capability }) => auth === "jwt" && !streaming && capability !== "message.read")
  .filter(({ capability, method, path }) => capability || (!["GET", "ANY"].includes(method) && path.includes("{")))
  .sort((a, b) => deletionOrder(a) - deletionOrder(b) || b.path.length - a.path.length);

/** User of the tenant, by the permissions of a role. */
interface Caller {
  readonly role: string;
  readonly permissions: readonly Capability[];
  readonly isOwner?: boolean;
}

const builtIn = Object.entries(builtInRoles).map(([role, { permissions }]): Caller => ({ role, permissions }));
const singles = allCapabilities.map(
  (permission): Caller => ({ role: `only-${permission}`, permissions: [permission] }),
);
const powerless: Caller = { role: "undefined-role", permissions: [] };
const powerlessOwner: Caller = { ...powerless, isOwner: true };

/** Permissions for the caller's own resources. Each other permission applies to the whole tenant. */
const isOwnResourcePermission = (capability: Capability) => /^(?:message|knowledge|persona)\./.test(capability);

/** Operations that add to a collection of another user, if the whole tenant can read it. */
const isContribution = ({ id, capability, path }: Route) =>
  capability === "knowledge.create" &&
  !["promoteMessage", "replaceDocument"].includes(id) &&
  !path.includes("/sync") &&
  path.includes("{");

/** Operations on the caller's own sign-in to a server of the tenant, or own link of an account, which every user has. */
const isOwnSignIn = ({ id }: Route) => ["startToolSignIn", "deleteToolSignIn", "deleteMessengerLink"].includes(id);

/** Operations that name something that the seeded resource does not contain, so that those who may call them get 404. */
const withoutTarget = new Set([
  "callToolServer",
  "cancelTestRun",
  "deleteMessengerLink",
  "getScimMetadata",
  "withdrawPersonaVersion",
]);

/** Operations that the owner cannot call: others decide an approval or end a gate, and the seeded colleague is erased. */
const notForOwner = new Set(["answerApproval", "confirmApproval", "createGrant", "deleteGrant", "deletePersonaGate"]);

function isAllowed(route: Route, { role, permissions, isOwner }: Caller): boolean {
  const { capability, group, path } = route;
  if (capability && !permissions.includes(capability)) return false;
  if (!path.includes("{") || isContribution(route) || isOwnSignIn(route)) return true;
  if (capability && !isOwnResourcePermission(capability)) return true;
  if (route.id === "revokeShareLink" && permissions.includes("rbac.manage")) return true;
  if (isOwner) return !notForOwner.has(route.id);
  if (group === "personas") return role === "admin";
  return group === "knowledge" && route.id !== "promoteMessage" && permissions.includes("rbac.manage");
}

interface Tenant {
  readonly owner: Client;
  readonly ids: ResourceIds;
  /** Key with all scopes that makes the calls on behalf of the callers; without it, they have tokens. */
  readonly backend?: KeyClient;
}

async function createTenant(): Promise<Tenant> {
  const owner = new Client();
  const ids = await seedTenant(owner, "harbor");
  for (const { role, permissions } of singles) await owner.post("/v1/roles", { name: role, permissions });
  return { owner, ids };
}

function call(route: Route, { owner, ids, backend }: Tenant, caller: Caller, headers: Record<string, string> = {}) {
  const { tenant, user } = owner.identity;
  const identity = { tenant, user: caller.isOwner ? user : `u-${caller.role}`, roles: caller.role };
  const client = backend ? backend.onBehalfOf(identity.user) : new Client(identity, owner.baseUrl);
  // An operation without a path parameter creates something: an empty body shows whether the caller may.
  const { path, body } = route.path.includes("{")
    ? toRequest(route, ids)
    : { path: route.path, body: route.body && {} };
  const idempotency = route.idempotency !== "none" && { "idempotency-key": randomUUID() };
  return client.request(route.method, path, body, { ...idempotency, ...headers });
}

const outcome = ({ status }: ApiResponse) => ([401, 403, 404].includes(status) ? status : "allowed");

const listedPaths = ["groups", "roles", "tenant/api-keys", "tenant/embed-keys", "policy", "personas", "webhooks"];
const listAll = ({ owner }: Tenant) =>
  Promise.all(
    listedPaths.map(async (path) => (await owner.get(`/v1/${path}`)).text.replaceAll(/"last_used_at":[^,}]+/g, "")),
  );

describe("permission table", () => {
  it.each([
    ["a token", false],
    ["an API key on its behalf", true],
  ])(
    "service refuses each operation to each role that may not call it by the permission table with %s, and nothing changes",
    async (_, isByKey) => {
      const people = await createTenant();
      const scopes = { preset: "administrator", scopes: ["users.act_as"] };
      const tenant = isByKey ? { ...people, backend: await createKeyClient(people.owner, scopes) } : people;
      const others = [...builtIn, powerless, ...(isByKey && !isFullRun ? singles.slice(-2) : singles)].map(
        (caller): Caller =>
          // People for whom keys act have the role member, and further roles only by groups.
          isByKey
            ? { ...caller, permissions: [...caller.permissions, ...(builtInRoles.member?.permissions ?? [])] }
            : caller,
      );
      for (const { role } of others) {
        const user = `u-${role}`;
        if (!tenant.backend) {
          await new Client({ ...people.owner.identity, user, roles: role }, people.owner.baseUrl).get("/v1/me");
        } else {
          await tenant.backend.onBehalfOf(user).get("/v1/me");
          if (role !== powerless.role)
            await people.owner.post("/v1/groups", { name: role, roles: [role], member_ids: [user] });
        }
      }
      const before = await listAll(tenant);
      const wrong: unknown[] = [];
      // On behalf of the owner, a key has the roles of the owner's token.
      const callers = isByKey ? others : [...others, powerlessOwner];
      for (const route of operations) {
        const refused = callers.filter((caller) => !isAllowed(route, caller));
        await Promise.all(
          refused.map(async (caller, index) => {
            // A condition that does not hold tells a refused caller nothing.
            const { status } = await call(route, tenant, caller, index % 2 ? { "if-match": '"x"' } : {});
            const lacksPermission = route.capability && !caller.permissions.includes(route.capability);
            const expected = lacksPermission || route.keys === "refused" ? [403] : [403, 404];
            if (!expected.includes(status)) wrong.push([route.id, caller.role, status]);
          }),
        );
      }
      expect(wrong).toEqual([]);
      expect(await listAll(tenant)).toEqual(before);
    },
  );

  it.each([
    ["an administrator", builtIn.filter(({ role }) => role === "admin")],
    ["the owner without a role", [powerlessOwner]],
    ["the only role with the permission", singles],
  ])("service allows each operation that the permission table permits to %s", async (_, callers) => {
    const tenant = await createTenant();
    const wrong: unknown[] = [];
    for (const route of operations) {
      for (const caller of callers.filter((each) => isAllowed(route, each))) {
        const result = outcome(await call(route, tenant, caller));
        const isMissing = result === 404 && withoutTarget.has(route.id);
        if (result !== "allowed" && !isMissing) wrong.push([route.id, caller.role, result]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("permission table lets a role grant exactly the permissions that it has, by roles and by groups", async () => {
    const admin = new Client();
    const held: readonly Capability[] = ["rbac.manage", "usage.read"];
    await admin.post("/v1/roles", { name: "keeper", permissions: held });
    await admin.post("/v1/roles", { name: "spare", permissions: [] });
    const { body: group } = await admin.post("/v1/groups", { name: "Spare" });
    const keeper = new Client({ ...admin.identity, user: "keeper", roles: "keeper" }, admin.baseUrl);
    for (const permission of allCapabilities) {
      const role = `holder-${permission}`;
      await admin.post("/v1/roles", { name: role, permissions: [permission] });
      const statuses = [
        await keeper.post("/v1/roles", { name: `new-${permission}`, permissions: [permission] }),
        await keeper.patch("/v1/roles/spare", { permissions: [permission] }),
        await keeper.post("/v1/groups", { name: `Group ${permission}`, roles: [role], member_ids: ["keeper"] }),
        await keeper.patch(`/v1/groups/${group.id}`, { roles: [role] }),
      ].map(({ status }) => status);
      expect([permission, statuses]).toEqual([
        permission,
        held.includes(permission) ? [201, 200, 201, 200] : [403, 403, 403, 403],
      ]);
    }
    expect((await keeper.get("/v1/rbac/me")).body.permissions.toSorted()).toEqual([...held].sort());
  });
});
