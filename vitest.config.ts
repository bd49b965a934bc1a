import { defineConfig } from "vitest/config";

/**
 * Limits end what hangs, and assert no speed: a busy machine takes three times as long as a quiet one. So tests have none of
 * their own, but those that take hours.
 */
const limits = { testTimeout: 1_800_000, hookTimeout: 600_000, expect: { poll: { timeout: 180_000 } } };

/** Variables that every function has, for suites that call its code in their own process. */
const env = { STAGE: "test" };

const setupFiles = ["test/support/captured-output.ts"];

/**
 * Files share processes, which saves their start. `unit` starts what single tests need, and `service` runs against a
 * whole instance on localhost; their files share no modules. `infra` shares CDK and the synthesized templates.
 */
export default defineConfig({
  test: {
    // Suites wait for streams, queues and timers most of the time, so that two processors serve four of them.
    maxWorkers: 4,
    // Functions log each request; only the logs of a failed test explain anything.
    silent: "passed-only",
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/{unit,infra/local}/**/*.test.ts"],
          isolate: false,
          setupFiles: ["test/support/fresh-modules.ts", ...setupFiles],
          ...limits,
          env,
        },
      },
      {
        test: {
          name: "infra",
          include: ["test/infra/*.test.ts"],
          isolate: false,
          // Each process loads CDK and synthesizes the app of production, which takes ten seconds of a processor.
          maxWorkers: 2,
          // Projects with different numbers of workers cannot run at the same time.
          sequence: { groupOrder: 1 },
          setupFiles,
          ...limits,
          env,
        },
      },
      {
        test: {
          name: "service",
          include: ["test/{api,chat,changes,web,clients}/**/*.test.ts"],
          isolate: false,
          setupFiles: ["test/support/fresh-modules.ts", ...setupFiles],
          globalSetup: ["test/support/global-setup.ts"],
          ...limits,
          env,
        },
      },
    ],
  },
});
