import * as v from "valibot";

const text = (characters: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "must not be empty"),
    v.maxLength(characters, `must have at most ${characters} characters`),
  );

/** Report of the model: hypotheses about the cause of an incident with their evidence, and next steps. */
export const FindingsReport = v.object({
  hypotheses: v.pipe(
    v.array(
      v.object({
        claim: text(500),
        evidence: v.pipe(v.array(v.object({ observation: text(20), quote: text(500) })), v.maxLength(10)),
        test: text(500),
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
          text: text(500),
          observation: text(20),
          command: v.optional(v.nullable(text(500)), null),
          link: v.optional(v.nullable(text(2_000)), null),
        }),
      ),
      [],
    ),
    v.maxLength(10, "must have at most 10 steps"),
  ),
});
export type FindingsReport = v.InferOutput<typeof FindingsReport>;
