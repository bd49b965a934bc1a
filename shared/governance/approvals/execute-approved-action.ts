import type { Capability } from "../../api/capabilities.ts";
import type { Approval } from "../../api/governance/approvals.ts";
import { authorizeConversation } from "../../conversations/authorize-conversation.ts";
import { getConversation } from "../../conversations/conversation-store.ts";
import { lentGrantWrites, newGrant } from "../../conversations/sharing/grant-store.ts";
import { newShareLink, newShareLinkWrites } from "../../conversations/sharing/share-link-store.ts";
import { keys } from "../../dynamodb/keys.ts";
import type { Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { archive, newExport, newExportWrite } from "../exports/export-store.ts";
import { checkExport } from "../policy-rules.ts";
import { policyOf } from "../policy-store.ts";
import { type HeldOperation, type HeldParams, isHeldOperation } from "./approvable-actions.ts";
import { getApproval, type StoredApproval } from "./approval-store.ts";

/** Writes that carry an action out, and what is to be said of it. */
interface Effect {
  readonly writes: readonly Write[];
  readonly result: NonNullable<Approval["result"]>;
}

/** An action that can be held. */
interface HeldAction<Params> {
  /** @throws ServiceError where the person may not do this, approved or not */
  check(member: UserScope, params: Params, permissions: ReadonlySet<Capability>): Promise<unknown>;
  effect(requester: UserScope, params: Params, approval: StoredApproval): Promise<Effect>;
}

const actions: { readonly [Operation in HeldOperation]: HeldAction<HeldParams<Operation>> } = {
  createShareLink: {
    check: (member, { conversation_id }) => authorizeConversation(member, conversation_id, "owner"),
    async effect(requester, { conversation_id, expires_in }, { link: identity }) {
      await authorizeConversation(requester, conversation_id, "owner");
      if (!identity) throw new Error("An approval of a link without the link's identity");
      const link = newShareLink(conversation_id, expires_in, identity);
      const { link_id, expires_at } = link;
      return { writes: newShareLinkWrites(requester, link), result: { link_id, expires_in, expires_at } };
    },
  },
  exportConversation: {
    async check(member, { conversation_id, format }) {
      checkExport(await policyOf(member), format);
      await authorizeConversation(member, conversation_id, "READ");
    },
    async effect(requester, { conversation_id, format }) {
      checkExport(await policyOf(requester), format);
      await authorizeConversation(requester, conversation_id, "READ");
      const fresh = newExport(requester.userId, { kind: "conversation", conversation_id, format });
      return { writes: [newExportWrite(requester, fresh)], result: { export_id: fresh.id } };
    },
  },
  createExport: {
    check: async (member) => checkExport(await policyOf(member)),
    async effect(requester) {
      checkExport(await policyOf(requester));
      const fresh = newExport(requester.userId, archive);
      return { writes: [newExportWrite(requester, fresh)], result: { export_id: fresh.id } };
    },
  },
  readConversation: {
    async check(member, { conversation_id }, permissions) {
      if (!permissions.has("rbac.manage")) throw new ServiceError("forbidden");
      await getConversation(member, conversation_id);
    },
    async effect(requester, { conversation_id, hours }, { decided_by }) {
      const conversation = await getConversation(requester, conversation_id);
      const until = now() + hours * 3_600_000;
      const grant = newGrant(
        conversation,
        { user_id: requester.userId, permission: "READ" },
        decided_by ?? requester.userId,
      );
      return {
        writes: await lentGrantWrites(requester, grant, until),
        result: { conversation_id, permission: "READ", expires_at: timestamp(until) },
      };
    },
  },
};

/** The operation's entry without its parameters' type, which `checkedParams` has seen to. */
const actionOf = (operation: HeldOperation) => actions[operation] as unknown as HeldAction<Record<string, unknown>>;

/**
 * Sees to it that somebody may ask for an action.
 * @throws ServiceError what doing it would be refused with
 */
export async function checkRequest(
  member: UserScope,
  { operation, params }: Approval["action"],
  permissions: ReadonlySet<Capability>,
): Promise<void> {
  if (isHeldOperation(operation)) await actionOf(operation).check(member, params, permissions);
}

/** Somebody has carried the action out already. */
class CarriedOut extends Error {}

const resultWrite = (scope: TenantScope, { id }: StoredApproval, result: Approval["result"]): Write => ({
  update: keys.approval(scope.tenantId, id),
  set: { result, timestamp: now() },
  condition: {
    where: "#status = :approved AND #result = :none",
    values: { approved: "approved", none: null },
    onConditionFailed: () => new CarriedOut(),
  },
});

/**
 * Carries an approved action out, once, however often and by however many this is called: effect and result are one
 * transaction. What cannot be done any more, because the conversation is gone, has that as its result.
 */
export async function carryOut(scope: TenantScope, id: string): Promise<void> {
  const approval = await getApproval(scope, id);
  const { status, result, action, requested_by } = approval;
  if (status !== "approved" || result !== null || !isHeldOperation(action.operation)) return;
  const requester = { tenantId: scope.tenantId, userId: requested_by };
  try {
    const effect = await actionOf(action.operation).effect(requester, action.params, approval);
    await tenantTable(scope).transact([
      resultWrite(scope, approval, { status: "done", ...effect.result }),
      ...effect.writes,
    ]);
  } catch (error) {
    if (error instanceof CarriedOut) return;
    if (!(error instanceof ServiceError)) throw error;
    log.info("approved action could not be carried out", { approval_id: id, code: error.code });
    await noteFailure(scope, approval, error);
  }
}

async function noteFailure(
  scope: TenantScope,
  approval: StoredApproval,
  { code, message }: ServiceError,
): Promise<void> {
  try {
    await tenantTable(scope).write(resultWrite(scope, approval, { status: "failed", code, message }));
  } catch (error) {
    if (!(error instanceof CarriedOut)) throw error;
  }
}
