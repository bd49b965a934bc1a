import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { getToolSetting } from "../../shared/lib/env.ts";

const verbose = getToolSetting("LOCAL_LOG") === "1";
const warningPattern = /"level":\s*"?(warn|error|fatal|critical|40|50|60)\b|^(Error|Uncaught)|\b(WARN|ERROR|FATAL)\b/i;

/** Prints a warning to stderr. */
export function warn(source: string, message: string): void {
  process.stderr.write(`${source}: ${message}\n`);
}

/** Prints a message to stderr when `LOCAL_LOG=1`. */
export function trace(source: string, message: () => string): void {
  if (verbose) process.stderr.write(`${source}: ${message()}\n`);
}

/** Forwards the output of a function to stderr: warnings and errors always, other lines only when `LOCAL_LOG=1`. */
export function printLines(output: Readable, source: string, kind: "out" | "error"): void {
  createInterface({ input: output }).on("line", (line) => {
    if (verbose || kind === "error" || warningPattern.test(line)) process.stderr.write(`${source}: ${line}\n`);
  });
}
