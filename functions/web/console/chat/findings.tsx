import { describeFinding } from "../lib/codes/finding-texts.ts";

/** Words for what checks found, each once. */
export function Findings({ names }: { readonly names: readonly string[] }) {
  return <>{[...new Set(names.map(describeFinding))].join(", ")}</>;
}
