import * as v from "valibot";
import { describe, lineOf, TimeZone, wholeNumber } from "../fields.ts";

const Day = v.picklist(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]);

const TimeOfDay = v.pipe(
  v.string(),
  v.regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be a time of day from 00:00 to 24:00"),
);

const Period = v.pipe(
  v.strictObject({
    days: v.pipe(v.array(Day), v.minLength(1, "must name at least one day")),
    from: TimeOfDay,
    to: TimeOfDay,
  }),
  v.check(({ from, to }) => from < to, "must end after it begins; divide a night into two periods"),
);

export const OpeningHours = v.strictObject({
  time_zone: TimeZone,
  periods: v.pipe(
    v.array(Period),
    v.minLength(1, "must have at least one period"),
    v.maxLength(14, "must have at most 14 periods"),
  ),
  holidays: describe(
    v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.isoDate("must be a date such as 2026-12-25"))),
        v.maxLength(100, "must have at most 100 dates"),
      ),
      [],
    ),
    "Dates on which it is closed.",
  ),
});
export type OpeningHours = v.InferOutput<typeof OpeningHours>;

/** Settings with which visitors of a website are handed over to a person. */
export const HandoverSettings = v.strictObject({
  wait_minutes: describe(
    v.optional(wholeNumber(1, 240), 10),
    "The minutes that a visitor waits for a person. Then the assistant answers again, and the visitor can leave an address.",
  ),
  hours: describe(
    v.optional(v.nullable(OpeningHours), null),
    "The time in which persons answer. Null for always. Outside of it, visitors can leave an address.",
  ),
  words: describe(
    v.optional(v.pipe(v.array(lineOf(60)), v.maxLength(50, "must have at most 50 entries")), []),
    "Words and phrases. A message that contains one is given to a person, and the assistant does not answer it.",
  ),
  after_unanswered: describe(
    v.optional(v.nullable(wholeNumber(1, 10)), 2),
    "The number of consecutive answers without a source after which a person is asked for. Null for never.",
  ),
  shows_names: describe(v.optional(v.boolean(), true), "False if visitors do not see the name of the person."),
});
export type HandoverSettings = v.InferOutput<typeof HandoverSettings>;
