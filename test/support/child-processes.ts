import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Returns the ids of all processes, from Linux' `/proc`. */
const listProcesses = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

/** Returns the ids of the processes that this process started. */
export const findChildProcesses = (): number[] =>
  listProcesses()
    .filter((pid) => parentOf(pid) === process.pid)
    .map(Number);

/** Returns the command lines of the processes that run in a directory. */
export const findProcessesIn = (directory: string): string[] =>
  listProcesses()
    .filter((pid) => readOrEmpty(() => readlinkSync(`/proc/${pid}/cwd`)) === directory)
    .map((pid) => readOrEmpty(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " "));

/** Returns the resident memory of a process, or 0 if it has ended. */
export const residentBytes = (pid: number) => 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);

const parentOf = (pid: string) => Number(/^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);

const statusOf = (pid: number | string) => readOrEmpty(() => readFileSync(`/proc/${pid}/status`, "utf8"));

/** Returns an empty text for a process that has ended. */
function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
