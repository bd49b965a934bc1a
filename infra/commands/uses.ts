/**
 * Derives from the sources what each function uses, and writes the lock file from which the roles and environments of functions
 * are made. Its diff is reviewed.
 * `npm run uses [-- --check]`
 */
import { readFileSync, writeFileSync } from "node:fs";
import { deriveUses, reviewOf } from "../rights/derive-uses.ts";
import { usesFile } from "../rights/uses.ts";

/** Formats the lock file with one list in a line, so that a diff shows whole lists. */
function format(value: unknown, indent = ""): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  const inner = `${indent}  `;
  const fields = Object.entries(value as object).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${format(each, inner)}`,
  );
  return fields.length > 0 ? `{\n${fields.join(",\n")}\n${indent}}` : "{}";
}

const functions = deriveUses(process.cwd());
const text = `${format({ review: reviewOf(functions), functions })}\n`;
if (process.argv.includes("--check")) {
  const isCurrent = readFileSync(usesFile, "utf8") === text;
  console.log(
    isCurrent ? `${usesFile} is what the code uses` : `${usesFile} differs from what the code uses: run npm run uses`,
  );
  if (!isCurrent) process.exitCode = 1;
} else writeFileSync(usesFile, text);
