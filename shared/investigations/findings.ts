import * as v from "valibot";
import { trimmedText } from "../api/fields.ts";

/** Report of the model: hypotheses about the cause of an incident with their evidence, and next steps. */
export const FindingsReport = v.object({
  hypotheses: v.pipe(
    v.array(
      v.object({
        claim: trimmedText(500),
        evidence: v.pipe(v.array(v.object({ observation: trimmedText(20), quote: trimmedText(500) })), v.maxLength(10)),
        test: trimmedText(500),
        outcome: v.picklist(["supported", "refuted", "untested"]),
        confidence: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
      }),
    ),
    v.maxLength(8, "must have at most 8 hypotheses"),
  ),
  next_steps: v.pipe(
    v.optional(
      v.array(
        v.object({
          text: trimmedText(500),
          observation: trimmedText(20),
          command: v.optional(v.nullable(trimmedText(500)), null),
          link: v.optional(v.nullable(trimmedText(2_000)), null),
        }),
      ),
      [],
    ),
    v.maxLength(10, "must have at most 10 steps"),
  ),
});
export type FindingsReport = v.InferOutput<typeof FindingsReport>;
