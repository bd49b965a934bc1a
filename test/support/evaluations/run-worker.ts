import { runTests } from "#shared/evaluations/runs/run-tests.ts";

// Works on a run in a process of its own, which a test can kill. Nothing continues it.
const [tenantId = "", testRun = ""] = process.argv.slice(2);
await runTests({ tenantId, testRun }, async () => {});
