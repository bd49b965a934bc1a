import { defaultGuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { Turn } from "./turn.ts";

/** Turn as it is stored while its run is paused; the names must not change because a run can resume in a later release. */
interface StoredTurn
  extends Omit<
    Turn,
    "signal" | "isInCrisis" | "canRemember" | "requiresApproval" | "isFinal" | "pendingToolCalls" | "toolDecision"
  > {
  readonly needsCare: Turn["isInCrisis"];
  readonly remembers: Turn["canRemember"];
  readonly signOff: Turn["requiresApproval"];
  readonly settled: Turn["isFinal"];
  readonly pending: Turn["pendingToolCalls"];
  readonly decided: Turn["toolDecision"];
}

/** Serializes a turn whose run pauses. */
export function serializeTurn(turn: Turn): string {
  const { signal, isInCrisis, canRemember, requiresApproval, isFinal, pendingToolCalls, toolDecision, ...rest } = turn;
  const stored: StoredTurn = {
    ...rest,
    needsCare: isInCrisis,
    remembers: canRemember,
    signOff: requiresApproval,
    settled: isFinal,
    pending: pendingToolCalls,
    decided: toolDecision,
  };
  return JSON.stringify(stored);
}

/** Restores a serialized turn. */
export function deserializeTurn(state: string, signal: AbortSignal): Turn {
  const { needsCare, remembers, signOff, settled, pending, decided, ...rest } = JSON.parse(state) as StoredTurn;
  return {
    ...rest,
    // A run that paused in an earlier release has neither a guardrail policy nor a canary.
    guardrails: rest.guardrails ?? defaultGuardrailPolicy,
    canary: rest.canary ?? "",
    // A run that paused in an earlier release has already sent its text.
    isHeld: rest.isHeld ?? false,
    redactedFormats: rest.redactedFormats ?? [],
    checks: rest.checks ?? [],
    signal,
    isInCrisis: needsCare,
    canRemember: remembers,
    requiresApproval: signOff,
    isFinal: settled,
    pendingToolCalls: pending,
    toolDecision: decided,
  };
}
