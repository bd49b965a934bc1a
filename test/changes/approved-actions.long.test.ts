import { afterAll, beforeAll, expect, it } from "vitest";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { findGrant } from "#shared/conversations/sharing/grant-store.ts";
import { listShareLinks } from "#shared/conversations/sharing/share-link-store.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { listApprovals } from "#shared/governance/approvals/approval-list.ts";
import {
  type ApprovalRequest,
  claimSecretOnce,
  getApproval,
  newApproval,
  newApprovalWrites,
  type StoredApproval,
  transitionWrite,
} from "#shared/governance/approvals/approval-store.ts";
import { applyCancellation, applyDecision } from "#shared/governance/approvals/approval-transitions.ts";
import { executeApprovedAction } from "#shared/governance/approvals/execute-approved-action.ts";
import type { Commit } from "#shared/http/idempotency/idempotency.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const trials = sized({ usual: 6, full: 15, soak: 1_000 });

const random = seededRandom(11);
const pick = (below: number) => Math.floor(random() * below);
const scope = { tenantId: "office" };
const commit: Commit = async (result, ...writes) => {
  await tenantTable(scope).transact(writes);
  return result;
};

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

async function createConversation(): Promise<string> {
  const fresh = newConversation("requester", { title: "T", tier: "QUICK", folder_id: null, persona_id: null });
  await tenantTable(scope).transact(newConversationWrites(scope, fresh));
  return fresh.id;
}

async function createApproval(request: Omit<ApprovalRequest, "risk_level">, fields: Partial<StoredApproval> = {}) {
  const approval: StoredApproval = { ...newApproval("requester", { ...request, risk_level: "low" }), ...fields };
  await tenantTable(scope).transact(newApprovalWrites(scope, approval));
  return approval;
}

const approve = (approval: StoredApproval, by = "admin") =>
  transition(
    commit,
    approval,
    (from) => applyDecision(from, { decision: "approve", note: null, by, at: timestamp() }),
    (next, overtaken) => transitionWrite(scope, next, overtaken),
  );

/** Runs work that may crash at its first, second or third write. */
const runWithPossibleCrash = (work: () => Promise<unknown>) =>
  table.failAfter(pick(3), work).then(
    () => {},
    () => {},
  );

it(`executeApprovedAction executes an approved action exactly once in each of ${trials} trials with crashes`, async () => {
  let crashes = 0;
  for (let trial = 0; trial < trials; trial++) {
    const id = await createConversation();
    const isLink = trial % 2 === 0;
    const approval = isLink
      ? await createApproval(
          {
            type: "share",
            action: { operation: "createShareLink", params: { conversation_id: id, expires_in: "1h" } },
          },
          { link: { link_id: `link-${trial}`, hash: `hash-${trial}` } },
        )
      : await createApproval(
          { type: "export", action: { operation: "createExport", params: {} } },
          // Each trial has another requester, because a user can have only one pending archive.
          { requested_by: `requester-${trial}` },
        );
    for (let attempt = 0; attempt < 3; attempt++) await runWithPossibleCrash(() => approve(approval));
    await approve(approval);
    for (let attempt = 0; attempt < 3; attempt++) {
      await runWithPossibleCrash(() => executeApprovedAction(scope, approval.id));
      if ((await getApproval(scope, approval.id)).result === null) crashes++;
    }
    await Promise.all(Array.from({ length: 1 + pick(4) }, () => executeApprovedAction(scope, approval.id)));
    await executeApprovedAction(scope, approval.id);
    const { result } = await getApproval(scope, approval.id);
    expect(result).toMatchObject({ status: "done" });
    if (isLink) expect((await listShareLinks(scope, id, { limit: 10 })).entries.length).toBe(1);
  }
  const exports = (await table.scan()).filter(({ discriminator }) => discriminator === "export");
  expect(exports.length).toBe(Math.floor(trials / 2));
  expect(crashes).toBeGreaterThan(0);
});

it("executeApprovedAction executes an action only after its approval", async () => {
  const id = await createConversation();
  const action = { operation: "readConversation", params: { conversation_id: id, hours: 1 } };
  const approval = await createApproval({ type: "data_access", action });
  await executeApprovedAction(scope, approval.id);
  expect((await getApproval(scope, approval.id)).result).toBe(null);
  await approve(approval);
  await executeApprovedAction(scope, approval.id);
  const temporaryGrant = (await findGrant(scope, id, "requester")) as unknown as { ttl: number; granted_by: string };
  expect(temporaryGrant.granted_by).toBe("admin");
  expect(Math.abs(temporaryGrant.ttl - Date.now() / 1_000 - 3_600)).toBeLessThan(60);
});

it('transition() stores either "approve" or "deny" when both are decided concurrently, and reports a conflict to the other', async () => {
  const approval = await createApproval({ type: "tool_execution", action: { operation: "x", params: {} } });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, async (_, n) => {
      const decision = n % 2 === 0 ? ("approve" as const) : ("deny" as const);
      const decide = (from: StoredApproval) =>
        applyDecision(from, { decision, note: null, by: `u-${n}`, at: timestamp() });
      const after = await transition(commit, approval, decide, (next, overtaken) =>
        transitionWrite(scope, next, overtaken),
      );
      return { decision, after };
    }),
  );
  const finalApproval = await getApproval(scope, approval.id);
  const fulfilled = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const errorCodes = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
  expect(fulfilled.length).toBe(25);
  for (const { decision, after } of fulfilled) {
    expect([decision, after.decided_by]).toEqual([finalApproval.decision, finalApproval.decided_by]);
  }
  expect(new Set(errorCodes)).toEqual(new Set(["conflict"]));
});

it("claimSecretOnce() returns the secret to exactly one of ten concurrent callers", async () => {
  const { id } = await createApproval({ type: "share", action: { operation: "x", params: {} } });
  const secrets = await Promise.all(Array.from({ length: 10 }, () => claimSecretOnce(scope, id)));
  expect(secrets.filter(Boolean).length).toBe(1);
});

const action = { operation: "anything", params: {} };

it("expired approval is listed as expired and cannot be approved or cancelled", async () => {
  const approval = await createApproval({ type: "tool_execution", action }, { expires_at: timestamp(Date.now() - 1) });
  await expect(approve(approval)).rejects.toMatchObject({ code: "conflict", message: /expired/ });
  expect(() => applyCancellation(approval, { by: "requester", at: timestamp() })).toThrow(/expired/);
  const listByStatus = async (status: "pending" | "expired") =>
    (await listApprovals(scope, { status }, { limit: 100 })).entries.map(({ id, status }) => [id, status]);
  expect(await listByStatus("expired")).toContainEqual([approval.id, "expired"]);
  expect((await listByStatus("pending")).map(([id]) => id)).not.toContain(approval.id);
});

it("expired approval cannot be decided even by a caller who read it before it expired", async () => {
  const approval = await createApproval({ type: "tool_execution", action }, { expires_at: timestamp(Date.now() - 1) });
  const decision = { decision: "approve", note: null, by: "admin", at: timestamp(Date.now() - 1_000) } as const;
  const lateTransition = transition(
    commit,
    approval,
    (from) => applyDecision(from, decision),
    (next, overtaken) => transitionWrite(scope, next, overtaken),
  );
  await expect(lateTransition).rejects.toMatchObject({ code: "conflict" });
  expect((await getApproval(scope, approval.id)).status).toBe("pending");
});
