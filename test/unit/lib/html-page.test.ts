import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pageStyle } from "#shared/lib/html-page.ts";

/** Returns the values of the CSS custom properties that a style sheet declares, by name. */
const tokens = (css: string) =>
  new Map([...css.matchAll(/^\s*(--[\w-]+): (.+);$/gm)].map(([, name = "", value = ""]) => [name, value]));

it("HTML pages that functions render use the colors of the console's design tokens", () => {
  const design = tokens(readFileSync("functions/web/design/tokens.css", "utf8"));
  const used = tokens(pageStyle);
  expect(used.size).toBeGreaterThan(8);
  for (const [name, value] of used) expect([name, value]).toEqual([name, design.get(name)]);
});
