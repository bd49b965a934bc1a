import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import * as v from "valibot";
import { itemAccess } from "../../dynamodb/access.ts";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, TransactionFailed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { newApprovalWrites, type StoredApproval } from "../../governance/approvals/approval-store.ts";
import { expiresAfter, now } from "../../lib/clock.ts";
import { runControlWrite } from "../run-control-store.ts";

export const pausedRunAccess = itemAccess("pausedRun", "get", "put", "delete");

/**
 * Time for which the paused state is stored after its approval has expired: the approval may be decided just before.
 */
const EXPIRY_GRACE_SECONDS = 3_600;

/**
 * Compresses the state of a turn to fit into an item of 400 KB. The prompt repeats conversation, notes and sources at
 * large distances, which are still within brotli's window.
 */
const compressState = (state: string) =>
  promisify(brotliCompress)(state, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });

/**
 * Pauses a run until an approval is decided, in one transaction with the approval request.
 * @param state serialized turn
 * @returns false if the run was asked to stop and therefore does not pause
 */
export async function pauseRun(scope: TenantScope, approval: StoredApproval, state: string): Promise<boolean> {
  const { id, run, expires_at } = approval;
  const messageId = run?.message_id ?? "";
  const waitsUntil = Date.parse(expires_at);
  const writes: Write[] = [
    ...newApprovalWrites(scope, approval),
    {
      put: {
        ...keys.pausedRun(scope.tenantId, messageId),
        discriminator: "paused-run",
        approval_id: id,
        state: await compressState(state),
        ttl: expiresAfter(Math.ceil((waitsUntil - now()) / 1_000) + EXPIRY_GRACE_SECONDS),
      },
    },
    {
      ...runControlWrite(scope, messageId, { waits_until: waitsUntil }),
      condition: { where: "attribute_not_exists(#stop)" },
    },
  ];
  try {
    await tenantTable(scope).transact(writes);
    return true;
  } catch (error) {
    if (error instanceof TransactionFailed) return false;
    throw error;
  }
}

/** Fields of the paused state from which usage is counted if the run ends without resuming. */
export interface PausedState {
  readonly modelId: string;
  readonly usage: LanguageModelV4Usage | undefined;
  readonly prompt: LanguageModelV4Prompt;
}

/** Run that is paused for an approval. */
export interface PausedRun {
  readonly approvalId: string;
  /** Serialized turn. */
  readonly state: string;
}

const readPausedRunItem = itemReader(v.object({ approval_id: v.string(), state: trusted<Uint8Array>() }));

async function readPausedRun(item: Readonly<Record<string, unknown>>): Promise<PausedRun> {
  const { approval_id, state } = readPausedRunItem(item);
  return { approvalId: approval_id, state: String(await promisify(brotliDecompress)(state)) };
}

/**
 * Deletes and returns the paused state of a run that will not resume. Of concurrent calls, one succeeds.
 * @returns null if the run is not paused or another function took its state
 */
export async function takePausedRun(scope: TenantScope, messageId: string): Promise<PausedRun | null> {
  try {
    const item = await tenantTable(scope).write({
      delete: keys.pausedRun(scope.tenantId, messageId),
      condition: { where: "attribute_exists(#pk)" },
    });
    return item ? readPausedRun(item) : null;
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

/**
 * Deletes and returns the paused state of a run that resumes, and marks the run as no longer paused in the same
 * transaction. Of concurrent calls, one succeeds.
 * @param approvalId approval that was decided; a run that has since paused for another approval stays paused
 * @returns null if the run is not paused for this approval or another function took its state
 */
export async function resumePausedRun(
  scope: TenantScope,
  messageId: string,
  approvalId: string,
): Promise<PausedRun | null> {
  const key = keys.pausedRun(scope.tenantId, messageId);
  const item = await tenantTable(scope).get(key, { consistent: true });
  if (item?.approval_id !== approvalId) return null;
  const condition = { where: "#approval_id = :approval_id", values: { approval_id: approvalId } };
  try {
    await tenantTable(scope).transact([
      { delete: key, condition },
      runControlWrite(scope, messageId, { alive_at: now(), waits_until: 0 }),
    ]);
  } catch (error) {
    if (error instanceof TransactionFailed) return null;
    throw error;
  }
  return readPausedRun(item);
}
