import type { Capability } from "../../api/capabilities.ts";
import type { Approval } from "../../api/governance/approvals.ts";
import { authorizeConversation } from "../../conversations/authorize-conversation.ts";
import { getConversation } from "../../conversations/conversation-store.ts";
import { newGrant, temporaryGrantWrites } from "../../conversations/sharing/grant-store.ts";
import { newShareLink, newShareLinkWrites } from "../../conversations/sharing/share-link-store.ts";
import { keys } from "../../dynamodb/keys.ts";
import { equals, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { userExists } from "../../tenancy/user-store.ts";
import { newDeletion, newDeletionWrite } from "../deletion-store.ts";
import { newExport, newExportWrite } from "../exports/export-store.ts";
import { prepareArchive } from "../exports/start-archive.ts";
import { assertExportAllowed } from "../policy-rules.ts";
import { getCurrentPolicy } from "../policy-store.ts";
import { type ApprovableOperation, type ApprovableParams, isApprovableOperation } from "./approvable-actions.ts";
import { getApproval, type StoredApproval } from "./approval-store.ts";

/** Writes that execute an action, and the result to store in the approval. */
interface Execution {
  readonly writes: readonly Write[];
  readonly result: NonNullable<Approval["result"]>;
}

/**
 * Checks that the requester may perform the action once it is approved.
 * @throws ServiceError
 */
type Authorize<Params> = (member: UserScope, params: Params, permissions: ReadonlySet<Capability>) => Promise<unknown>;

/**
 * Returns the writes that execute the action. Checks the requester's access again, because it may have changed since
 * the request.
 */
type Prepare<Params> = (requester: UserScope, params: Params, approval: StoredApproval) => Promise<Execution>;

/**
 * Authorization of requests, by action. It is separate from the execution, so that the function that accepts requests
 * needs no access to the items that an execution writes.
 */
const authorizations: { readonly [Operation in ApprovableOperation]: Authorize<ApprovableParams<Operation>> } = {
  createShareLink: (member, { conversation_id }) => authorizeConversation(member, conversation_id, "owner"),
  async exportConversation(member, { conversation_id, format }) {
    assertExportAllowed(await getCurrentPolicy(member), format);
    await authorizeConversation(member, conversation_id, "READ");
  },
  createExport: async (member) => assertExportAllowed(await getCurrentPolicy(member)),
  async readConversation(member, { conversation_id }, permissions) {
    if (!permissions.has("rbac.manage")) throw new ServiceError("forbidden");
    await getConversation(member, conversation_id);
  },
  async eraseUser(member, { user_id }, permissions) {
    if (!permissions.has("rbac.manage")) throw new ServiceError("forbidden");
    if (!(await userExists(member, user_id))) throw notFound();
  },
};

const executions: { readonly [Operation in ApprovableOperation]: Prepare<ApprovableParams<Operation>> } = {
  async createShareLink(requester, { conversation_id, expires_in }, { link: identity }) {
    const conversation = await authorizeConversation(requester, conversation_id, "owner");
    if (!identity) throw new Error("The approval of a share link has no link identity");
    const link = newShareLink(conversation, expires_in, identity);
    const { link_id, expires_at } = link;
    return { writes: newShareLinkWrites(requester, link), result: { link_id, expires_in, expires_at } };
  },
  async exportConversation(requester, { conversation_id, format }) {
    assertExportAllowed(await getCurrentPolicy(requester), format);
    await authorizeConversation(requester, conversation_id, "READ");
    const exportJob = newExport(requester.userId, { kind: "conversation", conversation_id, format });
    return { writes: [newExportWrite(requester, exportJob)], result: { export_id: exportJob.id } };
  },
  async createExport(requester) {
    assertExportAllowed(await getCurrentPolicy(requester));
    const { archive, writes } = await prepareArchive(requester);
    return { writes, result: { export_id: archive.id } };
  },
  async readConversation(requester, { conversation_id, hours }, { decided_by }) {
    const conversation = await getConversation(requester, conversation_id);
    const expiresAtMs = now() + hours * 3_600_000;
    const grant = newGrant(
      conversation,
      { user_id: requester.userId, permission: "READ" },
      decided_by ?? requester.userId,
    );
    return {
      writes: await temporaryGrantWrites(requester, grant, expiresAtMs),
      result: { conversation_id, permission: "READ", expires_at: timestamp(expiresAtMs) },
    };
  },
  async eraseUser(requester, { user_id }) {
    const deletion = newDeletion(user_id, requester.userId);
    return { writes: [newDeletionWrite(requester, deletion)], result: { deletion_id: deletion.id } };
  },
};

/** Parameters of an action, which `validateParams` has validated before they were stored. */
type StoredParams = Record<string, unknown>;

/**
 * Requires that the requester may perform an action once it is approved.
 * @throws ServiceError with the error that the action itself would cause
 */
export async function authorizeApprovalRequest(
  member: UserScope,
  { operation, params }: Approval["action"],
  permissions: ReadonlySet<Capability>,
): Promise<void> {
  if (!isApprovableOperation(operation)) return;
  await (authorizations[operation] as Authorize<StoredParams>)(member, params, permissions);
}

class AlreadyExecuted extends Error {}

const resultWrite = (scope: TenantScope, { id }: StoredApproval, result: Approval["result"]): Write => ({
  update: keys.approval(scope.tenantId, id),
  set: { result, timestamp: now() },
  condition: equals({ status: "approved", result: null }, () => new AlreadyExecuted()),
});

/**
 * Executes an approved action exactly once, even if called repeatedly or concurrently, because its writes and its
 * result are one transaction. If the action is no longer possible, for example because the conversation was deleted,
 * the error is recorded as the result.
 */
export async function executeApprovedAction(scope: TenantScope, id: string): Promise<void> {
  const approval = await getApproval(scope, id);
  const { status, result, action, requested_by } = approval;
  if (status !== "approved" || result !== null || !isApprovableOperation(action.operation)) return;
  const requester = { tenantId: scope.tenantId, userId: requested_by };
  try {
    const prepare = executions[action.operation] as Prepare<StoredParams>;
    const execution = await prepare(requester, action.params, approval);
    await tenantTable(scope).transact([
      resultWrite(scope, approval, { status: "done", ...execution.result }),
      ...execution.writes,
    ]);
  } catch (error) {
    if (error instanceof AlreadyExecuted) return;
    if (!(error instanceof ServiceError)) throw error;
    log.info("approved action failed", { approval_id: id, code: error.code });
    await recordFailure(scope, approval, error);
  }
}

async function recordFailure(
  scope: TenantScope,
  approval: StoredApproval,
  { code, message }: ServiceError,
): Promise<void> {
  try {
    await tenantTable(scope).write(resultWrite(scope, approval, { status: "failed", code, message }));
  } catch (error) {
    if (!(error instanceof AlreadyExecuted)) throw error;
  }
}
