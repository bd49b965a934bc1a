import { afterAll, vi } from "vitest";

/*
 * Setup of suites that share a process, which saves its start and the import of packages for each file. The repository's own
 * modules are evaluated again for each file, because they cache clients, settings and items, and a file may mock them.
 */
vi.resetModules();

const environment = { ...process.env };

// Vitest calls hooks in reverse order, so this one follows those of the file.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
