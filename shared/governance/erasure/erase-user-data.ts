import { toUserActor } from "../../dynamodb/audit-attribution.ts";
import { removeReader } from "../../knowledge/remove-reader.ts";
import { now } from "../../lib/clock.ts";
import { forgetProfile } from "../../tenancy/members/provisioned-user-store.ts";
import { completeDeletion, getDeletion } from "../deletion-store.ts";
import { erasableResources, erasePage } from "./erasure.ts";
import { type DeletionJob, scheduleDeletion } from "./schedule-deletion.ts";

/** Time after which a job stops and enqueues a message that continues it. */
const MAX_JOB_DURATION_MS = 30_000;

/**
 * Erases all data of a user. The audit trail records the requester of the deletion as the actor. A continued job starts
 * from the beginning, because erased resources are no longer listed.
 */
export async function eraseUserData({ tenantId, id }: DeletionJob): Promise<void> {
  const startedAtMs = now();
  const deletion = await getDeletion({ tenantId }, id);
  if (deletion.status === "completed") return;
  const owner = { tenantId, userId: deletion.user_id, actor: toUserActor(deletion.requested_by) };
  for (const resource of erasableResources) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      if (now() - startedAtMs > MAX_JOB_DURATION_MS) return scheduleDeletion({ tenantId, id });
      cursor = await erasePage(owner, resource, id, cursor);
    }
  }
  if (!(await removeReader(owner, startedAtMs + MAX_JOB_DURATION_MS))) return scheduleDeletion({ tenantId, id });
  await forgetProfile(owner, owner.userId);
  await completeDeletion(owner, id);
}
