import type { StoredInvestigation } from "./investigation-store.ts";

const verdicts = { confirmed: "Cause found", probable: "Probable cause", inconclusive: "No cause proven" } as const;

/** Returns the result of an investigation as plain text of at most 5,000 characters, or null before it has one. */
export function renderPlainResult({ result, cause }: StoredInvestigation): string | null {
  if (!result) return null;
  // Steps of the model are its own words, which alerts may have written; those of a runbook are not.
  const isOfRunbook = ({ observation }: { readonly observation: string | null }) => observation?.startsWith("p");
  const steps = result.next_steps
    .filter(isOfRunbook)
    .slice(0, 5)
    .map(({ text }) => `- ${text}`);
  const heading = `Investigation: ${verdicts[result.verdict]}${cause ? `: ${cause}` : ""}`;
  return [heading, result.summary, steps.length > 0 ? `Next steps:\n${steps.join("\n")}` : ""]
    .filter(Boolean)
    .join("\n\n")
    .slice(0, 5_000);
}
