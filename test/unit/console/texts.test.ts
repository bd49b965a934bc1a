import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import arabic from "../../../functions/web/console/lib/texts/ar.json" with { type: "json" };
import german from "../../../functions/web/console/lib/texts/de.json" with { type: "json" };

const folder = "functions/web/console";

/** Literals that the console passes to `t` and `tn`. */
const literals = new Set(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith("i18n.ts"))
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

describe.each<[language: string, texts: Readonly<Record<string, string>>]>([
  ["German", german],
  ["Arabic", arabic],
])("%s texts of the console", (language, texts) => {
  it(`${language} texts of the console translate every text, with the same placeholders`, () => {
    expect(literals.size).toBeGreaterThan(400);
    expect([...literals].filter((text) => !(text in texts))).toEqual([]);
    for (const text of literals) expect([text, placeholders(texts[text] ?? "")]).toEqual([text, placeholders(text)]);
  });

  it(`${language} texts of the console belong to texts that the console uses`, () => {
    expect(Object.keys(texts).filter((text) => !literals.has(text))).toEqual([]);
  });
});
