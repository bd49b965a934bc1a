import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Formula } from "../../../../../shared/markdown/markdown-math.ts";

/** LaTeX formula as MathML. Shows the source until the library is loaded, and if the formula is not valid. */
export function FormulaView({ source, value, isDisplay }: Pick<Formula, "source" | "value" | "isDisplay">) {
  const [rendered, setRendered] = useState<ComponentChildren>(null);
  useEffect(() => {
    let isShown = true;
    import("./formulas.ts").then(
      ({ renderFormula }) => isShown && setRendered(renderFormula(value, isDisplay)),
      // The source remains.
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [value, isDisplay]);
  if (rendered === null) return <code class={`formula ${isDisplay ? "display" : ""}`}>{source}</code>;
  return isDisplay ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div class="formula-block" role="group" aria-label={source} tabIndex={0}>
      {rendered}
    </div>
  ) : (
    rendered
  );
}
