import { readFileSync, writeFileSync } from "node:fs";
import { itemTypes } from "../../shared/dynamodb/item-types.ts";
import { indexKeys } from "../../shared/dynamodb/keys.ts";

const page = "shared/dynamodb/README.md";

/** Names of those parameters of key builders that are numbers. */
const numericParameters = new Set(["seq", "index", "firstSeq", "part", "passage", "shard", "minute"]);

/** Calls a key builder with its parameter names as arguments, or 1 for numbers, and returns the key. */
function exampleKey(builder: unknown): Record<string, string> {
  const build = builder as (...parts: unknown[]) => Record<string, string>;
  const [, list = ""] = /^\(([^)]*)\)/.exec(String(build)) ?? [];
  const parameters = list.split(",").map((parameter) => parameter.replace(/:.*$/s, "").trim());
  const values = parameters.map((name) =>
    numericParameters.has(name) ? 1 : name === "tenant" ? "T" : `<${name.replace(/([A-Z])/g, " $1").toLowerCase()}>`,
  );
  return build(...values);
}

const toWords = (name: string) => name.replace(/([A-Z])/g, " $1").toLowerCase();

/** Returns Markdown tables of all table keys, computed from the key builders. */
function keyCharts(): string {
  const rows = Object.entries(itemTypes).flatMap(([name, { keys }]) =>
    Object.values<unknown>(keys).map((builder) => {
      const { pk, sk } = exampleKey(builder);
      return `| ${name} | \`${pk}\` | \`${sk}\` |`;
    }),
  );
  const indexRows = Object.entries(indexKeys).map(([name, builder]) => {
    const { gsi1pk, gsi1sk } = exampleKey(builder);
    return `| ${toWords(name)} | \`${gsi1pk}\` | \`${gsi1sk}\` |`;
  });
  return [
    "| item type | pk | sk |",
    "|---|---|---|",
    ...rows,
    "",
    "| entry of the index gsi1 | gsi1pk | gsi1sk |",
    "|---|---|---|",
    ...indexRows,
  ].join("\n");
}

/** Replaces the text between the markers of the documentation page by current tables of the keys. */
export function withKeyCharts(text: string): string {
  return text.replace(
    /(<!-- key charts -->\n)[\s\S]*?(\n<!-- end -->)/,
    (_, start, end) => `${start}${keyCharts()}${end}`,
  );
}

if (import.meta.main) writeFileSync(page, withKeyCharts(readFileSync(page, "utf8")));
