import * as v from "valibot";
import { describe } from "../fields.ts";

const pattern = /^[^.\s{}]{1,100}(?:\.[^.\s{}]{1,100}){0,9}$/;

const Path = v.pipe(
  v.string(),
  v.regex(pattern, "must be names or indexes joined by dots, such as data.alerts.0.title"),
  v.examples(["data.alerts.0.title"]),
);

const Words = v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(100))), v.maxLength(20));

/** Words that a tool sends for the states of an incident. */
const StateWords = v.strictObject({
  open: v.optional(Words),
  acknowledged: v.optional(Words),
  resolved: v.optional(Words),
});

/** Paths to the parts of an alert in a payload. `*` stands for all entries of a list. */
export const AlertPaths = v.strictObject({
  title: v.optional(Path),
  text: v.optional(Path),
  severity: v.optional(Path),
  link: v.optional(Path),
  id: describe(v.optional(Path), "The id that all events of one incident have."),
  state: v.optional(Path),
  time: v.optional(Path),
  states: describe(
    v.optional(StateWords),
    "Words at the path of the state in addition to the usual ones, such as `firing` and `resolved`.",
  ),
});
export type AlertPaths = v.InferOutput<typeof AlertPaths>;
