import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { VariableName } from "../../shared/lib/env.ts";

/** Table, variables and services that a function uses, from which its IAM rights and its environment follow. */
export interface Uses {
  /** IAM actions on the table, without their prefix: `GetItem`. */
  readonly actions: readonly string[];
  /** Indexes that it queries. */
  readonly indexes: readonly string[];
  /** Partitions of the table as IAM patterns: `*#conversation#*`. */
  readonly partitions: readonly string[];
  /** Environment variables that it reads. */
  readonly variables: readonly VariableName[];
  /** Other IAM actions. Those on objects name the variable of the bucket: `s3:PutObject UPLOAD_BUCKET`. */
  readonly rights: readonly string[];
}

/** Function that returns what a function uses, by its name without service and stage: `watch-run`. */
export type UsesOf = (name: string) => Uses;

/** Removes patterns that another pattern covers, and shortens several wildcards at the end of a pattern to one. */
export function simplifyPatterns(patterns: readonly string[]): string[] {
  const simplified = [...new Set(patterns.map((pattern) => pattern.replace(/(#\*)+$/, "#*")))].sort();
  const covers = (pattern: string, other: string) =>
    pattern !== other && pattern.endsWith("*") && other.startsWith(pattern.slice(0, -1));
  return simplified.filter((pattern) => !simplified.some((other) => covers(other, pattern)));
}

/** Lock file of the rights: what each function uses, by its name. `npm run uses` writes it. */
export const usesFile = "functions/uses.json";

/**
 * Reads the lock file.
 * @param root repository root
 * @returns function that throws for a function without an entry
 */
export function readUses(root: string): UsesOf {
  const { functions } = JSON.parse(readFileSync(join(root, usesFile), "utf8")) as { functions: Record<string, Uses> };
  return (name) => {
    const uses = functions[name];
    if (!uses) throw new Error(`${usesFile} has no entry for ${name}: run npm run uses`);
    return uses;
  };
}
