import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { toIdentity } from "#shared/auth/principal.ts";
import { findStoredUser, forgetProfile, provisionUser } from "#shared/tenancy/members/provisioned-user-store.ts";
import { admitUser } from "#shared/tenancy/user-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };
const value = "é".repeat(255);
const identity = toIdentity(value);
const userId = String(identity?.userId);
const profile = { roles: ["member"], name: "Ada", email: "ada@example.com" };
const signIn = () => admitUser(scope, userId, { profile, externalId: value });

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table?.stop());

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await signIn();
  await forgetProfile(scope, userId);
  // The cached user expires.
  vi.setSystemTime(Date.now() + 60_000);
});
afterEach(() => {
  vi.useRealTimers();
});

it("forgetProfile() removes the value of the identity provider", async () => {
  expect(JSON.stringify(await table.scan())).not.toContain(value);
});

it("admitUser() records the value of the identity provider again when an erased user signs in", async () => {
  expect(await signIn()).toMatchObject({ external_id: value, name: "Ada" });
  expect(await findStoredUser(scope, userId)).toMatchObject({ external_id: value, name: "Ada" });
});

it("provisionUser() records the value of the identity provider again for an erased user", async () => {
  const before = await findStoredUser(scope, userId);
  const provision = { attributes: { userName: "ada" }, isActive: true, name: "Ada", email: null };
  await provisionUser(scope, { userId, externalId: value }, before, provision);
  expect(await findStoredUser(scope, userId)).toMatchObject({ external_id: value });
});
