import { describeFinding } from "../lib/codes/finding-texts.ts";

/** Names of the findings of guardrail checks, without duplicates. */
export function FindingNames({ names }: { readonly names: readonly string[] }) {
  return <>{[...new Set(names.map(describeFinding))].join(", ")}</>;
}
