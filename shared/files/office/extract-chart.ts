import type { Segment } from "../segments/segments.ts";
import { walkXml } from "../walk-xml.ts";

const MAX_POINTS = 2_000;
const MAX_SERIES = 64;

/** Name of a data series, and its categories and values by the index of the point. */
interface Series {
  name: string;
  readonly categories: string[];
  readonly values: string[];
}

/** Extracts a chart as segments: its titles, and a table with the saved values of its data series. */
export function extractChart(xml: string, page: number): Segment[] {
  const series: Series[] = [];
  const titles: string[] = [];
  let title = "";
  let text = "";
  let part: "name" | "categories" | "values" | null = null;
  let point = 0;
  let isInText = false;
  walkXml(xml, {
    open(name, { idx = "" }) {
      if (name === "ser" && series.length < MAX_SERIES) series.push({ name: "", categories: [], values: [] });
      else if (name === "tx") part = "name";
      else if (name === "cat" || name === "xVal") part = "categories";
      else if (name === "val" || name === "yVal") part = "values";
      else if (name === "pt") point = Math.trunc(Number(idx));
      else if (name === "v" || name === "t") {
        text = "";
        isInText = true;
      }
    },
    close(name) {
      const current = series.at(-1);
      if (name === "t") title += text;
      else if (name === "title" && title.trim()) titles.push(title.trim());
      else if (name === "v" && current && part === "name") current.name = text.trim();
      else if (name === "v" && current && part && part !== "name" && point >= 0 && point < MAX_POINTS) {
        const points = current[part];
        while (points.length < point) points.push("");
        points[point] = text.trim();
      }
      if (name === "title") title = "";
      if (name === "v" || name === "t") isInText = false;
    },
    text(data) {
      if (isInText) text += data;
    },
  });
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const count = Math.max(0, ...series.map(({ values }) => values.length), categories.length);
  const rows = Array.from({ length: count }, (_, index) => [
    categories[index] ?? "",
    ...series.map(({ values }) => values[index] ?? ""),
  ]);
  const header = ["", ...series.map(({ name }) => name)];
  const table: Segment[] = count > 0 ? [{ kind: "table", rows: [header, ...rows], page }] : [];
  return [...titles.map((one): Segment => ({ kind: "text", text: one, page })), ...table];
}
