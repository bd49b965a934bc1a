import { defineConfig } from "vitest/config";

const limits = { testTimeout: 30_000, hookTimeout: 180_000 };

/** `unit` needs nothing but the code; `service` runs against a whole instance on localhost. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: "unit", include: ["test/{unit,infra}/**/*.test.ts"], ...limits } },
      {
        test: {
          name: "service",
          include: ["test/{api,chat,changes,web,clients}/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          ...limits,
        },
      },
    ],
  },
});
