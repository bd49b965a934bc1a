import * as v from "valibot";
import { gateReasons, type Persona } from "../api/personas/persona.ts";
import { ServiceError } from "../lib/errors.ts";

/** Threshold that a version does not reach. `measured` is null if it is not known. */
const FailedThreshold = v.object({
  threshold: v.string(),
  required: v.number(),
  measured: v.nullable(v.number()),
});
export type FailedThreshold = v.InferOutput<typeof FailedThreshold>;

/** Why a gate stops a version, and the run of the test set that shows it. */
const GateVerdict = v.object({
  reason: v.picklist(gateReasons),
  run_id: v.nullable(v.string()),
  failed: v.array(FailedThreshold),
  /** At most 20 items whose answers do not fulfill all expectations, the required ones first. */
  item_ids: v.array(v.string()),
});
export type GateVerdict = v.InferOutput<typeof GateVerdict>;

/** Publication of a version by an administrator although the gate stopped it. */
export const GateOverride = v.object({
  ...GateVerdict.entries,
  version: v.number(),
  /** Why the administrator published it. */
  override_reason: v.string(),
  /** ISO 8601. */
  at: v.string(),
});

/** Permission to publish a version, as `clearVersion` in `shared/evaluations/gate` gives it. */
export interface Clearance {
  /** Null unless an administrator publishes the version although the gate stops it. */
  readonly gate_override: v.InferOutput<typeof GateOverride> | null;
}

const toText = ({ threshold, required, measured }: FailedThreshold) =>
  `${threshold} is ${required}, and the version has ${measured ?? "no known value"}`;

const details: Readonly<Record<GateVerdict["reason"], (verdict: GateVerdict) => string>> = {
  pending: ({ run_id }) => `The version is tested first. Repeat the publication when the test run ${run_id} has ended.`,
  failed: ({ failed, item_ids }) =>
    `The version does not pass the gate of the persona: ${[
      ...failed.map(toText),
      ...(item_ids.length > 0 ? [`items failed: ${item_ids.join(", ")}`] : []),
    ].join("; ")}.`,
  set_deleted: () =>
    "The test set of the persona's gate was deleted. An administrator has to set another gate, delete it, or override it.",
  draft_required: () =>
    "The persona has a gate. Save the change as a draft (`publish: false`), then publish its version.",
};

/** Returns the error of a publication that the gate stops. */
export const gateConflict = (verdict: GateVerdict): ServiceError =>
  new ServiceError("conflict", details[verdict.reason](verdict), { details: { gate: verdict } });

/** @throws ServiceError `forbidden` if the persona has a gate and the user is no administrator */
export function authorizeGateChange({ gate }: Pick<Persona, "gate">, { isAdmin }: { readonly isAdmin: boolean }): void {
  if (gate === null || isAdmin) return;
  throw new ServiceError("forbidden", "Only administrators can change or delete the gate of a persona.");
}
