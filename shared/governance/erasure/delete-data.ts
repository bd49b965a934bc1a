import { toUserActor } from "../../dynamodb/audit-attribution.ts";
import { now } from "../../lib/clock.ts";
import { completeDeletion, getDeletion } from "./deletion-store.ts";
import { eraseSome, kindsOfData } from "./erasure.ts";
import { type DeletionJob, scheduleDeletion } from "./schedule-deletion.ts";

/** How long one go may take, in milliseconds; what is left over is for another one. */
const oneGo = 30_000;

/**
 * Deletes everything somebody owns, on behalf of who asked for it. What is deleted is not found again, so it goes on
 * after an interruption by beginning anew.
 */
export async function deleteData({ tenantId, id }: DeletionJob): Promise<void> {
  const startedAt = now();
  const deletion = await getDeletion({ tenantId }, id);
  if (deletion.status === "completed") return;
  const owner = { tenantId, userId: deletion.user_id, actor: toUserActor(deletion.requested_by) };
  for (const kind of kindsOfData) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      if (now() - startedAt > oneGo) return scheduleDeletion({ tenantId, id });
      cursor = await eraseSome(owner, kind, id, cursor);
    }
  }
  await completeDeletion(owner, id);
}
