import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, wholeNumber } from "../fields.ts";
import { Persona } from "./persona.ts";

const Items = v.pipe(
  v.array(Id),
  v.maxLength(50, "must have at most 50 entries"),
  v.transform((ids) => [...new Set(ids)]),
);

const Amount = v.pipe(v.number(), v.minValue(0, "must be at least 0"));

const threshold = <const Schema extends v.GenericSchema>(schema: Schema) => v.optional(v.nullable(schema), null);

const NewGate = v.pipe(
  v.strictObject({
    set_id: describe(Id, "A test set of the persona."),
    min_score: threshold(v.pipe(Amount, v.maxValue(1, "must be at most 1"))),
    required_item_ids: v.optional(Items, []),
    max_cost_usd: threshold(Amount),
    max_latency_ms: threshold(wholeNumber(1, 3_600_000)),
  }),
  v.check(
    ({ set_id, required_item_ids, ...thresholds }) =>
      required_item_ids.length > 0 || Object.values(thresholds).some((value) => value !== null),
    "must have at least one threshold",
  ),
);

const route = routeGroup({ group: "personas", auth: "jwt" });

export const updatePersonaGateRoute = route("PUT /v1/personas/{id}/gate", {
  id: "updatePersonaGate",
  body: NewGate,
  replies: { 200: Persona },
  errors: ["forbidden", "conflict"],
  summary: "Set the gate of a persona",
  description:
    "Sets the test set, and the thresholds that a version must reach in it before it is published. The owner and administrators can set one; only administrators can change it. What is published already stays so.",
});

export const deletePersonaGateRoute = route("DELETE /v1/personas/{id}/gate", {
  id: "deletePersonaGate",
  errors: ["forbidden", "conflict"],
  summary: "Delete the gate of a persona",
  description: "Only administrators can delete it. Returns 404 if the persona has none.",
});
