import type { InvestigationResult, Observation, TimelineEntry } from "../api/investigations/investigations.ts";
import { findMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { truncate } from "../lib/truncate.ts";
import type { Alert } from "../webhooks/adapters/types.ts";
import { alertTitleOf } from "../webhooks/alert-facts.ts";
import type { StoredInvestigation } from "./investigation-store.ts";
import { judge } from "./judge.ts";
import type { InvestigationRecords, RecordedObservation } from "./record-store.ts";
import { toRunbookSteps } from "./runbook.ts";

/** Maximum length of an observation's excerpt in a result. */
const MAX_EXCERPT_CHARACTERS = 600;

/** Maximum number of entries of the timeline, and of observations, in a result. */
const MAX_ENTRIES = 100;

/** Maximum number of alerts that are read for the timeline. */
const MAX_ALERTS = 50;

const toObservation = ({ id, kind, title, at, text, ref }: RecordedObservation): Observation => ({
  id,
  kind,
  title,
  at,
  ref,
  excerpt: truncate(text, MAX_EXCERPT_CHARACTERS),
});

const byTime = (a: TimelineEntry, b: TimelineEntry) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** Returns the alerts of an investigation as entries of its timeline. */
async function listAlertEntries(
  scope: TenantScope,
  { conversation_id }: StoredInvestigation,
  { alerts, observations }: InvestigationRecords,
): Promise<TimelineEntry[]> {
  const messages = await mapConcurrent(alerts.slice(0, MAX_ALERTS), ({ message_id }) =>
    findMessage(scope, conversation_id, message_id),
  );
  return messages.flatMap((message) => {
    if (!message?.alert) return [];
    const alert = message.alert as unknown as Alert;
    const { severity, state, triggered_at } = alert;
    const observation =
      observations.find(({ ref, kind }) => kind === "alert" && ref === message.message_id)?.id ?? null;
    return [
      { at: triggered_at, text: `Alert ${state ?? "received"}: ${severity}, ${alertTitleOf(alert)}`, observation },
    ];
  });
}

function toTimeline(
  { started_at, resolved_at, ended_at }: StoredInvestigation,
  { observations }: InvestigationRecords,
  alerts: readonly TimelineEntry[],
): TimelineEntry[] {
  const marks: readonly (readonly [string | null, string])[] = [
    [started_at, "Investigation started"],
    [resolved_at, "Incident resolved"],
    [ended_at, "Investigation ended"],
  ];
  const known = new Set(alerts.map(({ observation }) => observation));
  return [
    ...alerts,
    ...marks.flatMap(([at, text]) => (at === null ? [] : [{ at, text, observation: null }])),
    ...observations
      .filter(({ kind, id }) => kind !== "passage" && !known.has(id))
      .map(({ at, title, id, is_failed }) => ({ at, text: is_failed ? `${title} (failed)` : title, observation: id })),
  ]
    .sort(byTime)
    .slice(0, MAX_ENTRIES);
}

const countOf = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Returns the cause or, if none is proven, what is known. */
function summarize(
  { state }: StoredInvestigation,
  { verdict, cause }: Pick<InvestigationResult, "verdict" | "cause">,
  { observations, runbook }: InvestigationRecords,
): string {
  const end = state === "resolved" ? " The incident is resolved." : "";
  if (cause !== null) return `${verdict === "confirmed" ? "Cause" : "Probable cause"}: ${cause}${end}`;
  const ofKind = (kind: Observation["kind"]) => observations.filter((each) => each.kind === kind).length;
  const known = [
    countOf(ofKind("alert"), "alert", "alerts"),
    ...(ofKind("earlier") > 0 ? [countOf(ofKind("earlier"), "earlier incident", "earlier incidents")] : []),
    ...(ofKind("tool") > 0 ? [countOf(ofKind("tool"), "tool call", "tool calls")] : []),
    ...(runbook ? ["a runbook"] : []),
  ];
  return `Known: ${known.join(", ")}. No cause is proven.${end}`;
}

/** Builds the result of an investigation from its records. Rules judge the claims of the model; no model is called. */
export async function compileResult(
  scope: TenantScope,
  investigation: StoredInvestigation,
  records: InvestigationRecords,
): Promise<InvestigationResult> {
  const { observations, runbook, report } = records;
  const { next_steps, ...judged } = judge(report, observations);
  const passage = observations.find(({ kind }) => kind === "passage");
  const steps = runbook && passage ? toRunbookSteps(runbook.text, passage.id) : [];
  const known = new Set(next_steps.map(({ text }) => text));
  return {
    version: 1,
    ...judged,
    summary: summarize(investigation, judged, records),
    observations: observations.slice(0, MAX_ENTRIES).map(toObservation),
    timeline: toTimeline(investigation, records, await listAlertEntries(scope, investigation, records)),
    next_steps: [...next_steps, ...steps.filter(({ text }) => !known.has(text))],
    runbook: runbook && {
      document_id: runbook.document_id,
      title: runbook.title,
      matched_by: runbook.matched_by,
    },
    tool_calls: observations.filter(({ kind }) => kind === "tool").length,
  };
}
