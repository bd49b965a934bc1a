import type { ScheduleRunRef } from "../api/schedules/schedule-run-ref.ts";
import { defaultTier } from "../api/tiers.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { beginTurn } from "../chat/begin-turn.ts";
import { findPrincipal } from "../chat/investigation/find-principal.ts";
import { launchTurn } from "../chat/launch-turn.ts";
import type { Turn } from "../chat/turn.ts";
import { newConversation, newConversationWrites } from "../conversations/conversation-store.ts";
import { findMessage } from "../conversations/message-store.ts";
import { ConditionFailed, equals, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { findPersonaForChat } from "../personas/persona-for-chat.ts";
import { FUNCTION_TIMEOUT_MS, RunController } from "../runs/run-controller.ts";
import { findRun } from "../runs/run-store.ts";
import { consumeQuota } from "../tenancy/rate-store.ts";
import { getTenant, type Tenant } from "../tenancy/tenant-store.ts";
import { endAttempt } from "./end-run.ts";
import { findScheduleRun, type StoredScheduleRun, scheduleRunChange } from "./schedule-run-store.ts";
import { type ScheduleRunJob, scheduleAttempt } from "./schedule-start.ts";
import { conversationWrite, findSchedule, type StoredSchedule } from "./schedule-store.ts";
import { startTests } from "./scheduled-tests.ts";

/** Reason why a run cannot start, in addition to the codes of errors. */
type Obstacle = "tenant" | "user" | "persona" | "rate_limited";

/** Time for which a run waits while the requests of its tenant are limited. */
const MAX_WAIT_MS = 3_600_000;

/** Returns the delay after which a run whose tenant's requests are limited tries again. It varies, so that not all try at once. */
const waitSeconds = () => 30 + Math.floor(Math.random() * 120);

/** Creates the conversation of a run, unless it or its schedule has one. @returns null if the owner may not use the persona */
async function resolveConversation(
  principal: UserPrincipal,
  schedule: StoredSchedule,
  run: StoredScheduleRun,
): Promise<string | null> {
  const stored = run.conversation_id ?? schedule.conversation_id;
  if (stored !== null) return stored;
  const persona = await findPersonaForChat(principal, schedule.persona_id);
  if (schedule.persona_id !== null && !persona) return null;
  const conversation = newConversation(principal.userId, {
    title: schedule.name,
    folder_id: null,
    persona_id: schedule.persona_id,
    tier: persona?.tier ?? defaultTier,
  });
  const { status, attempts } = run;
  await tenantTable(principal).transact([
    {
      ...scheduleRunChange(principal, run, { conversation_id: conversation.id }),
      condition: equals({ status, attempts, conversation_id: null }),
    },
    ...(schedule.conversation === "same" ? [conversationWrite(principal, schedule, conversation.id)] : []),
    ...newConversationWrites(principal, conversation),
  ]);
  return conversation.id;
}

/**
 * Checks whether a run may start now.
 * @returns the owner of the schedule and the tenant, the reason why the run cannot start, or null if it must wait for the rate limit
 */
async function admitRun(
  scope: TenantScope,
  schedule: StoredSchedule,
  run: StoredScheduleRun,
): Promise<{ principal: UserPrincipal; tenant: Tenant } | Obstacle | null> {
  const [tenant, principal] = await Promise.all([getTenant(scope), findPrincipal(scope, schedule.owner_id)]);
  if (tenant.suspended_at) return "tenant";
  if (!principal) return "user";
  const quota = await consumeQuota(
    scope,
    "tenant",
    tenant.limits.requests_per_minute ?? Number(env("RATE_LIMIT_TENANT").RATE_LIMIT_TENANT),
  );
  if (quota.admitted) return { principal, tenant };
  return now() - Date.parse(run.scheduled_at) < MAX_WAIT_MS ? null : "rate_limited";
}

/**
 * Stores the question of a run. A retry answers the question of the attempt before again.
 * @returns the turn, or the reason why it cannot start
 * @throws TransactionFailed or ConditionFailed if another function was faster
 */
async function begin(
  { principal, tenant }: { readonly principal: UserPrincipal; readonly tenant: Tenant },
  schedule: StoredSchedule,
  run: StoredScheduleRun,
  signal: AbortSignal,
): Promise<Turn | Obstacle> {
  const conversation_id = await resolveConversation(principal, schedule, run);
  if (conversation_id === null) return "persona";
  const previous = run.message_id && (await findMessage(principal, conversation_id, run.message_id));
  const { schedule_id, scheduled_at, attempts } = run;
  const request = {
    conversation_id,
    ...(!previous && { content: schedule.question, documents: schedule.documents }),
    hasPersonaTier: true,
    parent_message_id: null,
    regenerate_message_id: previous ? previous.message_id : null,
    schedule_run: { schedule_id, scheduled_at },
  };
  const recordStart = (message_id: string) => {
    const started = { status: "running", attempts: attempts + 1, message_id, conversation_id } as const;
    return scheduleRunChange(principal, run, { ...started, started_at: run.started_at ?? timestamp() });
  };
  return beginTurn(principal, request, { requestId: newId(), signal, tenant, keyId: null, recordStart });
}

/** Ends the attempt of a run whose function died before its question was stored. */
async function endLostAttempt(scope: TenantScope, run: StoredScheduleRun): Promise<void> {
  const { conversation_id, message_id } = run;
  if (conversation_id === null || message_id === null) return;
  if ((await findRun(scope, message_id)) || (await findMessage(scope, conversation_id, message_id))) return;
  await endAttempt(scope, run, { status: "failed", reason: "unavailable" });
}

/** Ends an attempt that could not start, unless another function started it. */
async function failStart(scope: TenantScope, ref: ScheduleRunRef, reason: string): Promise<void> {
  const run = await findScheduleRun(scope, ref);
  if (run?.status === "running") return endLostAttempt(scope, run);
  if (run?.status === "pending") await endAttempt(scope, run, { status: "failed", reason });
}

/** Starts an attempt of a run, with the rights that the owner of its schedule has now. Idempotent. */
export async function startScheduledRun(job: ScheduleRunJob): Promise<void> {
  const startedAt = now();
  const { tenantId, scheduleRun: ref } = job;
  const scope = { tenantId };
  const [schedule, run] = await Promise.all([
    findSchedule(scope, { id: ref.schedule_id, owner_id: ref.owner_id }),
    findScheduleRun(scope, ref),
  ]);
  if (!schedule || !run) return;
  if (run.status === "running") return endLostAttempt(scope, run);
  if (run.status !== "pending") return;
  const controller = new RunController(FUNCTION_TIMEOUT_MS - (now() - startedAt));
  try {
    const admission = await admitRun(scope, schedule, run);
    if (typeof admission === "string") return failStart(scope, ref, admission);
    if (admission === null) return scheduleAttempt(job, 0, waitSeconds());
    if (schedule.set_id !== null) return await startTests(admission.principal, schedule.set_id, run);
    const turn = await begin(admission, schedule, run, controller.signal);
    if (typeof turn === "string") return failStart(scope, ref, turn);
    log.info("scheduled run started", { schedule_id: schedule.id, message_id: turn.run.message_id });
    await launchTurn(turn, controller).finished;
  } catch (error) {
    // Another function was faster.
    if (error instanceof TransactionFailed || error instanceof ConditionFailed) return;
    if (!(error instanceof ServiceError)) throw error;
    await failStart(scope, ref, error.code);
  }
}
