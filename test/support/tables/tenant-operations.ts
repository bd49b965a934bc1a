import { randomUUID } from "node:crypto";
import type { Operator } from "../tenancy/deployment-key.ts";
import type { CallTwice } from "./call-twice.ts";

/** Calls each operation of the operator twice, on two tenants. */
export async function callTenantOperations(operator: Operator, twice: CallTwice): Promise<void> {
  const ids = [`t-${randomUUID()}`, `t-${randomUUID()}`] as const;
  const pathOf = (turn: 0 | 1) => `/v1/admin/tenants/${ids[turn]}`;
  await twice("createTenant", (turn) => operator.post("/v1/admin/tenants", { id: ids[turn], name: "Harbor" }));
  await twice("getTenant", (turn) => operator.get(pathOf(turn)));
  await twice("listTenants", () => operator.get("/v1/admin/tenants?limit=1"));
  const correction = { day: "2026-01-31", model: "demo", cost_usd: 1, reason: "New price" };
  await twice("createUsageCorrection", (turn) => operator.post(`${pathOf(turn)}/usage-corrections`, correction));
  await twice("updateTenant", (turn) => operator.patch(pathOf(turn), { limits: { members: 5 } }));
  await twice("getTenantUsage", (turn) => operator.get(`${pathOf(turn)}/usage`));
  await twice("listTenantUsage", () => operator.get("/v1/admin/usage?limit=1"));
  await twice("createTenantInvitation", (turn) => operator.post(`${pathOf(turn)}/invitations`, {}));
  await twice("deleteTenant", (turn) => operator.delete(pathOf(turn)));
}
