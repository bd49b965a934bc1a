import type { Delivery } from "../../api/webhooks/deliveries.ts";
import { findMessage, type StoredMessage } from "../../conversations/message-store.ts";
import { isUninvestigated } from "../../investigations/incident-record.ts";
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
import { alertTitleOf, toAlertFacts } from "../../webhooks/alert-facts.ts";
import { listDeliveries } from "../../webhooks/delivery-store.ts";
import { toCheckedText } from "../context/history-messages.ts";
import { checkToolText } from "../guardrail-checks.ts";
import { readerOf } from "../knowledge-reader.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn, TurnIncident } from "../turn.ts";
import { toIncidentSection } from "./incident-section.ts";

/** Maximum numbers of events of this incident, of other incidents at that time, and of earlier incidents. */
const [MAX_ALERTS, MAX_OTHERS, MAX_EARLIER] = [10, 8, 5];

/** Maximum time between the receipt of another alert and the start of the investigation. */
const AROUND_MS = 30 * 60_000;

/** Number of the latest alerts, and of the latest investigations, among which to look for related ones. */
const MAX_SEARCHED = 100;

/** First message of an incident, which has its present state, and its other messages. */
interface IncidentMessages {
  readonly first: StoredMessage;
  readonly others: readonly StoredMessage[];
}

/** Groups the messages of alerts by incident. Reads the first messages that are missing. */
async function groupByIncident(turn: Turn, ids: readonly string[]): Promise<IncidentMessages[]> {
  const { principal, conversation } = turn;
  const find = async (messageIds: readonly string[]) => {
    const found = await mapConcurrent(messageIds, (id) => findMessage(principal, conversation.id, id));
    return found.filter((message): message is StoredMessage => Boolean(message?.alert));
  };
  const messages = await find(ids);
  const groups = Map.groupBy(messages, ({ message_id, parent_id }) => parent_id ?? message_id);
  const missing = await find([...groups.keys()].filter((id) => !ids.includes(id)));
  return [...groups].flatMap(([id, group]) => {
    const first = [...missing, ...group].find(({ message_id }) => message_id === id) ?? group[0];
    return first ? [{ first, others: group.filter((message) => message !== first) }] : [];
  });
}

async function toAlertObservation(
  turn: Turn,
  { first, others }: IncidentMessages,
  id: string,
  isOwn: boolean,
): Promise<RecordedObservation> {
  const alert = first.alert as unknown as Alert;
  const texts = await mapConcurrent([first, ...others], (message) => toCheckedText(turn.guardrails, message));
  const state = alert.state === null ? "" : ` (${alert.state})`;
  return {
    id,
    kind: "alert",
    title: `${isOwn ? "Alert" : "Other alert of the time"}${state}: ${alertTitleOf(alert)}`,
    at: alert.triggered_at,
    excerpt: "",
    ref: first.message_id,
    text: truncate(texts.join("\n\n"), MAX_OBSERVATION_CHARACTERS),
    is_failed: false,
  };
}

/**
 * Returns the alerts of the incident, and other alerts of its channel within `AROUND_MS`, as observations. Each incident is one
 * observation with its present state; events of the incident itself are part of it.
 */
async function readAlerts(
  turn: Turn,
  { id, alert_id: alertMessageId, channel_id, ...investigation }: StoredInvestigation,
) {
  // The record of an incident can be older than its investigation.
  const at = Date.parse(investigation.started_at ?? investigation.created_at);
  const { principal } = turn;
  const [{ alerts }, deliveries] = await Promise.all([
    readRecords(principal, id),
    listDeliveries(principal, channel_id, { limit: MAX_SEARCHED }),
  ]);
  const joined = [alertMessageId, ...alerts.map(({ message_id }) => message_id)];
  const around = deliveries.entries.filter(({ received_at, is_test }) => {
    const isAround = Math.abs(Date.parse(received_at) - at) <= AROUND_MS;
    return isAround && !is_test;
  });
  const byIncident = Map.groupBy(around, ({ incident, fingerprint }) => incident ?? fingerprint);
  const isOwn = (entries: readonly Delivery[]) =>
    entries.some(({ message_id }) => message_id !== null && joined.includes(message_id));
  const idsOf = (entries: readonly Delivery[]) => entries.flatMap(({ message_id }) => message_id ?? []);
  const groups = [...byIncident.values()];
  // In the order of their ids, which is that of their receipt.
  const own = [...new Set([...joined, ...idsOf(groups.filter(isOwn).flat())])].slice(0, MAX_ALERTS).sort();
  const others = idsOf(groups.filter((entries) => !isOwn(entries)).flatMap(([latest]) => latest ?? []));
  const ownIncidents = await groupByIncident(turn, own);
  const otherIncidents = await groupByIncident(turn, others.slice(0, MAX_OTHERS));
  const known = new Set(ownIncidents.map(({ first }) => first.message_id));
  const found = [
    ...ownIncidents.map((incident) => ({ incident, isOwn: true })),
    // Of another incident, only its first message is quoted, which has its present state.
    ...otherIncidents.flatMap(({ first }) =>
      known.has(first.message_id) ? [] : [{ incident: { first, others: [] }, isOwn: false }],
    ),
  ];
  return mapConcurrent(found, ({ incident, isOwn: isOfIncident }) =>
    toAlertObservation(turn, incident, `a${found.findIndex((each) => each.incident === incident) + 1}`, isOfIncident),
  );
}

/**
 * Returns earlier investigations of the same incident, then of the same service, with their verdicts, as observations.
 */
async function readEarlier(turn: Turn, current: StoredInvestigation): Promise<RecordedObservation[]> {
  const latest = await listLatestInvestigations(turn.principal, MAX_SEARCHED);
  const earlier = latest.filter(
    (each) =>
      each.id < current.id &&
      each.ended_at !== null &&
      each.conversation_id === turn.conversation.id &&
      !isUninvestigated(each),
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
    const runbook = await findRunbook(readerOf(turn), collectionIds, facts);
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
