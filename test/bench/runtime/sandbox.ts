import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Memory in MB for which Lambda allocates one processor. */
const MB_PER_PROCESSOR = 1_769;

/** Length of a scheduling period. */
const PERIOD_US = 20_000;

const root = "/sys/fs/cgroup";

/** Control group with the memory of a function and its share of a processor. */
export interface Sandbox {
  /** Files to which a process writes its id to join. */
  readonly memberFiles: readonly string[];
  /** Limits the processor time. Lambda does not limit that of the initialization. */
  throttle(): void;
  /** Returns the largest memory of all processes with their page cache, in MB. */
  getPeakMb(): number;
  /** Removes the control group, whose processes must have ended. */
  remove(): void;
}

/**
 * Creates a control group, version 1 or 2, with the limits that Lambda sets for a memory size. Requires Linux and root.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
export function createSandbox(memoryMb: number): Sandbox {
  const name = `switchboard-${process.pid}-${memoryMb}`;
  const quotaUs = Math.round((PERIOD_US * memoryMb) / MB_PER_PROCESSOR);
  const bytes = String(memoryMb * 1_048_576);
  const isUnified = existsSync(join(root, "cgroup.controllers"));
  const [memory, cpu] = isUnified
    ? [join(root, name), join(root, name)]
    : [join(root, "memory", name), join(root, "cpu", name)];
  for (const directory of new Set([memory, cpu])) mkdirSync(directory, { recursive: true });
  writeFileSync(join(memory, isUnified ? "memory.max" : "memory.limit_in_bytes"), bytes);
  return {
    memberFiles: [...new Set([memory, cpu])].map((directory) => join(directory, "cgroup.procs")),
    throttle() {
      if (isUnified) return writeFileSync(join(cpu, "cpu.max"), `${quotaUs} ${PERIOD_US}`);
      writeFileSync(join(cpu, "cpu.cfs_period_us"), String(PERIOD_US));
      writeFileSync(join(cpu, "cpu.cfs_quota_us"), String(quotaUs));
    },
    getPeakMb: () =>
      Number(readFileSync(join(memory, isUnified ? "memory.peak" : "memory.max_usage_in_bytes"), "utf8")) / 1_048_576,
    remove() {
      for (const directory of new Set([memory, cpu])) rmdirSync(directory);
    },
  };
}
