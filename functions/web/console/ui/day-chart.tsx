import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { getLocale, language } from "../lib/i18n.ts";
import { theme } from "../lib/theme.ts";

/** Values per day: bars in one color. */
interface Series {
  readonly label: string;
  /** Days as `2026-01-31`, in order and without gaps. */
  readonly days: readonly string[];
  readonly values: readonly number[];
}

const HEIGHT = 250;

/** Returns the current value of a design token. */
function token(name: string): string {
  // `light-dark()` is resolved by a property, not by the custom property itself.
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

interface ChartProps {
  readonly series: Series;
  /** Value of all days; by default the sum of the values. */
  readonly total?: number;
  readonly format: (value: number) => string;
}

/** Bar chart of values per day. Its table follows it for screen readers and exact values. */
export function DayChart({ series, total, format }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const { label, days, values } = series;
  useEffect(() => {
    const container = element.current;
    if (!container || days.length === 0) return;
    const [accent, muted, border] = [token("--accent-solid"), token("--muted"), token("--border")];
    const axis = { stroke: muted, font: "12px system-ui, sans-serif", grid: { stroke: border, width: 1 } };
    const dates = new Intl.DateTimeFormat(getLocale(), { day: "numeric", month: "short", timeZone: "UTC" });
    const chart = new uPlot(
      {
        width: container.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { points: { show: false }, y: false },
        scales: {
          x: { time: false, range: () => [-0.6, days.length - 0.4] },
          y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            ticks: { show: false },
            values: (_, splits) =>
              splits.map((index) => {
                const day = Number.isInteger(index) ? days[index] : undefined;
                return day ? dates.format(new Date(day)) : "";
              }),
            space: 70,
          },
          { ...axis, ticks: { show: false }, size: 66, values: (_, splits) => splits.map(format) },
        ],
        series: [
          {},
          {
            label,
            fill: accent,
            stroke: accent,
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars?.({ size: [0.7, 34], radius: 0.2 }) ?? (() => null),
          },
        ],
      },
      [days.map((_, index) => index), [...values]],
      container,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: container.clientWidth, height: HEIGHT }));
    observer.observe(container);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [days.join(), values.join(), label, theme.value, language.value]);
  const shownTotal = format(total ?? values.reduce((sum, value) => sum + value, 0));
  return <div class="chart" ref={element} role="img" aria-label={`${label}: ${shownTotal}`} />;
}
