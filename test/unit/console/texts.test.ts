import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { german } from "../../../functions/web/console/lib/texts-de.ts";

const folder = "functions/web/console";

/** Literals that the console passes to `t` and `tn`. */
const literals = new Set(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith("texts-de.ts") && !file.endsWith("i18n.ts"))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), "utf8");
      const literal = '"((?:[^"\\\\]|\\\\.)*)"';
      return [
        ...[...source.matchAll(new RegExp(`\\bt\\(\\s*${literal}`, "g"))].map(([, text]) => text ?? ""),
        ...[...source.matchAll(new RegExp(`\\btn\\(\\s*${literal},\\s*${literal}`, "g"))].flatMap((match) =>
          match.slice(1, 3),
        ),
      ].map((text) => JSON.parse(`"${text}"`) as string);
    }),
);

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

it("every console text has a German translation with the same placeholders", () => {
  expect(literals.size).toBeGreaterThan(400);
  expect([...literals].filter((text) => !(text in german))).toEqual([]);
  for (const text of literals) expect([text, placeholders(german[text] ?? "")]).toEqual([text, placeholders(text)]);
});

it("every German console text belongs to a text that the console uses", () => {
  expect(Object.keys(german).filter((text) => !literals.has(text))).toEqual([]);
});
