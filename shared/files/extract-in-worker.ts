import { parentPort, Worker, workerData } from "node:worker_threads";
import { extractFile } from "./extract-file.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError, type ExtractionFailure } from "./extraction-error.ts";
import type { DocumentType } from "./file-types.ts";

/** Timeout of the extraction of a file. */
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

/** Task of a worker thread that this module started. */
interface Task {
  readonly extraction: { readonly file: Uint8Array; readonly type: DocumentType };
}

type Result = { readonly extracted: ExtractedFile } | { readonly failure: ExtractionFailure };

const isTask = (data: unknown): data is Task => typeof data === "object" && data !== null && "extraction" in data;

async function runTask({ extraction: { file, type } }: Task): Promise<Result> {
  try {
    return { extracted: await extractFile(file, type) };
  } catch (error) {
    // Any other error of a parser means that the file does not follow its format.
    return { failure: error instanceof ExtractionError ? error.code : "corrupt" };
  }
}

// The thread loads the same file as the function, because a bundle consists of one file.
if (isTask(workerData)) void runTask(workerData).then((result) => parentPort?.postMessage(result));

/** Returns the limit that a worker thread exceeds, if any. A thread that has ended exceeds none. */
async function findExceededLimit(worker: Worker, cpuLimitMs: number): Promise<"out_of_memory" | "timed_out" | null> {
  const [heap, cpu] = await Promise.all([worker.getHeapStatistics(), worker.cpuUsage()]).catch(() => []);
  if (!heap || !cpu) return null;
  if (heap.external_memory > MAX_BUFFER_BYTES) return "out_of_memory";
  return (cpu.user + cpu.system) / 1_000 > cpuLimitMs ? "timed_out" : null;
}

/**
 * Extracts a file in a worker thread with limited time and memory. The thread has an empty environment, so that it does not
 * contain the credentials of the function.
 * @throws ExtractionError
 */
export async function extractInWorker(
  file: Uint8Array,
  type: DocumentType,
  timeoutMs = TIMEOUT_MS,
): Promise<ExtractedFile> {
  const worker = new Worker(import.meta.filename, {
    workerData: { extraction: { file, type } } satisfies Task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    env: {},
    stdout: true,
    stderr: true,
  });
  const cpuLimitMs = BASE_CPU_MS + (CPU_MS_PER_MEBIBYTE * file.length) / 1_048_576;
  let timer: NodeJS.Timeout | undefined;
  let checks: NodeJS.Timeout | undefined;
  try {
    const result = await new Promise<Result>((resolve) => {
      timer = setTimeout(() => resolve({ failure: "timed_out" }), timeoutMs);
      checks = setInterval(async () => {
        const failure = await findExceededLimit(worker, cpuLimitMs);
        if (failure) resolve({ failure });
      }, CHECK_INTERVAL_MS);
      worker.on("message", resolve);
      worker.on("error", (error: NodeJS.ErrnoException) =>
        resolve({ failure: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "out_of_memory" : "corrupt" }),
      );
      worker.on("exit", () => resolve({ failure: "corrupt" }));
    });
    if ("failure" in result) throw new ExtractionError(result.failure);
    return result.extracted;
  } finally {
    clearTimeout(timer);
    clearInterval(checks);
    await worker.terminate();
  }
}
