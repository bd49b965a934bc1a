import * as v from "valibot";
import { describe } from "../../api/fields.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { defineTool } from "./tool.ts";

/** @throws ServiceError `validation_failed` for an unknown time zone */
function formatLocalTime(epochMs: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "full", timeStyle: "long" }).format(epochMs);
  } catch {
    throw new ServiceError(
      "validation_failed",
      `There is no time zone ${timeZone}. Use an IANA name such as Europe/Berlin.`,
    );
  }
}

export const currentTimeTool = defineTool({
  name: "current_time",
  title: "Checking the time",
  description: "Returns the current date and time, in UTC and in a given time zone.",
  input: v.object({
    time_zone: v.optional(
      describe(v.pipe(v.string(), v.maxLength(60)), "IANA name, such as Europe/Berlin; UTC by default"),
      "UTC",
    ),
  }),
  async run(_turn, { time_zone }) {
    const epochMs = now();
    return { result: { utc: timestamp(epochMs), time_zone, local: formatLocalTime(epochMs, time_zone) } };
  },
});
