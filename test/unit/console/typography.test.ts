import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const styles = ["functions/web/console/styles", "functions/web/docs", "functions/web/design"].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".css"))
    .map((file) => readFileSync(join(folder, file), "utf8")),
);

it("style sheets of the console and the documentation have one weight for labels", () => {
  const weights = styles.flatMap((css) => [...css.matchAll(/font-weight: ([^;]+);/g)].map(([, weight]) => weight));
  expect(new Set(weights)).toEqual(new Set(["400", "var(--weight-label)"]));
});

it("text of the console and the documentation has a font that the system or the service provides", () => {
  const css = styles.join("\n");
  const [, stack = ""] = /--font: ([^;]+);/.exec(css) ?? [];
  const shipped = [...css.matchAll(/@font-face[^}]*font-family: ([^;]+);/g)].map(([, name]) => name);
  const ofSystems = ["system-ui", "-apple-system", '"Segoe UI"', "Roboto", "sans-serif"];
  expect(stack.split(", ").filter((name) => !ofSystems.includes(name) && !shipped.includes(name))).toEqual([]);
});
