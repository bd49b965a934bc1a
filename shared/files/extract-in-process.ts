import { type ChildProcess, fork } from "node:child_process";
import { arrayBuffer } from "node:stream/consumers";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { getEnvironment } from "../lib/env.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError, type ExtractionFailure } from "./extraction-error.ts";
import type { DocumentType } from "./file-types.ts";

const TIMEOUT_MS = 60_000;

/** Processor time for the extraction of any file, and further time for each mebibyte of it. */
const BASE_CPU_MS = 6_000;
const CPU_MS_PER_MEBIBYTE = 2_000;

/** Maximum heap size of the worker thread, below the memory of the function. */
const MAX_HEAP_MB = 800;

/** Maximum size of the buffers of the worker thread, which are not part of its heap. */
const MAX_BUFFER_BYTES = 320 * 1_048_576;

/** Interval at which the processor time and the buffers of the worker thread are checked. */
const CHECK_INTERVAL_MS = 50;

/** Argument of the processes that this module starts, before the type of their file. */
const PROCESS_ARGUMENT = "extract-file";

/** Signals with which V8 ends a process that has no memory left. Linux sends SIGKILL for the same reason. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string> = new Set(["SIGTRAP", "SIGABRT", "SIGILL", "SIGKILL"]);

/** Data of a worker thread, by which this module recognizes that it runs in the thread and has to extract a file. */
interface Task {
  readonly extraction: { readonly file: Uint8Array; readonly type: DocumentType };
}

type Result = { readonly extracted: ExtractedFile } | { readonly failure: ExtractionFailure };

const isTask = (data: unknown): data is Task => typeof data === "object" && data !== null && "extraction" in data;

async function runTask({ extraction: { file, type } }: Task): Promise<Result> {
  try {
    // Only the thread needs the parsers.
    const { extractFile } = await import("./extract-file.ts");
    return { extracted: await extractFile(file, type) };
  } catch (error) {
    // Any other error of a parser means that the file does not follow its format.
    return { failure: error instanceof ExtractionError ? error.code : "corrupt" };
  }
}

/** Returns the limit that a worker thread exceeds, if any. A thread that has ended exceeds none. */
async function findExceededLimit(worker: Worker, cpuLimitMs: number): Promise<"out_of_memory" | "timed_out" | null> {
  const [heap, cpu] = await Promise.all([worker.getHeapStatistics(), worker.cpuUsage()]).catch(() => []);
  if (!heap || !cpu) return null;
  if (heap.external_memory > MAX_BUFFER_BYTES) return "out_of_memory";
  return (cpu.user + cpu.system) / 1_000 > cpuLimitMs ? "timed_out" : null;
}

/** Extracts a file in a worker thread with limited processor time and memory. */
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
    worker.on("exit", () => resolve({ failure: "corrupt" }));
  });
}

/** Extracts the file in the standard input of this process, and sends the result to its parent. */
async function serveParent(type: DocumentType): Promise<void> {
  process.on("disconnect", () => process.exit());
  const file = new Uint8Array(await arrayBuffer(process.stdin));
  const result = await extractInWorker(file, type);
  process.send?.(result, () => process.exit());
}

// Process and thread load the same file as the function, because a bundle consists of one file.
if (isTask(workerData)) void runTask(workerData).then((result) => parentPort?.postMessage(result));
else if (isMainThread && process.argv[2] === PROCESS_ARGUMENT) void serveParent(process.argv[3] as DocumentType);

/** Starts a process with nothing of the environment but the path of the libraries that Node.js itself may need. */
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
 * Extracts a file in a thread of another process, with limited time and memory. V8 ends the whole process and not only the
 * thread if a thread exceeds its heap at certain places, such as a map that grows. The process has no credentials in its environment.
 * @throws ExtractionError
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
      child.on("exit", (_, signal) =>
        resolve({ failure: signal && OUT_OF_MEMORY_SIGNALS.has(signal) ? "out_of_memory" : "corrupt" }),
      );
      // A process that has ended does not read: its exit is the result.
      child.stdin?.on("error", () => {});
      child.stdin?.end(file);
    });
    if ("failure" in result) throw new ExtractionError(result.failure);
    return result.extracted;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}
