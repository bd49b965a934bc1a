import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { answerBy, createTestSet } from "#test/support/evaluations/runs.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createKeyClient, type KeyClient } from "#test/support/tenancy/key-client.ts";

let service: ScriptedService;
let directory = "";
beforeAll(async () => {
  service = await startScriptedService();
  directory = await mkdtemp(join(tmpdir(), "evaluate-"));
});
afterAll(async () => {
  await service?.stop();
  await rm(directory, { recursive: true, force: true });
});

const items = Array.from({ length: 12 }, (_, n) => ({
  question: `What does number ${n} cost?`,
  expectations: [{ type: "contains", text: "12" }],
}));

let admin: Client;
let key: KeyClient;
let set_id = "";
let persona_id = "";
/** Version 2 fulfills half of the expectations, the others all of them. */
beforeEach(async () => {
  service.upstream.script = answerBy((version, question) =>
    version === 2 && /number \d?[02468] /.test(question) ? "I do not know." : "It costs 12 euros.",
  );
  const scopes = ["personas.read", "personas.write"];
  admin = new Client(newIdentity(), service.baseUrl);
  key = await createKeyClient(admin, { scopes });
  ({ set_id, persona_id } = await createTestSet(key, items, { versions: 3 }));
});

/** Runs the program. */
async function evaluateWith(args: readonly string[], variables: Record<string, string> = {}) {
  const env = {
    ...process.env,
    SWITCHBOARD_URL: key.baseUrl,
    SWITCHBOARD_API_KEY: String(key.headers.authorization).replace("Bearer ", ""),
    ...variables,
  };
  const child = spawn(process.execPath, ["infra/evaluate/main.ts", ...args], { env });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, log };
}

const ofVersion = (version: number, ...others: string[]) => [
  ...["--set", set_id, "--persona-version", String(version)],
  ...others,
];

it("evaluate program ends with 0 for a version that reaches the score, and with 1 for one that does not", async () => {
  const good = await evaluateWith(ofVersion(3, "--min-score", "1"));
  expect(good).toEqual({ code: 0, log: expect.stringContaining("version 3: 12 of 12 passed, mean score 1,") });
  expect(good.log).toContain("12 of 12 items");
  const file = join(directory, "results.xml");
  const bad = await evaluateWith(ofVersion(2, "--min-score", "0.9", "--junit", file));
  expect(bad).toEqual({ code: 1, log: expect.stringContaining("The mean score 0.5 is below 0.9.") });
  const xml = await readFile(file, "utf8");
  expect(xml).toContain('<testsuite name="version 2" tests="12" failures="6"');
  expect((await evaluateWith(ofVersion(2, "--min-score", "0.5"))).code).toBe(0);
  expect((await evaluateWith(ofVersion(2))).code).toBe(0);
});

it("evaluate program ends with 1 for a version that is worse than the baseline, whose results are not in the file", async () => {
  const file = join(directory, "compared.xml");
  const worse = await evaluateWith(ofVersion(2, "--baseline-version", "1", "--junit", file));
  expect(worse).toEqual({ code: 1, log: expect.stringContaining("The version is worse than the baseline.") });
  expect(worse.log).toContain("0 better, 6 worse, 6 same; difference -0.5");
  expect((await readFile(file, "utf8")).match(/<testcase/g)?.length).toBe(12);
  expect((await evaluateWith(ofVersion(1, "--baseline-version", "2"))).code).toBe(0);
});

it("evaluate program ends with 1 for a set without items", async () => {
  const empty = (await key.post("/v1/test-sets", { persona_id, name: "Empty" })).body.id;
  const { code, log } = await evaluateWith(["--set", empty, "--persona-version", "1"]);
  expect([code, log]).toEqual([1, expect.stringContaining("The set has no items")]);
});

it("evaluate program ends with 2 for wrong options, and with 3 if the run cannot be started or fails", async () => {
  for (const args of [
    [],
    ["--set", set_id],
    ofVersion(1, "--min-score", "2"),
    ofVersion(1, "--min-score", ""),
    ofVersion(1, "--baseline-version", "1"),
    ofVersion(1, "--unknown"),
    ["--set", set_id, "--persona-version", "latest"],
  ]) {
    expect([args, (await evaluateWith(args)).code]).toEqual([args, 2]);
  }
  expect((await evaluateWith(ofVersion(1), { SWITCHBOARD_API_KEY: "" })).code).toBe(2);
  expect((await evaluateWith(ofVersion(9))).code).toBe(3);
  expect((await evaluateWith(ofVersion(1), { SWITCHBOARD_API_KEY: "wrong" })).code).toBe(3);
  await admin.post("/v1/budgets", { name: "Few", unit: "requests", limit: 1, window: "day" });
  const failed = await evaluateWith(ofVersion(1));
  expect(failed).toEqual({ code: 3, log: expect.stringContaining("The run has failed: quota.") });
});
