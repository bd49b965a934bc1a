import * as v from "valibot";

const pattern = /^[^.\s]{1,100}(?:\.[^.\s]{1,100}){0,9}$/;

const Path = v.pipe(
  v.string(),
  v.regex(pattern, "must be names or indexes joined by dots, such as data.alerts.0.title"),
  v.examples(["data.alerts.0.title"]),
);

/** Paths to the parts of an alert in a payload. */
export const AlertPaths = v.strictObject({
  title: v.optional(Path),
  text: v.optional(Path),
  severity: v.optional(Path),
  link: v.optional(Path),
});
export type AlertPaths = v.InferOutput<typeof AlertPaths>;
