import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StackTemplate } from "./limits.ts";

/** Reads the templates of all stacks that an app was synthesized to. */
export const readTemplates = (directory: string): StackTemplate[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith(".template.json"))
    .map((file) => ({
      ...JSON.parse(readFileSync(join(directory, file), "utf8")),
      isNested: file.endsWith(".nested.template.json"),
    }));
