import * as v from "valibot";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { defineTool } from "./tool.ts";

/** @throws ServiceError for a time zone that does not exist */
function localTime(at: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "full", timeStyle: "long" }).format(at);
  } catch {
    throw new ServiceError("validation_failed", `There is no time zone ${timeZone}. Use a name such as Europe/Berlin.`);
  }
}

export const currentTime = defineTool({
  name: "current_time",
  title: "Looking at the clock",
  description: "Tells the present date and time, in UTC and in a time zone of choice.",
  input: v.object({
    time_zone: v.optional(
      v.pipe(v.string(), v.maxLength(60), v.description("IANA name, such as Europe/Berlin; UTC by default")),
      "UTC",
    ),
  }),
  async run(_turn, { time_zone }) {
    const at = now();
    return { result: { utc: timestamp(at), time_zone, local: localTime(at, time_zone) } };
  },
});
