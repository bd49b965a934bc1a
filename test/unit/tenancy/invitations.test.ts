import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import {
  createInvitation,
  findAcceptable,
  listInvitations,
  markAccepted,
} from "#shared/tenancy/members/invitation-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
const scope = { tenantId: "harbor", userId: "ann" };
const properties = { note: "", group_ids: [], is_administrator: true, created_by: null };
const inHours = (hours: number) => vi.setSystemTime(Date.now() + hours * 3_600_000);

beforeAll(async () => {
  table = await startMeteredTable();
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(() => table?.stop());

it("invitation expires after its days, and its token is not in the table", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { token, invitation } = await createInvitation(scope, { ...properties, expires_in_days: 2 });
  expect(JSON.stringify(await table.scan())).not.toContain(token.slice(-43));
  inHours(47);
  expect(await findAcceptable(scope, token)).toMatchObject({ id: invitation.id, status: "pending" });
  inHours(2);
  await expect(findAcceptable(scope, token)).rejects.toMatchObject({ code: "not_found" });
  expect((await listInvitations(scope)).map(({ status }) => status)).toEqual(["expired"]);
});

it("invitation that was accepted can be accepted again within minutes, by the same user only", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { token, invitation } = await createInvitation(scope, { ...properties, expires_in_days: 2 });
  await markAccepted(scope, invitation);
  expect(await findAcceptable(scope, token)).toMatchObject({ status: "accepted" });
  const other = { ...scope, userId: "bob" };
  await expect(findAcceptable(other, token)).rejects.toMatchObject({ code: "not_found" });
  await expect(markAccepted(other, invitation)).rejects.toMatchObject({ code: "not_found" });
  inHours(1);
  await expect(findAcceptable(scope, token)).rejects.toMatchObject({ code: "not_found" });
});

it("tenant has at most 100 invitations", async () => {
  const other = { ...scope, tenantId: "forest" };
  const invite = () => createInvitation(other, { ...properties, expires_in_days: 1 });
  await Promise.all(Array.from({ length: 100 }, invite));
  await expect(invite()).rejects.toMatchObject({ code: "conflict" });
});
