import { readdirSync, readFileSync } from "node:fs";

/** CPU time in milliseconds. */
export interface CpuTime {
  /** Of a process, its threads and its child processes. */
  readonly totalMs: number;
  /** Of each thread of the process itself, by thread id. The main thread has the id of the process. */
  readonly threads: ReadonlyMap<number, number>;
}

/** Returns the names of the numeric entries of a directory; none if its process has exited. */
function listIds(directory: string): number[] {
  try {
    return readdirSync(directory).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Returns a process and its descendants. */
function listProcesses(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const id of listIds("/proc")) {
    try {
      // The name in parentheses can contain spaces.
      parents.set(
        id,
        Number(
          readFileSync(`/proc/${id}/stat`, "utf8")
            .replace(/^.*\) /s, "")
            .split(" ")[1],
        ),
      );
    } catch {}
  }
  const processes = [pid];
  for (const parent of processes) for (const [id, its] of parents) if (its === parent) processes.push(id);
  return processes;
}

function readThreadMs(pid: number, thread: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1_000_000;
  } catch {
    return 0;
  }
}

/** Reads the CPU time that a process has used. Linux only. */
export function readCpuTime(pid: number): CpuTime {
  const threads = new Map(listIds(`/proc/${pid}/task`).map((thread) => [thread, readThreadMs(pid, thread)]));
  let totalMs = 0;
  for (const id of listProcesses(pid)) {
    for (const thread of listIds(`/proc/${id}/task`)) totalMs += readThreadMs(id, thread);
  }
  return { totalMs, threads };
}

/** Returns the CPU time of the busiest thread except the main one: that of the function under load. */
export function getBusiestWorkerMs(pid: number, before: CpuTime, after: CpuTime): number {
  const used = [...after.threads].filter(([id]) => id !== pid).map(([id, ms]) => ms - (before.threads.get(id) ?? 0));
  return Math.max(0, ...used);
}
