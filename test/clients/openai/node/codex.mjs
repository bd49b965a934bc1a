import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const { OPENAI_BASE_URL: baseUrl, SCENARIO_MODEL: model, CLIENT_VERSION: version } = process.env;

const home = await mkdtemp(join(tmpdir(), "codex-"));
// Everything else has the client's defaults, such as its tools: functions, a namespace and web search.
await writeFile(
  join(home, "config.toml"),
  `model = "${model}"
model_provider = "switchboard"
approval_policy = "never"

[model_providers.switchboard]
name = "Switchboard"
base_url = "${baseUrl}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`,
);

/** Runs the client with a prompt, and requires its last message. */
async function requireAnswer(prompt, expected) {
  const program = promisify(execFile)(
    join(import.meta.dirname, "node_modules/.bin/codex"),
    ["exec", "--skip-git-repo-check", "--sandbox", "read-only", prompt],
    { cwd: home, env: { ...process.env, CODEX_HOME: home }, timeout: 180_000 },
  );
  program.child.stdin.end();
  const { stdout } = await program;
  if (stdout.trim() !== expected) throw new Error(`answered ${stdout.slice(0, 300)}`);
}

const scenarios = {
  plain: () => requireAnswer("scenario:plain", "Hello world"),
  tools: () => requireAnswer("scenario:tools", "It is sunny."),
  reasoning: () => requireAnswer("scenario:reasoning", "42"),
};

for (const [scenario, run] of Object.entries(scenarios)) {
  const startedAt = performance.now();
  const result = await run().then(
    () => ({ passed: true }),
    (error) => ({ passed: false, detail: String(error.stderr ?? error).slice(-500) }),
  );
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  console.log(JSON.stringify({ client: "Codex CLI", version, scenario, seconds, ...result }));
}
await rm(home, { recursive: true });
