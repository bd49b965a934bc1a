import type { Severity } from "../../../api/webhooks/investigate.ts";
import { affectedIn, parseCommonFields } from "../fields.ts";
import { findText, type Places, textAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload, AlertState } from "../types.ts";
import { namedState } from "../words.ts";

const stateWords = {
  open: "triggered|re-triggered|renotify|warn|re-warn|no data|re-no data",
  resolved: "recovered",
};
const transitions: ReadonlySet<string> = new Set(Object.values(stateWords).join("|").split("|"));

/** Marks at the start of an event's title, such as `[P1] [Triggered on {host:web-1}] CPU is high`. */
const marksOf = (title: string | null) => [...(title ?? "").matchAll(/\[([^[\]]+)\]/g)].map(([, mark = ""]) => mark);

const titlePlaces: Places = ["alert_title", "title"];
const transitionOfMark = (mark: string) => mark.split(" on {")[0] ?? "";
const isTransition = (mark: string) => transitions.has(transitionOfMark(mark).toLowerCase());
const marksIn = (payload: AlertPayload) => marksOf(findText(payload, ["title", "alert_title"]));

const transitionPlaces: Places = [
  "alert_transition",
  "transition",
  (payload) => marksIn(payload).filter(isTransition).map(transitionOfMark)[0],
];
const timePlaces: Places = ["last_updated", "date", "triggered_at"];
const priorityPlaces: Places = [
  "alert_priority",
  "priority",
  (payload) => marksIn(payload).find((mark) => /^P[1-5]$/.test(mark)),
];

/**
 * Returns the incident of an event: the cycle of its monitor, or else the monitor and the scope in the title. The default payload
 * has neither, but a title that differs between two events of a monitor only in its transition.
 */
function incidentOf(payload: AlertPayload): string | null {
  const cycle = textAt(payload, "alert_cycle_key");
  if (cycle) return cycle;
  const title = findText(payload, titlePlaces);
  if (!findText(payload, transitionPlaces) || !title) return null;
  const scope =
    textAt(payload, "alert_scope") ??
    marksIn(payload)
      .find(isTransition)
      ?.replace(/^[^{]*/, "");
  const name = title.replaceAll(/\[([^[\]]+)\]\s*/g, (mark, text: string) => (isTransition(text) ? "" : mark));
  return JSON.stringify([textAt(payload, "alert_id") ?? name.trim(), scope ?? ""]);
}

const severityWords = {
  critical: "critical|p1",
  high: "error|p2",
  medium: "warning|p3",
  low: "info|success|p4|p5|low|normal",
};

/** Returns the severity of an event of the default payload, which states only a transition; `low` for any other. */
function severityOf(state: AlertState | null, payload: AlertPayload): Severity {
  if (!("event_type" in payload) || state !== "open") return "low";
  return /^(?:re-)?triggered$/i.test(findText(payload, transitionPlaces) ?? "") ? "high" : "medium";
}

/** Fields that only Datadog's payloads have; a generic alert can have an id as well. */
const ownFields = [
  ..."alert_title alert_status alert_transition alert_severity alert_type alert_priority alert_metric alert_query".split(
    " ",
  ),
  ..."alert_scope alert_cycle_key body last_updated link id event_type title date org org_name message text_only_msg".split(
    " ",
  ),
  ..."event_msg hostname priority service tags transition event_url org_id date_posix aggreg_key event_id".split(" "),
];

/** Returns true for a payload of the generic format that has an id, by which it is taken for Datadog's. */
export const isGenericWithId = (payload: AlertPayload): boolean => !ownFields.some((field) => field in payload);

/**
 * Monitors of Datadog, in the payload that the guide recommends, in the default payload, or in one whose fields are named after
 * Datadog's variables.
 * @see https://docs.datadoghq.com/integrations/webhooks/
 */
export const datadogSource: AlertSource = {
  name: "Datadog",
  provider: "datadog",
  marks: [["alert_id"], ["alert_transition"], ["event_type", "last_updated", "title"]],
  title: titlePlaces,
  text: ["body", "text_only_msg", "event_msg", "message", "description", "alert_title", "title"],
  // A stated severity that is not known is low.
  severity: [
    (payload) => {
      const stated = textAt(payload, "alert_severity");
      return stated && (/^(critical|error|warning)$/.test(stated) ? stated : "low");
    },
    ...priorityPlaces,
    "alert_type",
    (payload) => parseCommonFields(payload).severity,
  ],
  severityWords,
  severityOf,
  state: (payload) => {
    const transition = findText(payload, transitionPlaces);
    return transition && namedState(transition, stateWords) && transition;
  },
  stateWords,
  time: timePlaces,
  link: ["link", "event_url"],
  id: ["alert_id", "id"],
  incident: incidentOf,
  // `alert_id` identifies the monitor, so each transition of the monitor is an event of its own.
  event: [
    (payload) => {
      const [id, time] = [findText(payload, ["alert_id", "id"]), findText(payload, timePlaces)];
      return id && time && JSON.stringify([id, findText(payload, transitionPlaces), time]);
    },
  ],
  facts: {
    Status: "alert_status",
    Transition: transitionPlaces,
    Priority: priorityPlaces,
    Type: "alert_type",
    Service: "service",
    Host: "hostname",
    Metric: "alert_metric",
    Query: "alert_query",
    Scope: "alert_scope",
    Tags: "tags",
    Organization: ["org.name", "org_name"],
    Affected: affectedIn,
  },
  moreFacts: (payload) => parseCommonFields(payload).metadata ?? {},
  metadata: (payload, { title }) => {
    const { affected_entities, metadata } = parseCommonFields(payload);
    const alert_type = textAt(payload, "alert_type");
    return {
      title,
      status: textAt(payload, "alert_status"),
      transition: findText(payload, transitionPlaces),
      ...(alert_type && { alert_type }),
      ...(affected_entities && { affected_entities }),
      ...metadata,
    };
  },
  fields: [...ownFields, "severity", "description", "triggered_at", "affected_entities", "metadata"],
};
