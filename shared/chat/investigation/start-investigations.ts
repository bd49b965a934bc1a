import { findMessage } from "../../conversations/message-store.ts";
import { ignoreConditionFailed, TransactionFailed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { reserveBudget } from "../../investigations/budget-store.ts";
import { suspendInvestigation } from "../../investigations/finish-investigation.ts";
import {
  findInvestigation,
  type InvestigationRef,
  investigationChange,
  type StoredInvestigation,
} from "../../investigations/investigation-store.ts";
import {
  dequeueWrite,
  findFirstQueued,
  readSlots,
  removeQueued,
  type Slots,
  takeSlotWrite,
} from "../../investigations/slots.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { findPersonaForChat } from "../../personas/persona-for-chat.ts";
import { FUNCTION_TIMEOUT_MS, RunController } from "../../runs/run-controller.ts";
import { getTenant } from "../../tenancy/tenant-store.ts";
import { findWebhookChannelOfTenant } from "../../webhooks/webhook-channel-store.ts";
import { attachInvestigation } from "../attached-investigation.ts";
import { beginTurn } from "../begin-turn.ts";
import { launchTurn } from "../launch-turn.ts";
import type { Turn } from "../turn.ts";
import { findPrincipal } from "./find-principal.ts";
import { investigationSteps } from "./investigate.ts";

/** Text of the question with which an investigation starts. `readIncident` adds the observations to its prompt. */
const INVESTIGATION_QUESTION = "Investigate this incident and report its cause.";

/** Maximum number of attempts if other functions start or end investigations of the tenant concurrently. */
const MAX_ATTEMPTS = 20;

/** Reason why an investigation cannot start. */
type Obstacle = "tenant" | "budget" | "channel" | "user" | "persona" | "forbidden" | "not_found";

/**
 * Removes from the queue an investigation that cannot start. It gets the status `skipped` if the budget is used up,
 * else `failed`.
 */
async function skip(scope: TenantScope, investigation: StoredInvestigation, reason: Obstacle): Promise<void> {
  const ended = { status: reason === "budget" ? "skipped" : "failed", reason, ended_at: timestamp() } as const;
  // Another function has started or ended it.
  await tenantTable(scope)
    .transact([
      investigationChange(scope, investigation, ["queued"], ended),
      dequeueWrite(scope, investigation.id, investigation.severity),
    ])
    .catch(ignoreConditionFailed);
}

/**
 * Starts an investigation: stores its question, removes it from the queue, and takes tokens of the budget and a slot
 * within the limit of concurrent investigations, in one transaction, so that only one of several functions starts it.
 * @returns the turn, or null after the investigation was ended because it cannot start
 * @throws TransactionFailed if another function was faster
 */
async function begin(
  scope: TenantScope,
  investigation: StoredInvestigation,
  slots: Slots,
  signal: AbortSignal,
): Promise<Turn | null> {
  const { id, conversation_id, channel_id, alert_id, persona_id, user_id, max_minutes } = investigation;
  const [tenant, channel, principal] = await Promise.all([
    getTenant(scope),
    findWebhookChannelOfTenant(scope, channel_id),
    findPrincipal(scope, user_id),
  ]);
  const refuse = async (reason: Obstacle) => {
    await skip(scope, investigation, reason);
    return null;
  };
  const settings = channel?.investigate;
  if (tenant.suspended_at) return refuse("tenant");
  if (!settings) return refuse("channel");
  if (!principal) return refuse("user");
  if (persona_id === null || !(await findPersonaForChat(principal, persona_id))) return refuse("persona");
  const reservation = await reserveBudget(scope, channel_id, settings.budget);
  if (!reservation) return refuse("budget");
  const request = {
    conversation_id,
    content: INVESTIGATION_QUESTION,
    tier: "THOUGHT_PARTNER",
    parent_message_id: alert_id,
    regenerate_message_id: null,
    investigation: { id, persona_id },
  } as const;
  const recordStart = (messageId: string) =>
    investigationChange(scope, investigation, ["queued"], {
      status: "running",
      message_id: messageId,
      started_at: timestamp(),
      reserved_tokens: reservation.tokens,
      budget_day: reservation.day,
    });
  const transactionWrites = [
    dequeueWrite(scope, id, investigation.severity),
    takeSlotWrite(scope, slots, id, max_minutes),
    reservation.write,
  ];
  try {
    const context = { requestId: newId(), signal, tenant, keyId: null, recordStart, transactionWrites };
    return await beginTurn(principal, request, context);
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : null;
    if (code === "quota_exceeded") return refuse("budget");
    if (code === "forbidden" || code === "not_found") return refuse(code);
    throw error;
  }
}

/**
 * Starts the first investigation in the queue that can start.
 * @returns its turn, or null if the queue is empty or the limit of concurrent investigations is reached
 */
async function beginNext(scope: TenantScope, toSignal: (maxMinutes: number) => RunController) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; ) {
    const [slots, next] = await Promise.all([readSlots(scope), findFirstQueued(scope)]);
    if (!next || slots.free <= 0) return null;
    const investigation = await findInvestigation(scope, next);
    if (investigation?.status !== "queued") {
      attempt++;
      if (!investigation) await removeQueued(scope, next);
      continue;
    }
    const controller = toSignal(investigation.max_minutes);
    try {
      const turn = await begin(scope, investigation, slots, controller.signal);
      if (turn) return { turn, controller, investigation };
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      attempt++;
    }
  }
  return null;
}

async function suspendIfPaused(scope: TenantScope, ref: InvestigationRef, { run }: Turn): Promise<void> {
  if (await findMessage(scope, run.conversation_id, run.message_id)) return;
  await suspendInvestigation(scope, ref);
}

/** Runs the next queued investigation of a tenant, unless the limit of concurrent investigations is reached. */
export async function startInvestigations({ tenantId }: TenantScope): Promise<void> {
  const startedAt = now();
  const scope = { tenantId };
  const started = await beginNext(
    scope,
    (maxMinutes) => new RunController(Math.min(FUNCTION_TIMEOUT_MS - (now() - startedAt), maxMinutes * 60_000)),
  );
  if (!started) return;
  const { turn, controller, investigation } = started;
  log.info("investigation started", { investigation_id: investigation.id, message_id: turn.run.message_id });
  attachInvestigation(turn, investigationSteps);
  await launchTurn(turn, controller).finished;
  await suspendIfPaused(scope, investigation, turn);
}
