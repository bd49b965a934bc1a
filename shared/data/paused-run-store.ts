import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { expiry, now } from "../clock.ts";
import { newApprovalWrites, type StoredApproval } from "./approval-store.ts";
import { keys } from "./keys.ts";
import { controlWrite, writeControl } from "./run-store.ts";
import { ConditionFailed } from "./table.ts";
import { type TenantScope, tableOf } from "./tenant-scope.ts";

/** How long what was put aside outlives the approval it waits for, in seconds: it may be decided in the last moment. */
const grace = 3_600;

/**
 * Puts a run aside until an approval is decided, in one transaction with the request for it.
 * @param state what is needed to go on
 */
export async function pauseRun(scope: TenantScope, approval: StoredApproval, state: string): Promise<void> {
  const { id, run, expires_at } = approval;
  const messageId = run?.message_id ?? "";
  const waitsUntil = Date.parse(expires_at);
  await tableOf(scope).transact([
    ...newApprovalWrites(scope, approval),
    {
      put: {
        ...keys.pausedRun(scope.tenantId, messageId),
        discriminator: "paused-run",
        approval_id: id,
        state: await promisify(gzip)(state),
        ttl: expiry(Math.ceil((waitsUntil - now()) / 1_000) + grace),
      },
    },
    controlWrite(scope, messageId, { waits_until: waitsUntil }),
  ]);
}

/** A run that was put aside. */
export interface PausedRun {
  /** What it waits for. */
  readonly approvalId: string;
  /** What is needed to go on. */
  readonly state: string;
}

/**
 * Takes what was put aside of a run, once: of many who would go on with it one does.
 * @param approvalId what it waits for; whatever that is, where it is to go on no more
 * @returns null where somebody else took it, or it waits for something else
 */
export async function takePausedRun(
  scope: TenantScope,
  messageId: string,
  approvalId?: string,
): Promise<PausedRun | null> {
  try {
    const item = await tableOf(scope).write({
      delete: keys.pausedRun(scope.tenantId, messageId),
      condition: approvalId
        ? { where: "#approval_id = :approval_id", values: { approval_id: approvalId } }
        : { where: "attribute_exists(#pk)" },
    });
    if (!item) return null;
    return { approvalId: String(item.approval_id), state: String(await promisify(gunzip)(item.state as Uint8Array)) };
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

/** Notes that a run does not wait any more. */
export async function endWait(scope: TenantScope, messageId: string): Promise<void> {
  await writeControl(scope, messageId, { alive_at: now(), waits_until: 0 });
}
