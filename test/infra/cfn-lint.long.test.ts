import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { allEntries, synthesize } from "./synthesize.ts";

const directory = mkdtempSync(join(tmpdir(), "switchboard-lint-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

/** cfn-lint is a Python program: `pip install cfn-lint`. */
const isInstalled = spawnSync("cfn-lint", ["--version"]).status === 0;
if (!isInstalled) console.warn("Left out: cfn-lint is not installed, so the templates are not checked with it.");

const isFullRun = process.env.SWITCHBOARD_FULL !== undefined;

const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/1";
const embedding = { EMBEDDING_PROVIDER: "openai-compatible", EMBEDDING_BASE_URL: "https://models.example.com/v1" };
const guardrail = { GUARDRAIL_PROVIDER: "bedrock", GUARDRAIL_ID: "gr-1" };
const all = { waf: "true", domain: "chat.example.com", certificate };

const stages: Readonly<Record<string, { options?: Record<string, string>; settings?: Record<string, string> }>> = {
  prod: { options: all, settings: { ...embedding, ...guardrail, CONCURRENCY_QUOTA: "1000" } },
  ...(isFullRun && { dev: {}, local: {} }),
};

/** Routes of one group and the streaming ones: the templates of all take half a minute for each stage. */
const someRoutes = routes.filter(({ streaming, group }) => streaming || group === "notes");

describe.runIf(isInstalled)("templates", { timeout: 300_000 }, () => {
  it.each(Object.keys(stages))("of the stage %s have no errors that cfn-lint finds", (stage) => {
    const { options = {}, settings = {} } = stages[stage] ?? {};
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    const outdir = join(directory, stage);
    synthesize({
      stage,
      options,
      outdir,
      entries: allEntries,
      hasSite: true,
      ...(!isFullRun && { routes: someRoutes }),
    });
    const files = readdirSync(outdir).filter((file) => file.endsWith(".template.json"));
    expect(files.length).toBeGreaterThan(5);
    const paths = files.map((file) => join(outdir, file));
    const { stdout } = spawnSync("cfn-lint", [
      "--non-zero-exit-code",
      "error",
      "--format",
      "parseable",
      "-t",
      ...paths,
    ]);
    expect(String(stdout).match(/.*:E\d{4}:.*/g) ?? []).toEqual([]);
  });
});
