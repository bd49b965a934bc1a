import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import * as v from "valibot";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import {
  ConditionFailed,
  equals,
  exists,
  isPerformed,
  lacksAttribute,
  TransactionFailed,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { newApprovalWrites, type StoredApproval } from "../../governance/approvals/approval-store.ts";
import { expiresAfter, now } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { runControlWrite } from "../run-control-store.ts";

/**
 * Time for which the paused state is stored after its approval has expired, because the decision may arrive just
 * before.
 */
const EXPIRY_GRACE_SECONDS = 3_600;

/**
 * Maximum size of the compressed state in bytes. The rest of its DynamoDB item, which is limited to 400 KB, needs less
 * than 10 KB.
 */
const MAX_STATE_BYTES = 390_000;

/**
 * Time within which another function must resume a run that was handed over, long enough when many runs wait for a
 * function. After it, the watchdog can end the run (`deadline`).
 */
const HAND_OVER_TIMEOUT_MS = 15 * 60_000;

/** Serialized forms of a turn, each smaller than the one before. */
type StateForms = Iterable<string> & object;

/**
 * Compresses the first form of a state that fits into one item, or else the last one. Brotli, because the prompt
 * repeats long texts at distances that only its large window covers.
 */
async function compressState(forms: StateForms): Promise<Uint8Array> {
  let compressed: Uint8Array = Buffer.alloc(0);
  for (const state of forms) {
    compressed = await promisify(brotliCompress)(state, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    if (compressed.length <= MAX_STATE_BYTES) break;
  }
  return compressed;
}

/**
 * Pauses a run until an approval is decided, and stores the approval in the same transaction.
 * @returns false if the run was asked to stop, so that it was not paused
 */
export function pauseRun(scope: TenantScope, approval: StoredApproval, forms: StateForms): Promise<boolean> {
  const { id, run, expires_at } = approval;
  const pause = { messageId: run?.message_id ?? "", cause: { approval_id: id }, waitsUntil: Date.parse(expires_at) };
  return storePause(scope, pause, forms, newApprovalWrites(scope, approval));
}

/**
 * Pauses a run that another function resumes immediately, because this one has too little time left.
 * @returns false if the run was asked to stop, so that it was not paused
 */
export function handOverRun(scope: TenantScope, messageId: string, forms: StateForms): Promise<boolean> {
  const cause = { hand_over_id: newId() };
  const pause = { messageId, cause, waitsUntil: now() + HAND_OVER_TIMEOUT_MS };
  // The change feed reacts to the record of the run, so that a crash after this write does not lose the rest of the run.
  const request: Write = {
    update: keys.run(scope.tenantId, messageId),
    set: cause,
    condition: exists(),
  };
  return storePause(scope, pause, forms, [request]);
}

/** Reason for a pause: an approval to wait for, or a hand-over to another function. */
type PauseCause = { readonly approval_id: string } | { readonly hand_over_id: string };

interface Pause {
  readonly messageId: string;
  readonly cause: PauseCause;
  /** Epoch milliseconds until which the run may stay paused. */
  readonly waitsUntil: number;
}

async function storePause(
  scope: TenantScope,
  { messageId, cause, waitsUntil }: Pause,
  forms: StateForms,
  requests: readonly Write[],
): Promise<boolean> {
  const writes: Write[] = [
    ...requests,
    {
      put: {
        ...keys.pausedRun(scope.tenantId, messageId),
        discriminator: "paused-run",
        ...cause,
        state: await compressState(forms),
        ttl: expiresAfter(Math.ceil((waitsUntil - now()) / 1_000) + EXPIRY_GRACE_SECONDS),
      },
    },
    {
      ...runControlWrite(scope, messageId, { waits_until: waitsUntil }),
      condition: lacksAttribute("stop"),
    },
  ];
  return isPerformed(tenantTable(scope).transact(writes));
}

/** Part of a serialized turn, in all its versions, from which usage is counted if the run ends without resuming. */
export const PausedUsage = v.object({
  modelId: v.string(),
  usage: v.optional(trusted<LanguageModelV4Usage>()),
  prompt: v.array(trusted<LanguageModelV4Prompt[number]>()),
});

export interface PausedRun {
  /** Null for a run that was handed over. */
  readonly approvalId: string | null;
  /** Serialized turn. */
  readonly state: string;
}

const readPausedRunItem = itemReader(v.object({ approval_id: v.optional(v.string()), state: trusted<Uint8Array>() }));

async function readPausedRun(item: Readonly<Record<string, unknown>>): Promise<PausedRun> {
  const { approval_id, state } = readPausedRunItem(item);
  return { approvalId: approval_id ?? null, state: String(await promisify(brotliDecompress)(state)) };
}

/**
 * Deletes and returns the state of a paused run that is to end. Of concurrent calls, one succeeds.
 * @returns null if the run is not paused or another function took its state
 */
export async function takePausedRun(scope: TenantScope, messageId: string): Promise<PausedRun | null> {
  try {
    const item = await tenantTable(scope).write({
      delete: keys.pausedRun(scope.tenantId, messageId),
      condition: exists(),
    });
    return item ? readPausedRun(item) : null;
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

/**
 * Deletes and returns the state of a paused run to resume it, and marks the run as no longer paused in the same
 * transaction. Of concurrent calls, one succeeds.
 * @param cause approval that was decided, or hand-over; a run that has since paused for another cause stays paused
 * @returns null if the run is not paused for this cause or another function took its state
 */
export async function resumePausedRun(
  scope: TenantScope,
  messageId: string,
  cause: PauseCause,
): Promise<PausedRun | null> {
  const key = keys.pausedRun(scope.tenantId, messageId);
  const item = await tenantTable(scope).get(key, { consistent: true });
  const [[name, id]] = Object.entries(cause) as [[string, string]];
  if (item?.[name] !== id) return null;
  const condition = equals({ [name]: id });
  try {
    await tenantTable(scope).transact([
      { delete: key, condition },
      runControlWrite(scope, messageId, { alive_at: now(), waits_until: 0, resumed_by: id }),
    ]);
  } catch (error) {
    if (error instanceof TransactionFailed) return null;
    throw error;
  }
  return readPausedRun(item);
}
