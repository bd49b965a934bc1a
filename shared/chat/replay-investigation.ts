import type { InvestigationReplay } from "../api/investigations/replays.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findMessage } from "../conversations/message-store.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { reserveBudget, settleBudgetWrite } from "../investigations/budget-store.ts";
import { findInvestigation, type StoredInvestigation } from "../investigations/investigation-store.ts";
import { type InvestigationRecords, type RecordedObservation, readRecords } from "../investigations/record-store.ts";
import { endReplay, findReplay } from "../investigations/replay-store.ts";
import type { ReplayJob } from "../investigations/schedule.ts";
import { getCollection } from "../knowledge/collection-store.ts";
import { findDocumentText } from "../knowledge/document-source-store.ts";
import { getDocument } from "../knowledge/document-store.ts";
import { now, timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { truncate } from "../lib/truncate.ts";
import { selectModel } from "../models/model.ts";
import { promptText } from "../models/prompt-text.ts";
import { toUsage } from "../models/tokens.ts";
import { findPersonaForChat } from "../personas/persona-for-chat.ts";
import { RunController } from "../runs/run-controller.ts";
import { findWebhookChannelOfTenant } from "../webhooks/webhook-channel-store.ts";
import { attachInvestigation } from "./attached-investigation.ts";
import { checkToolText } from "./guardrail-checks.ts";
import { findPrincipal } from "./investigation/find-principal.ts";
import { toIncidentSection } from "./investigation/incident-section.ts";
import { findCause } from "./investigation/investigate.ts";
import { setRecorder } from "./investigation/recorder.ts";
import { ReplayRecorder, toEventSequence } from "./investigation/replay-recorder.ts";
import { newTurn } from "./new-turn.ts";
import { generation } from "./phases/generation.ts";
import { type Phase, runPhase } from "./phases/phase.ts";
import { preflight } from "./phases/preflight.ts";
import { retrieval } from "./phases/retrieval.ts";
import type { Turn } from "./turn.ts";

const REPLAY_TIMEOUT_MS = 10 * 60_000;

const MAX_RUNBOOK_CHARACTERS = 16_000;

/**
 * Restores the turn of an investigation with the permissions of the user who requested the replay.
 * @throws ServiceError if the user is deactivated or can no longer read the conversation
 */
async function restoreTurn(
  scope: TenantScope,
  replay: InvestigationReplay,
  { conversation_id, message_id, persona_id }: StoredInvestigation,
  signal: AbortSignal,
): Promise<Turn> {
  const principal = await findPrincipal(scope, replay.requested_by);
  if (!principal) throw new ServiceError("forbidden", "The user is deactivated.");
  const [conversation, answer, persona] = await Promise.all([
    authorizeConversation(principal, conversation_id, "READ"),
    findMessage(scope, conversation_id, message_id ?? ""),
    findPersonaForChat(principal, replay.persona_id ?? persona_id),
  ]);
  const question = answer?.question_id && (await findMessage(scope, conversation_id, answer.question_id));
  if (!question || !persona) throw new ServiceError("not_found");
  const run = {
    message_id: replay.id,
    conversation_id,
    user_message_id: question.message_id,
    user_id: principal.userId,
    request_id: replay.id,
    parent_id: question.parent_id,
    persona_id: persona.id,
    investigation_id: replay.investigation_id,
    tier: "THOUGHT_PARTNER",
    model: selectModel({ tier: "THOUGHT_PARTNER", model: replay.model ?? persona.model }),
    created_at: timestamp(),
  } as const;
  return newTurn({ principal, conversation, question, run, persona, signal });
}

/** Returns the recorded observations. If the replay names another runbook, it replaces the recorded one. */
async function withRunbook(
  turn: Turn,
  { runbook }: InvestigationReplay,
  observations: readonly RecordedObservation[],
): Promise<readonly RecordedObservation[]> {
  if (!runbook) return observations;
  const ref = { id: runbook.document_id, collection_id: runbook.collection_id };
  const [document] = await Promise.all([
    getDocument(turn.principal, ref),
    getCollection(turn.principal, runbook.collection_id),
  ]);
  const full = await findDocumentText(turn.principal, document, document.indexed_version ?? document.version);
  const { text } = await checkToolText(truncate(full ?? "", MAX_RUNBOOK_CHARACTERS), turn.guardrails);
  const passage = { id: "p1", kind: "passage" as const, title: `Runbook: ${document.title}`, at: document.created_at };
  const tools = observations.filter(({ kind }) => kind === "tool");
  const others = observations.filter(({ kind }) => kind !== "tool" && kind !== "passage");
  return [...others, { ...passage, excerpt: "", ref: document.id, text, is_failed: false }, ...tools];
}

async function runSilently(phase: Phase, turn: Turn): Promise<void> {
  for await (const _ of runPhase(phase, turn));
}

/**
 * Runs the generation phase only, so that no answer is stored.
 * @returns the fields of the replay's result
 */
async function run(turn: Turn, recorder: ReplayRecorder): Promise<Partial<InvestigationReplay>> {
  const reason = () => (recorder.missing === null ? null : "missing_recording");
  try {
    await runSilently(generation, turn);
  } catch (error) {
    if (recorder.missing === null) throw error;
  }
  const { judgement, missing, events } = recorder;
  return {
    status: missing === null ? "completed" : "stopped",
    reason: reason(),
    missing,
    verdict: missing === null ? (judgement?.verdict ?? "inconclusive") : null,
    cause: judgement?.cause ?? null,
    hypotheses: judgement?.hypotheses ?? [],
    discarded: judgement?.discarded.length ?? 0,
    events,
  };
}

async function replayTurn(
  turn: Turn,
  replay: InvestigationReplay,
  investigation: StoredInvestigation,
  records: InvestigationRecords,
  controller: AbortController,
): Promise<Partial<InvestigationReplay>> {
  await runSilently(preflight, turn);
  const observations = await withRunbook(turn, replay, records.observations);
  const recorder = new ReplayRecorder(observations, controller);
  setRecorder(turn, recorder);
  attachInvestigation(turn, {
    async *readIncident() {
      return {
        section: toIncidentSection(observations.filter(({ kind }) => kind !== "tool")),
        investigation: { id: investigation.id, maxTokens: investigation.reserved_tokens },
      };
    },
    async *investigate(current, tools, callModel) {
      current.answer.isHeld = true;
      yield* findCause(current, tools, callModel);
      // The answer of a replay is not stored.
      current.answer.text ||= "Replayed.";
    },
  });
  await runSilently(retrieval, turn);
  const result = await run(turn, recorder);
  const original = toEventSequence(records.observations, records.report);
  return {
    ...result,
    model: turn.answer.modelId,
    persona_id: turn.persona?.id ?? null,
    is_same_verdict: result.status === "completed" ? result.verdict === investigation.verdict : null,
    is_same_sequence: JSON.stringify(result.events) === JSON.stringify(original),
    usage: turn.record.usage
      ? toUsage(turn.answer.modelId, turn.record.usage, {
          input: promptText(turn.answer.prompt),
          output: turn.answer.text,
        })
      : null,
  };
}

/**
 * Repeats an investigation with its recorded tool results, without calling tools, and stores how the outcome differs.
 * Does nothing unless the replay is still queued.
 */
export async function replayInvestigation({ tenantId, replay: ref, conversationId }: ReplayJob): Promise<void> {
  const startedAt = now();
  const scope = { tenantId };
  const replay = await findReplay(scope, ref);
  if (replay?.status !== "queued") return;
  const fail = (reason: string) => endReplay(scope, ref, { status: "failed", reason, ended_at: timestamp() });
  const investigation = await findInvestigation(scope, { id: ref.investigation_id, conversation_id: conversationId });
  if (!investigation) return fail("not_found");
  const channel = await findWebhookChannelOfTenant(scope, investigation.channel_id);
  const reservation = channel?.investigate
    ? await reserveBudget(scope, investigation.channel_id, channel.investigate.budget)
    : null;
  if (!reservation) return fail("budget");
  await tenantTable(scope).write(reservation.write);
  const controller = new RunController(REPLAY_TIMEOUT_MS);
  let end: Partial<InvestigationReplay> = { status: "failed", reason: "internal_error" };
  try {
    const turn = await restoreTurn(scope, replay, investigation, controller.signal);
    end = await replayTurn(turn, replay, investigation, await readRecords(scope, investigation.id), controller);
  } catch (error) {
    log.warn("replay of an investigation failed", { investigation_id: investigation.id, error });
    if (error instanceof ServiceError) end = { status: "failed", reason: error.code };
  }
  const used = { tokens: end.usage?.total_tokens ?? 0, costUsd: end.usage?.cost_usd ?? null };
  await tenantTable(scope).write(settleBudgetWrite(scope, investigation.channel_id, reservation, used));
  await endReplay(scope, ref, { ...end, duration_ms: now() - startedAt, ended_at: timestamp() });
}
