import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { worstHourRows, worstHours } from "../bench/cost/worst-hours.ts";
import { createRoute, synthesize } from "./synthesize.ts";

it("costs of the worst hour in docs/guides/costs.md are those that the templates and default quotas permit", () => {
  const rows = worstHourRows(worstHours(synthesize()));
  const section = /^## A flood of requests$.*?^## /ms.exec(readFileSync("docs/guides/costs.md", "utf8"))?.[0] ?? "";
  const [, , ...documented] = section.split("\n").filter((line) => line.startsWith("| "));
  expect([
    section
      .match(/^\| .*$/gm)
      ?.slice(1)
      .filter((line) => !line.startsWith("|---")),
    documented.length,
  ]).toEqual([rows, rows.length - 1]);
});

it("costs of the worst hour grow with each method without a credential", () => {
  const usd = (routes: Parameters<typeof createRoute>[0][]) => {
    const stream = { id: "followThing", path: "/v1/stream", auth: "none", streaming: true } as const;
    const [open] = worstHours(synthesize({ routes: [...routes, stream].map((route) => createRoute(route)) }));
    return open?.usd;
  };
  const one = { id: "getThing", path: "/v1/things", auth: "none" } as const;
  // GET and HEAD, each 20 requests a second at 4.40 USD per million.
  expect(usd([one])).toBeCloseTo((2 * 20 * 3_600 * 4.4) / 1_000_000, 3);
  expect(usd([one, { id: "createThing", method: "POST", path: "/v1/things" }])).toBe(usd([one]));
  expect(usd([one, { ...one, id: "createThing", method: "POST" }])).toBeCloseTo((3 * 20 * 3_600 * 4.4) / 1_000_000, 3);
});
