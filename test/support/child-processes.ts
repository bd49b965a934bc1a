import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of the processes that this process started, from Linux' `/proc`. */
export function findChildProcesses(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid)
    .map(Number);
}

/** Returns the resident memory of a process, or 0 if it has ended. */
export const residentBytes = (pid: number) => 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);

const parentOf = (pid: string) => Number(/^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);

function statusOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
