import type { HandoverSettings } from "../../../../shared/api/embed/handover-settings.ts";
import { t } from "../lib/i18n.ts";
import type { Draft, FieldRule } from "../lib/schema-fields.ts";
import type { FormField } from "../ui/form-fields.tsx";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const isOffered: FieldRule = {
  ...{ type: "boolean", isRequired: false, emptyValue: undefined },
  ...{ options: [], minimum: null, maximum: null },
};

/** Matches a line with opening hours, such as `mon-fri 09:00-17:00`. */
const line = /^(\w{3})(?:\s*-\s*(\w{3}))?\s+(\d\d:\d\d)\s*-\s*(\d\d:\d\d)$/;

type Period = NonNullable<HandoverSettings["hours"]>["periods"][number];

const indexOf = (day: string | undefined) => days.indexOf(day as Period["days"][number]);

/** Returns the days of a line, in which the second one can be in the next week. */
function daysBetween(first: string, last: string | undefined): Period["days"] {
  const from = indexOf(first);
  const count = last === undefined ? 1 : ((indexOf(last) - from + 7) % 7) + 1;
  // The service refuses days that it does not know.
  if (from === -1 || (last !== undefined && indexOf(last) === -1)) return [first as Period["days"][number]];
  return Array.from({ length: count }, (_, index) => days[(from + index) % 7] ?? "mon");
}

// The service refuses a line of another form, whose text is then its day.
const toPeriod = (text: string): Period => {
  const [, first = text, last, from = "", to = ""] = line.exec(text.trim().toLowerCase()) ?? [];
  return { days: daysBetween(first, last), from, to };
};

const toLine = ({ days: [first, ...others], from, to }: Period) =>
  `${[first, ...others.slice(-1)].join("-")} ${from}-${to}`;

/** A period whose days do not follow one another is a line for each day. */
const toLines = (period: Period): string[] =>
  daysBetween(period.days[0] ?? "", period.days.at(-1)).join() === period.days.join() || period.days.length === 1
    ? [toLine(period)]
    : period.days.map((day) => toLine({ ...period, days: [day] }));

/** Periods as lines, which a field shows before they are changed, or the text after that. */
const toPeriods = (draft: Draft) =>
  (typeof draft === "string" ? draft.split("\n") : ((draft ?? []) as string[]))
    .filter((text) => text.trim() !== "")
    .map(toPeriod);

/** Returns the values with which the fields of the hand-over begin. */
export function toHandoverDrafts(handover: HandoverSettings | null) {
  const { time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone, holidays = [] } = handover?.hours ?? {};
  const periods = handover?.hours?.periods.flatMap(toLines) ?? [];
  return { $handover: handover !== null, handover: { ...handover, hours: { time_zone, holidays, periods } } };
}

/** Returns the settings as they are stored: without periods, persons always answer. */
export const withoutEmptyHours = <Settings extends { hours?: { periods?: readonly unknown[] } | null }>(
  settings: Settings | null | undefined,
) => ({ ...settings, hours: settings?.hours?.periods?.length ? settings.hours : null }) as Settings;

type Setting =
  | "wait_minutes"
  | `hours.${"periods" | "time_zone" | "holidays"}`
  | "words"
  | "after_unanswered"
  | "shows_names";

const settingFields = (): readonly FormField<`handover.${Setting}`>[] => [
  { name: "handover.wait_minutes", label: t("Minutes that a visitor waits") },
  {
    name: "handover.hours.periods",
    label: t("Opening hours, one period per line"),
    hint: t("Such as mon-fri 09:00-17:00. Empty for always."),
    rows: 3,
    parse: toPeriods,
  },
  { name: "handover.hours.time_zone", label: t("Time zone") },
  { name: "handover.hours.holidays", label: t("Closed on, one date per line"), hint: t("Such as 2026-12-25"), rows: 2 },
  {
    name: "handover.words",
    label: t("Words with which a message goes to a person, one per line"),
    rows: 3,
  },
  {
    name: "handover.after_unanswered",
    label: t("Answers without a source after which a person is asked for"),
    hint: t("In a row. Empty for never."),
  },
  { name: "handover.shows_names", label: t("Visitors see the name of the person") },
];

/** Fields with which visitors of a widget can ask for a person. */
export const handoverFields = (get: (name: `$${string}`) => Draft): readonly FormField<`handover.${Setting}`>[] => [
  {
    name: "$handover",
    label: t("Visitors can ask for a person"),
    hint: t("People with the permission for it answer them under Operate, Visitors."),
    rule: isOffered,
  },
  ...(get("$handover") ? settingFields() : []),
];
