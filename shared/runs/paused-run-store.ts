import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Item, TransactionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { newApprovalWrites, type StoredApproval } from "../governance/approvals/approval-store.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import { controlWrite } from "./run-store.ts";

/** How long what was put aside outlives the approval it waits for, in seconds: it may be decided in the last moment. */
const grace = 3_600;

/**
 * A state, made small: it has the conversation, notes and sources twice, for they are in the prompt as well, and far
 * apart from each other. An item has 400 KB.
 */
const squeezed = (state: string) =>
  promisify(brotliCompress)(state, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });

/**
 * Puts a run aside until an approval is decided, in one transaction with the request for it.
 * @param state what is needed to go on
 * @returns whether it waits now: it does not where somebody wanted it to end
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
        state: await squeezed(state),
        ttl: expiresAfter(Math.ceil((waitsUntil - now()) / 1_000) + grace),
      },
    },
    {
      ...controlWrite(scope, messageId, { waits_until: waitsUntil }),
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

/** Part of a paused run's state that its usage is counted from when it ends without resuming. */
export interface PausedState {
  readonly modelId: string;
  readonly usage: LanguageModelV4Usage | undefined;
  readonly prompt: LanguageModelV4Prompt;
}

/** A run that was put aside. */
export interface PausedRun {
  /** What it waits for. */
  readonly approvalId: string;
  /** What is needed to go on. */
  readonly state: string;
}

async function pausedRunOf(item: Item): Promise<PausedRun> {
  return {
    approvalId: String(item.approval_id),
    state: String(await promisify(brotliDecompress)(item.state as Uint8Array)),
  };
}

/**
 * Takes what was put aside of a run that is to go on no more, once.
 * @returns null where there is none, or somebody else took it
 */
export async function takePausedRun(scope: TenantScope, messageId: string): Promise<PausedRun | null> {
  try {
    const item = await tenantTable(scope).write({
      delete: keys.pausedRun(scope.tenantId, messageId),
      condition: { where: "attribute_exists(#pk)" },
    });
    return item ? pausedRunOf(item) : null;
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

/**
 * Takes what was put aside of a run to go on with it, once: of many who would one does. In the same moment the run
 * waits no more; whoever comes late with an earlier word leaves it waiting for the next one.
 * @param approvalId what it waits for
 * @returns null where somebody else took it, or it waits for something else
 */
export async function wakePausedRun(
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
      controlWrite(scope, messageId, { alive_at: now(), waits_until: 0 }),
    ]);
  } catch (error) {
    if (error instanceof TransactionFailed) return null;
    throw error;
  }
  return pausedRunOf(item);
}
