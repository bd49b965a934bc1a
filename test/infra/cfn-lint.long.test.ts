import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { allEntries, synthesize } from "./synthesize.ts";

const directory = mkdtempSync(join(tmpdir(), "switchboard-lint-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** cfn-lint is a Python program: `pip install cfn-lint`. */
const isInstalled = spawnSync("cfn-lint", ["--version"]).status === 0;
if (!isInstalled) console.warn("Left out: cfn-lint is not installed, so the templates are not checked with it.");

const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/1";
const embedding = { EMBEDDING_PROVIDER: "openai-compatible", EMBEDDING_BASE_URL: "https://models.example.com/v1" };
const guardrail = { GUARDRAIL_PROVIDER: "bedrock", GUARDRAIL_ID: "gr-1" };
const all = { waf: "true", domain: "chat.example.com", certificate };

const probe = { PROBE_URL: "https://chat.example.com", PROBE_KEY: "{{resolve:secretsmanager:k:SecretString}}" };
const observed = { ...probe, PROBE_PERSONA_ID: "p1", OTLP_ENDPOINT: "https://collector.example.com" };
const withQuota = { CONCURRENCY_QUOTA: "1000" };

interface Variant {
  readonly stage: string;
  readonly options?: Record<string, string>;
  readonly settings?: Record<string, string>;
}

/** Deployments by name, each with as many options as go together. */
const variants: Readonly<Record<string, Variant>> = {
  "prod with web ACL, domain, embeddings and guardrail": {
    stage: "prod",
    options: all,
    settings: { ...embedding, ...guardrail, ...withQuota },
  },
  "prod with probe, traces, a budget and a customer-managed key": {
    stage: "prod",
    settings: { ...observed, MONTHLY_BUDGET_USD: "250", CUSTOMER_KEY: "on" },
  },
  ...(isFullRun && {
    prod: { stage: "prod" },
    "prod in a second region": { stage: "prod", settings: { CDK_DEFAULT_REGION: "eu-central-1", ...withQuota } },
    dev: { stage: "dev" },
    local: { stage: "local" },
  }),
};

/** Routes of one group and the streaming ones: the templates of all take half a minute for each stage. */
const someRoutes = routes.filter(({ streaming, group }) => streaming || group === "notes");

describe.runIf(isInstalled)("templates", () => {
  const run = promisify(execFile);

  it.concurrent.for(Object.keys(variants))(
    "templates of the deployment %j have no errors that cfn-lint finds",
    async (name, { expect }) => {
      const { stage = "", options = {}, settings = {} } = variants[name] ?? {};
      for (const [setting, value] of Object.entries(settings)) vi.stubEnv(setting, value);
      const outdir = join(directory, name.replaceAll(" ", "-"));
      synthesize({
        stage,
        options,
        outdir,
        entries: allEntries,
        hasSite: true,
        ...(!isFullRun && { routes: someRoutes }),
      });
      vi.unstubAllEnvs();
      const files = readdirSync(outdir).filter((file) => file.endsWith(".template.json"));
      expect(files.length).toBeGreaterThan(5);
      const paths = files.map((file) => join(outdir, file));
      const flags = ["--non-zero-exit-code", "none", "--format", "parseable", "-t"];
      const { stdout } = await run("cfn-lint", [...flags, ...paths], { maxBuffer: 64 * 1_048_576 });
      expect(stdout.match(/.*:E\d{4}:.*/g) ?? []).toEqual([]);
    },
  );
});
