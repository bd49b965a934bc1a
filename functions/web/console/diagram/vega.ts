import type * as Vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import type * as VegaLite from "vega-lite";
import { serveDrawings } from "./frame.ts";

/** Libraries that the page loads before this program. */
declare const vega: Pick<typeof Vega, "parse" | "View">;
declare const vegaLite: Pick<typeof VegaLite, "compile">;

/** Refuses data and images of other hosts: charts contain their data. */
const refuse = () => Promise.reject(new Error("Charts cannot load data."));
const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse, options: {} };

const DEFAULT_WIDTH = 520;

function configOf(isDark: boolean) {
  const color = isDark ? "#d8d8e4" : "#33343f";
  const lines = isDark ? "#4a4b57" : "#d5d6de";
  const axis = { labelColor: color, titleColor: color, gridColor: lines, domainColor: lines, tickColor: lines };
  const text = { labelColor: color, titleColor: color };
  return { background: "transparent", axis, legend: text, header: text, title: { color }, view: { stroke: lines } };
}

serveDrawings(async ({ source, isDark, width }) => {
  const spec = JSON.parse(source) as { width?: unknown; $schema?: string; config?: object };
  const isVega = /\/vega\/v\d/.test(String(spec.$schema));
  const sized = { ...spec, width: typeof spec.width === "number" ? spec.width : Math.min(width - 80, DEFAULT_WIDTH) };
  const chart = isVega ? spec : vegaLite.compile(sized as VegaLite.TopLevelSpec, { config: configOf(isDark) }).spec;
  // The interpreter evaluates expressions without `eval`, which the content security policy forbids.
  const runtime = vega.parse(chart as Vega.Spec, isVega ? configOf(isDark) : undefined, { ast: true });
  const view = new vega.View(runtime, { expr: expressionInterpreter, renderer: "none", loader } as object);
  return view.toSVG();
});
