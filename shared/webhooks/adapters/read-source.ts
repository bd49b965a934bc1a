import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import type { Severity } from "../../api/webhooks/investigate.ts";
import {
  details,
  isTime,
  limitMetadata,
  MAX_ALERT_TEXT_LENGTH,
  MAX_ID_LENGTH,
  shorten,
  toFacts,
  toTimestamp,
} from "./fields.ts";
import { findText, type Place, placesBefore, textsOf, topFields, valueAt } from "./paths.ts";
import type { AlertSource } from "./source.ts";
import type { AlertDefaults, AlertPayload, AlertState, NormalizedAlert } from "./types.ts";
import { namedSeverity, namedState } from "./words.ts";

/** Text of an alert in which none is found. */
const NO_TEXT = "(no description)";

const MAX_LINK_LENGTH = 2_000;

/** Returns true if a payload has the form of a source. */
export const hasMarks = ({ marks = [], matches }: AlertSource, payload: AlertPayload): boolean =>
  marks.some((paths) => paths.every((path) => valueAt(payload, path) !== undefined)) || (matches?.(payload) ?? false);

/** Returns a source whose parts are read at the paths of a channel first. */
export function withPaths(source: AlertSource, paths: AlertPaths | null | undefined): AlertSource {
  if (!paths) return source;
  const { states, ...places } = paths;
  const parts = Object.entries(places) as [keyof typeof places, string][];
  const changed = Object.fromEntries(parts.map(([part, path]) => [part, placesBefore(path, source[part])]));
  const words = Object.entries(states ?? {}).map(([state, list]) => [state, list.join("|").toLowerCase()]);
  return {
    ...source,
    ...changed,
    // The id at the configured path is the incident's.
    ...(paths.id && { incident: paths.id, event: undefined }),
    channelWords: Object.fromEntries(words),
  };
}

/** Returns the top-level fields that a source reads. */
export const fieldsOf = (source: AlertSource, payload: AlertPayload): readonly string[] => [
  ...(typeof source.fields === "function" ? source.fields(payload) : (source.fields ?? [])),
  ...[source.title, source.text, source.severity, source.state, source.time, source.link, source.id]
    .concat(source.incident ?? [], source.event ?? [], Object.values(source.facts ?? {}))
    .flatMap(topFields),
];

const first = <Value>(texts: readonly string[], convert: (text: string) => Value | null): Value | null => {
  for (const text of texts) {
    const value = convert(text);
    if (value !== null) return value;
  }
  return null;
};

function severityOf(source: AlertSource, payload: AlertPayload, state: AlertState | null): Severity {
  const texts = textsOf(payload, source.severity);
  const stated = first(texts, (text) => namedSeverity(text, source.severityWords));
  if (stated) return stated;
  const { severityOf: fallback = state === "resolved" ? "low" : "medium" } = source;
  return typeof fallback === "function" ? fallback(state, payload) : fallback;
}

function eventKeyOf(
  { event }: AlertSource,
  payload: AlertPayload,
  defaultParts: readonly [id: string | null, state: string | null, time: string | null],
): string | null {
  if (event) {
    const [id = null, ...others] = event.map((place: Place) => findText(payload, place));
    return id === null ? null : others.length === 0 ? id : JSON.stringify([id, ...others]);
  }
  const [id, , time] = defaultParts;
  return id === null || time === null ? null : JSON.stringify(defaultParts);
}

/** Reads an alert from a payload. A part that is missing gets a default, because no alert is refused for its form. */
export function readSource(
  source: AlertSource,
  original: AlertPayload,
  { nowMs, newAlertId }: AlertDefaults,
): Omit<NormalizedAlert, "guessedPaths"> {
  const payload = source.prepare?.(original) ?? original;
  const find = (part: "title" | "text" | "link" | "id") => findText(payload, source[part]);
  const provider = source.provider ?? "custom";
  const isTest = source.isTest?.(payload) ?? false;
  const state = first(textsOf(payload, source.state), (text) =>
    namedState(text, source.channelWords, source.stateWords),
  );
  const [title, text, id, link] = [find("title"), find("text"), find("id"), find("link")];
  // Templates send names of variables in place of times that do not exist.
  const time = textsOf(payload, source.time).find(isTime) ?? null;
  const description = text ?? title ?? NO_TEXT;
  // Tools without a format of their own send one text as title and as text.
  const shownTitle = provider === "custom" && title === description ? null : title;
  const incident = source.incident === undefined ? id : findText(payload, source.incident ?? undefined);
  const facts = Object.entries(source.facts ?? {}).map(([label, places]) => [label, findText(payload, places)]);
  const alert = {
    provider,
    severity: isTest ? "low" : severityOf(source, payload, state),
    title: shownTitle === null ? null : shorten(shownTitle, provider === "custom" ? 1_000 : MAX_ALERT_TEXT_LENGTH),
    description: shorten(description, MAX_ALERT_TEXT_LENGTH),
    alert_id: id === null ? newAlertId : shorten(id, MAX_ID_LENGTH),
    triggered_at: toTimestamp(time, nowMs),
    state,
    is_test: isTest,
    details: details(
      {
        ...(provider === "custom" && source.name && { Source: source.name }),
        State: state,
        ...Object.fromEntries(facts),
      },
      toFacts(source.moreFacts?.(payload)),
    ),
    link: link === null ? null : shorten(link, MAX_LINK_LENGTH),
  } as const;
  const metadata = limitMetadata(source.metadata?.(payload, alert) ?? original);
  return {
    alert: { ...alert, metadata },
    eventKey: eventKeyOf(source, payload, [id, state, time]),
    incident: isTest || incident === null ? null : shorten(incident, MAX_ID_LENGTH),
    isTimed: time !== null,
  };
}
