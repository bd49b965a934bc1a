import { type ChildProcess, fork } from "node:child_process";
import { arrayBuffer } from "node:stream/consumers";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { getEnvironment } from "../lib/env.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError, type ExtractionFailure } from "./extraction-error.ts";
import type { DocumentType } from "./file-types.ts";

const TIMEOUT_MS = 60_000;

/** CPU time limit for any file, and additional CPU time for each mebibyte. */
const BASE_CPU_MS = 6_000;
const CPU_MS_PER_MEBIBYTE = 2_000;

/** Maximum heap size of the worker thread, below the memory of the function. */
const MAX_HEAP_MB = 800;

/** Maximum size of the worker thread's buffers, which are outside of its heap, in bytes. */
const MAX_BUFFER_BYTES = 320 * 1_048_576;

/** Interval at which the CPU time and the buffers of the worker thread are checked. */
const CHECK_INTERVAL_MS = 50;

/** First argument of the processes that this module starts. The type of the file follows. */
const PROCESS_ARGUMENT = "extract-file";

/** Signals with which V8 aborts a process that is out of memory. Linux sends SIGKILL for the same reason. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string> = new Set(["SIGTRAP", "SIGABRT", "SIGILL", "SIGKILL"]);

/** Data for a worker thread. By it, this module recognizes that it runs in such a thread and must extract a file. */
interface Task {
  readonly extraction: { readonly file: Uint8Array; readonly type: DocumentType };
}

/** Result of a task. An error is one of the program, not of the file, so that another attempt may succeed. */
type Result =
  | { readonly extracted: ExtractedFile }
  | { readonly failure: ExtractionFailure }
  | { readonly error: string };

const isTask = (data: unknown): data is Task => typeof data === "object" && data !== null && "extraction" in data;

async function runTask({ extraction: { file, type } }: Task): Promise<Result> {
  // Only the thread needs the parsers.
  const parsers = await import("./extract-file.ts").catch((error: Error) => ({ error: error.message }));
  if ("error" in parsers) return parsers;
  try {
    return { extracted: await parsers.extractFile(file, type) };
  } catch (error) {
    // Any other error of a parser means that the file does not follow its format.
    return { failure: error instanceof ExtractionError ? error.code : "corrupt" };
  }
}

/** Returns the limit that a worker thread exceeds; null if it exceeds none or has ended. */
async function findExceededLimit(worker: Worker, cpuLimitMs: number): Promise<"out_of_memory" | "timed_out" | null> {
  const [heap, cpu] = await Promise.all([worker.getHeapStatistics(), worker.cpuUsage()]).catch(() => []);
  if (!heap || !cpu) return null;
  if (heap.external_memory > MAX_BUFFER_BYTES) return "out_of_memory";
  return (cpu.user + cpu.system) / 1_000 > cpuLimitMs ? "timed_out" : null;
}

/** Extracts a file in a worker thread with limits for CPU time and memory. */
async function extractInWorker(file: Uint8Array<ArrayBuffer>, type: DocumentType): Promise<Result> {
  const cpuLimitMs = BASE_CPU_MS + (CPU_MS_PER_MEBIBYTE * file.length) / 1_048_576;
  const worker = new Worker(import.meta.filename, {
    workerData: { extraction: { file, type } } satisfies Task,
    transferList: [file.buffer],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    stdout: true,
    stderr: true,
  });
  return new Promise<Result>((resolve) => {
    setInterval(async () => {
      const failure = await findExceededLimit(worker, cpuLimitMs);
      if (failure) resolve({ failure });
    }, CHECK_INTERVAL_MS);
    worker.on("message", resolve);
    worker.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ failure: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "out_of_memory" : "corrupt" }),
    );
    worker.on("exit", (code) => resolve({ error: `the thread exited with the code ${code}` }));
  });
}

/** Extracts the file from this process's standard input and sends the result to its parent. */
async function serveParent(type: DocumentType): Promise<void> {
  process.on("disconnect", () => process.exit());
  const file = new Uint8Array(await arrayBuffer(process.stdin));
  const result = await extractInWorker(file, type);
  process.send?.(result, () => process.exit());
}

// Process and thread load the same file as the function, because a bundle consists of one file.
if (isTask(workerData)) void runTask(workerData).then((result) => parentPort?.postMessage(result));
else if (isMainThread && process.argv[2] === PROCESS_ARGUMENT) void serveParent(process.argv[3] as DocumentType);

/**
 * Starts a process without environment variables, except the library path that Node.js itself may need. So the process
 * has no credentials.
 */
function startProcess(type: DocumentType): ChildProcess {
  const { LD_LIBRARY_PATH } = getEnvironment();
  return fork(import.meta.filename, [PROCESS_ARGUMENT, type], {
    env: LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH },
    execArgv: [],
    serialization: "advanced",
    stdio: ["pipe", "ignore", "ignore", "ipc"],
  });
}

/**
 * Extracts a file in a worker thread of a separate process, with limits for time and memory. A separate process is
 * needed because V8 sometimes aborts the whole process when a thread exceeds its heap.
 * @throws ExtractionError because of the file
 * @throws Error if the process ended without a result
 */
export async function extractInProcess(
  file: Uint8Array,
  type: DocumentType,
  timeoutMs = TIMEOUT_MS,
): Promise<ExtractedFile> {
  const child = startProcess(type);
  let timer: NodeJS.Timeout | undefined;
  try {
    const result = await new Promise<Result>((resolve, reject) => {
      timer = setTimeout(() => resolve({ failure: "timed_out" }), timeoutMs);
      child.on("message", (message) => resolve(message as Result));
      child.on("error", reject);
      // Unlike the event `exit`, this one comes after the last message.
      child.on("close", (code, signal) =>
        resolve(
          signal && OUT_OF_MEMORY_SIGNALS.has(signal)
            ? { failure: "out_of_memory" }
            : { error: `the process ended with ${signal ?? `the code ${code}`}` },
        ),
      );
      // A process that has ended does not read: its exit is the result.
      child.stdin?.on("error", () => {});
      child.stdin?.end(file);
    });
    if ("failure" in result) throw new ExtractionError(result.failure);
    if ("error" in result) throw new Error(`A ${type} file could not be extracted: ${result.error}`);
    return result.extracted;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}
