import * as v from "valibot";
import { isStorable } from "../../api/json.ts";
import { Severity } from "../../api/webhooks/investigate.ts";
import { truncate } from "../../lib/truncate.ts";
import type { AlertPayload } from "./types.ts";

export const MAX_ALERT_TEXT_LENGTH = 20_000;
export const MAX_ID_LENGTH = 200;

/** Maximum length of an alert's metadata as JSON, in characters. */
const MAX_METADATA_LENGTH = 50_000;

/** Truncates a value and appends an ellipsis, because no alert is rejected for its length. */
export function shorten(value: string | number, maxLength: number): string {
  const text = String(value);
  return text.length <= maxLength ? text : `${truncate(text, maxLength - 1)}…`;
}

/** Returns a schema for a required text, which it truncates. */
const requiredText = (maxLength: number) =>
  v.pipe(
    v.string(),
    v.transform((value) => shorten(value, maxLength)),
  );

/** Returns a schema for a text or number that may be absent, which it converts to text and truncates. */
const optionalText = (maxLength = MAX_ID_LENGTH) =>
  v.nullish(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform((value) => shorten(value, maxLength)),
    ),
  );

/** Upper limits by which the unit of an epoch time is recognized, and the factors that convert it to milliseconds. */
const epochUnits = [
  [1e11, 1_000],
  [1e14, 1],
  [1e17, 1e-3],
  [Number.POSITIVE_INFINITY, 1e-6],
] as const;

function toEpochMs(value: string | number | null | undefined): number {
  const number = Number(value || Number.NaN);
  const factor = epochUnits.find(([limit]) => number < limit)?.[1] ?? 1;
  return Number.isNaN(number) ? Date.parse(String(value ?? "")) : Math.floor(number * factor);
}

const toDate = (value: string | number | null | undefined) => new Date(toEpochMs(value));

/** Returns true for a text that `toTimestamp` converts. */
export const isTime = (value: string): boolean => !Number.isNaN(toDate(value).getTime());

/**
 * Converts the time of a provider to ISO 8601, from ISO 8601 or from epoch seconds, milli-, micro- or nanoseconds.
 * @returns the current time if the value is not a time
 */
export function toTimestamp(value: string | number | null | undefined, nowMs: number): string {
  const date = toDate(value);
  return (Number.isNaN(date.getTime()) ? new Date(nowMs) : date).toISOString();
}

/** Returns the metadata, or a note in its place if it is too large or nested too deeply to be stored. */
export function limitMetadata(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isStorable(metadata) && JSON.stringify(metadata).length <= MAX_METADATA_LENGTH
    ? metadata
    : { omitted: "The metadata was too large to store." };
}

/** Maximum number of facts that are taken from a free-form object. */
const MAX_SHOWN_ENTRIES = 30;

/**
 * Returns the entries of a free-form object as facts for the message. Nested values become JSON, empty ones are left
 * out.
 */
export function toFacts(record: Readonly<Record<string, unknown>> | null | undefined): Record<string, string> {
  const entries = Object.entries(record ?? {}).flatMap(([key, value]) =>
    value === null || value === undefined || value === ""
      ? []
      : [[shorten(key, 100), typeof value === "object" ? JSON.stringify(value) : String(value)]],
  );
  return Object.fromEntries(entries.slice(0, MAX_SHOWN_ENTRIES));
}

/**
 * Returns facts for the message without empty values.
 * @param labels facts by label
 * @param facts free-form facts to append; they never replace one in `labels`
 */
export function details(
  labels: Readonly<Record<string, string | null | undefined>>,
  facts: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const appended = Object.entries(facts).filter(([label]) => !(label in labels));
  const entries = [...Object.entries(labels), ...appended].flatMap(([label, value]) =>
    value ? [[label, shorten(value, 1_000)]] : [],
  );
  return Object.fromEntries(entries);
}

/** Schema for the entities that an alert in the generic format concerns. */
const AffectedEntities = v.nullish(
  v.pipe(
    v.array(
      v.looseObject({
        entity_type: v.picklist(["user", "project", "conversation", "tenant"]),
        entity_id: v.pipe(requiredText(MAX_ID_LENGTH), v.minLength(1)),
      }),
    ),
    v.maxLength(100, "must name at most 100 entities"),
  ),
);

const CommonFields = v.looseObject({
  severity: v.fallback(v.optional(Severity), undefined),
  description: v.fallback(optionalText(MAX_ALERT_TEXT_LENGTH), undefined),
  triggered_at: v.fallback(optionalText(), undefined),
  affected_entities: v.fallback(AffectedEntities, undefined),
  metadata: v.fallback(v.nullish(v.record(v.string(), v.unknown())), undefined),
});

/**
 * Reads the fields of the generic format from any payload. A payload in the generic format may be taken for another
 * provider's, for example because it contains `alert_id`; its description must not be lost then.
 */
export const parseCommonFields = (payload: AlertPayload) => v.parse(CommonFields, payload);

/** Returns the entities of the generic format as text. */
export const affectedIn = (payload: AlertPayload): string | undefined =>
  parseCommonFields(payload)
    .affected_entities?.map(({ entity_type, entity_id }) => `${entity_type} ${entity_id}`)
    .join(", ");
