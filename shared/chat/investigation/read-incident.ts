import { findMessage, type StoredMessage } from "../../conversations/message-store.ts";
import { alertTitleOf, toAlertFacts } from "../../investigations/alert-facts.ts";
import {
  findInvestigation,
  listLatestInvestigations,
  type StoredInvestigation,
} from "../../investigations/investigation-store.ts";
import {
  MAX_OBSERVATION_CHARACTERS,
  type RecordedObservation,
  readRecords,
  recordObservation,
  recordRunbook,
} from "../../investigations/record-store.ts";
import { findRunbook } from "../../investigations/runbook.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import type { Alert } from "../../webhooks/adapters/types.ts";
import { listDeliveries } from "../../webhooks/delivery-store.ts";
import { toCheckedText } from "../context/history-messages.ts";
import { checkToolText } from "../guardrail-checks.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn, TurnIncident } from "../turn.ts";
import { toIncidentSection } from "./incident-section.ts";

/** Maximum numbers of alerts of this incident, of other alerts at that time, and of earlier incidents. */
const [MAX_ALERTS, MAX_OTHERS, MAX_EARLIER] = [10, 8, 5];

/** Maximum time between the receipt of another alert and the start of the investigation. */
const AROUND_MS = 30 * 60_000;

/** Number of the latest alerts, and of the latest investigations, among which to look for related ones. */
const MAX_SEARCHED = 100;

async function toAlertObservation(
  turn: Turn,
  message: StoredMessage,
  id: string,
  isOwn: boolean,
): Promise<RecordedObservation> {
  const alert = message.alert as unknown as Alert;
  const text = await toCheckedText(turn.guardrails, message);
  return {
    id,
    kind: "alert",
    title: `${isOwn ? "Alert" : "Other alert of the time"}: ${alertTitleOf(alert)}`,
    at: alert.triggered_at,
    excerpt: "",
    ref: message.message_id,
    text: truncate(text, MAX_OBSERVATION_CHARACTERS),
    is_failed: false,
  };
}

/** Returns the alerts of the incident, and other alerts of its channel within `AROUND_MS`, as observations. */
async function readAlerts(turn: Turn, { id, alert_id: alertMessageId, channel_id, created_at }: StoredInvestigation) {
  const { principal, conversation } = turn;
  const [{ alerts }, deliveries] = await Promise.all([
    readRecords(principal, id),
    listDeliveries(principal, channel_id, { limit: MAX_SEARCHED }),
  ]);
  const own = [...new Set([alertMessageId, ...alerts.map(({ message_id }) => message_id)])].slice(0, MAX_ALERTS);
  const others = deliveries.entries.flatMap(({ message_id, received_at, is_test }) => {
    const isAround = Math.abs(Date.parse(received_at) - Date.parse(created_at)) <= AROUND_MS;
    return message_id !== null && isAround && !is_test && !own.includes(message_id) ? [message_id] : [];
  });
  const messages = await mapConcurrent([...own, ...others.slice(0, MAX_OTHERS)], (messageId) =>
    findMessage(principal, conversation.id, messageId),
  );
  const found = messages.filter((message): message is StoredMessage => Boolean(message?.alert));
  return mapConcurrent(found, (message) =>
    toAlertObservation(turn, message, `a${found.indexOf(message) + 1}`, own.includes(message.message_id)),
  );
}

/**
 * Returns earlier investigations of the same incident, then of the same service, with their verdicts, as observations.
 */
async function readEarlier(turn: Turn, current: StoredInvestigation): Promise<RecordedObservation[]> {
  const latest = await listLatestInvestigations(turn.principal, MAX_SEARCHED);
  const earlier = latest.filter(
    ({ id, ended_at, conversation_id }) =>
      id < current.id && ended_at !== null && conversation_id === turn.conversation.id,
  );
  const same = earlier.filter(({ incident_hash }) => incident_hash === current.incident_hash);
  const related = earlier.filter(
    ({ incident_hash, service }) =>
      incident_hash !== current.incident_hash && service !== null && service === current.service,
  );
  return [...same, ...related].slice(0, MAX_EARLIER).map((investigation, index) => {
    const { id, title, status, state, verdict, cause, created_at, resolved_at } = investigation;
    const lines = [
      `Incident: ${title ?? "without title"}`,
      `Opened: ${created_at}`,
      `State: ${state ?? "unknown"}${resolved_at ? ` at ${resolved_at}` : ""}`,
      `Investigation: ${status}, verdict ${verdict ?? "none"}${cause ? `: ${cause}` : ""}`,
    ];
    const label = same.includes(investigation) ? "Earlier occurrence" : "Earlier incident of the service";
    return {
      id: `e${index + 1}`,
      kind: "earlier" as const,
      title: `${label}: ${truncate(title ?? "without title", 200)}`,
      at: created_at,
      excerpt: "",
      ref: id,
      text: lines.join("\n"),
      is_failed: false,
    };
  });
}

/**
 * Finds the runbook for the alert, checks its text with the guardrail, and stores it. Best-effort: the investigation
 * continues without a runbook.
 */
async function readRunbook(
  turn: Turn,
  { id, alert_id: alertMessageId }: StoredInvestigation,
): Promise<RecordedObservation[]> {
  const { principal, conversation, persona, guardrails } = turn;
  const message = await findMessage(principal, conversation.id, alertMessageId);
  if (!message?.alert) return [];
  try {
    const collectionIds = persona?.collection_ids.length ? persona.collection_ids : undefined;
    const facts = toAlertFacts(message.alert as unknown as Alert);
    const runbook = await findRunbook(principal, collectionIds, facts);
    if (!runbook) return [];
    const { text } = await checkToolText(runbook.text, guardrails);
    await recordRunbook(principal, id, { ...runbook, text });
    const passage = { id: "p1", kind: "passage" as const, title: `Runbook: ${truncate(runbook.title, 200)}` };
    return [{ ...passage, at: message.created_at, excerpt: "", ref: runbook.document_id, text, is_failed: false }];
  } catch (error) {
    log.warn("runbook not found", { message_id: turn.run.message_id, error });
    return [];
  }
}

/**
 * Reads alerts, earlier incidents and the runbook at the start of an investigation, and stores them as observations.
 */
export async function* readIncident(turn: Turn): AsyncGenerator<RunEvent, TurnIncident | null> {
  const { principal, conversation, run } = turn;
  const id = run.investigation_id ?? "";
  const investigation = await findInvestigation(principal, { id, conversation_id: conversation.id });
  if (!investigation) return null;
  yield thinkingStep(turn, "Reading the incident", investigation.title ?? "");
  const known = await Promise.all([
    readAlerts(turn, investigation),
    readEarlier(turn, investigation),
    readRunbook(turn, investigation),
  ]);
  const observations = known.flat();
  await mapConcurrent(observations, (observation) => recordObservation(principal, id, observation));
  for (const { title } of observations.filter(({ kind }) => kind === "passage")) {
    yield thinkingStep(turn, "Runbook found", title);
  }
  return { section: toIncidentSection(observations), investigation: { id, maxTokens: investigation.reserved_tokens } };
}
