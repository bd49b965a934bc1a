import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { toolSetting } from "../../shared/lib/env.ts";

const verbose = toolSetting("LOCAL_LOG") === "1";
const serious = /"level":\s*"?(warn|error|fatal|critical|40|50|60)\b|^(Error|Uncaught)|\b(WARN|ERROR|FATAL)\b/i;

/** Something the developer should see: one line on stderr. */
export function warn(source: string, message: string): void {
  process.stderr.write(`${source}: ${message}\n`);
}

/** A line for `LOCAL_LOG=1` only. */
export function trace(source: string, message: () => string): void {
  if (verbose) process.stderr.write(`${source}: ${message()}\n`);
}

/** Passes a function's output on to stderr, line by line: warnings and errors always, the rest with `LOCAL_LOG=1`. */
export function printLines(output: Readable, source: string, kind: "out" | "error"): void {
  createInterface({ input: output }).on("line", (line) => {
    if (verbose || kind === "error" || serious.test(line)) process.stderr.write(`${source}: ${line}\n`);
  });
}
