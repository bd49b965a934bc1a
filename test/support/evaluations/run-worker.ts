import { runTests } from "#shared/evaluations/runs/run-tests.ts";

// Works on a run in a process of its own, which a test can kill. Nothing continues it. Sends the bytes that its heap needs.
const [tenantId = "", testRun = ""] = process.argv.slice(2);
const timer = setInterval(() => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
}, 250);
await runTests({ tenantId, testRun }, async () => {});
clearInterval(timer);
