/**
 * Runs third-party clients of the APIs of OpenAI and Anthropic against an instance in front of a scripted provider, and writes the
 * results to `docs/openai-clients.md` and `docs/anthropic-clients.md`. `npm run test:clients` installs the clients into `CLIENTS_DIR`,
 * by default a folder below the temporary directory that later runs reuse. It requires Python 3.10, Go, a JDK 17 with Maven, and npm.
 * `npm run test:clients -- litellm` runs the clients with that name and writes nothing; `-- --api anthropic` runs those of one API;
 * `-- --all` adds Open WebUI, which takes more than a gigabyte.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { getEnvironment, getToolSetting } from "#shared/lib/env.ts";
import { startUpstream } from "#test/support/models/upstream.ts";
import { startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { ANTHROPIC_KEY, startAnthropic } from "./anthropic-upstream.ts";
import { createScript, UNICODE } from "./upstream.ts";

const EMBEDDING_MODEL = "text-embedding-3-small";
const TIMEOUT_MS = 240_000;

const sources = import.meta.dirname;
const directory = getToolSetting("CLIENTS_DIR") ?? join(tmpdir(), "switchboard-clients");

/** Program that runs the scenarios of one client. */
interface ClientProgram {
  readonly name: string;
  /** Installs the client and returns the command that runs its program. */
  install(): { command: string; args: string[]; cwd?: string; version?: string };
}

const run = (command: string, args: string[], cwd = directory) =>
  void execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });

/** Installs packages from PyPI into an environment of their own, because the clients require different versions. */
function installPython(name: string, packages: readonly string[]): string {
  const environment = join(directory, `python-${name}`);
  if (!existsSync(join(environment, "installed"))) {
    run("python3", ["-m", "venv", environment]);
    run(join(environment, "bin/pip"), ["install", "--quiet", ...packages]);
    writeFileSync(join(environment, "installed"), "");
  }
  return environment;
}

function python(name: string, program: string, ...packages: string[]): ClientProgram {
  return {
    name,
    install() {
      const environment = installPython(name, packages);
      return { command: join(environment, "bin/python"), args: [join(sources, "python", program)] };
    },
  };
}

/** Builds a Go program with the newest version of a module. */
function go(name: string, folder: string, module: string): ClientProgram {
  return {
    name,
    install() {
      const cwd = join(directory, `go-${folder}`);
      mkdirSync(cwd, { recursive: true });
      cpSync(join(sources, "go", folder, "main.go"), join(cwd, "main.go"));
      if (!existsSync(join(cwd, "go.mod"))) {
        run("go", ["mod", "init", "clients"], cwd);
        run("go", ["get", `${module}@latest`], cwd);
        run("go", ["mod", "tidy"], cwd);
      }
      run("go", ["build", "-o", "client", "."], cwd);
      const version = new RegExp(`${module} v(\\S+)`).exec(readFileSync(join(cwd, "go.mod"), "utf8"))?.[1];
      return { command: join(cwd, "client"), args: [], ...(version && { version }) };
    },
  };
}

/** Compiles and runs a class with the newest releases of the Java clients. */
function java(name: string, mainClass: string, artifact: string): ClientProgram {
  return {
    name,
    install() {
      const cwd = join(directory, "java");
      cpSync(join(sources, "java"), cwd, { recursive: true });
      const libraries = join(cwd, "target/dependency");
      const isInstalled = existsSync(libraries) && readdirSync(libraries).some((file) => file.startsWith(artifact));
      if (!isInstalled) run("mvn", ["-q", "-B", "dependency:copy-dependencies"], cwd);
      run("javac", ["-cp", `${libraries}/*`, "-d", "classes", "Scenario.java", `${mainClass}.java`], cwd);
      const jar = readdirSync(libraries).find((file) => new RegExp(`^${artifact}-\\d`).test(file)) ?? "";
      const version = jar.slice(artifact.length + 1, -".jar".length);
      return { command: "java", args: ["-cp", `classes:${libraries}/*`, mainClass, version], cwd };
    },
  };
}

/** Packages of npm that programs share. The version of the first one is that of the client. */
interface NpmFolder {
  readonly folder: string;
  readonly packages: readonly string[];
  /** Files that the programs import. */
  readonly files: readonly string[];
}

const aiSdkFolder: NpmFolder = {
  folder: "node",
  packages: [
    ...["ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/react", "react", "react-dom", "jsdom", "zod"],
  ],
  files: ["mixed/run-calls.ts"],
};

const anthropicFolder: NpmFolder = {
  folder: "node-anthropic",
  packages: ["@anthropic-ai/sdk", "ai", "@ai-sdk/anthropic", "@langchain/anthropic", "@langchain/core", "zod"],
  files: ["node/compared.mjs"],
};

/** Runs a program with packages from npm. */
function node(name: string, program: string, { folder, packages, files }: NpmFolder): ClientProgram {
  return {
    name,
    install() {
      const cwd = join(directory, folder);
      mkdirSync(cwd, { recursive: true });
      if (!packages.every((each) => existsSync(join(cwd, "node_modules", each)))) {
        writeFileSync(join(cwd, "package.json"), '{"private":true,"type":"module"}');
        run("npm", ["install", "--silent", ...packages], cwd);
      }
      for (const file of [`node/${program}`, ...files]) cpSync(join(sources, file), join(cwd, basename(file)));
      const { version } = JSON.parse(readFileSync(join(cwd, `node_modules/${packages[0]}/package.json`), "utf8"));
      return { command: process.execPath, args: [program], cwd, version };
    },
  };
}

/** Runs the command line client of OpenAI. */
const codex: ClientProgram = {
  name: "codex",
  install() {
    const cwd = join(directory, "codex");
    mkdirSync(cwd, { recursive: true });
    if (!existsSync(join(cwd, "node_modules/@openai/codex"))) {
      writeFileSync(join(cwd, "package.json"), '{"private":true,"type":"module"}');
      run("npm", ["install", "--silent", "@openai/codex"], cwd);
    }
    cpSync(join(sources, "node/codex.mjs"), join(cwd, "codex.mjs"));
    const { version } = JSON.parse(readFileSync(join(cwd, "node_modules/@openai/codex/package.json"), "utf8"));
    return { command: process.execPath, args: ["codex.mjs"], cwd, version };
  },
};

/** Runs 500 mixed calls through a gateway from PyPI. */
function gateway(name: string, title: string, requirement: string, command: string): ClientProgram {
  return {
    name,
    install() {
      const environment = installPython(name, [requirement]);
      const distribution = requirement.replace(/\[.*/, "");
      const code = `import importlib.metadata as m; print(m.version("${distribution}"))`;
      const version = execFileSync(join(environment, "bin/python"), ["-c", code], { encoding: "utf8" }).trim();
      const args = [join(sources, "mixed/main.ts"), title, join(environment, "bin", command)];
      return { command: process.execPath, args, version };
    },
  };
}

const openaiPrograms: readonly ClientProgram[] = [
  python("openai", "openai_python.py", "openai"),
  python("langchain", "langchain_openai_client.py", "langchain-openai"),
  // Without `mcp`, litellm cannot import its handling of tools.
  python("litellm", "litellm_client.py", "litellm", "mcp"),
  python("pydantic", "pydantic_ai_client.py", "pydantic-ai-slim[openai]"),
  python("instructor", "instructor_client.py", "instructor"),
  python("smolagents", "smolagents_client.py", "smolagents[openai]"),
  python("autogen", "autogen_client.py", "autogen-agentchat", "autogen-ext[openai]"),
  python("agents", "openai_agents_client.py", "openai-agents"),
  python("dspy", "dspy_client.py", "dspy"),
  node("ai-sdk", "ai-sdk.mjs", aiSdkFolder),
  node("ai-sdk-calls", "ai-sdk-calls.mjs", aiSdkFolder),
  node("use-chat", "use-chat.mjs", aiSdkFolder),
  codex,
  gateway("litellm-proxy", "LiteLLM proxy", "litellm[proxy]", "litellm"),
  go("openai-go", "official", "github.com/openai/openai-go/v3"),
  go("go-openai", "community", "github.com/sashabaranov/go-openai"),
  go("langchaingo", "langchaingo", "github.com/tmc/langchaingo"),
  java("langchain4j", "Langchain4j", "langchain4j-open-ai"),
  java("openai-java", "OpenaiJava", "openai-java"),
];

/** Clients of Anthropic's API, whose scenarios run against a stub of it and through the service. */
const anthropicPrograms: readonly ClientProgram[] = [
  python("anthropic", "anthropic_python.py", "anthropic"),
  python("langchain-anthropic", "langchain_anthropic_client.py", "langchain-anthropic"),
  // It calls Anthropic's client with types that later ones do not have.
  python("llama-index-anthropic", "llama_index_anthropic_client.py", "llama-index-llms-anthropic", "anthropic<1"),
  python("litellm-anthropic", "litellm_anthropic_client.py", "litellm", "mcp"),
  python("pydantic-anthropic", "pydantic_ai_anthropic_client.py", "pydantic-ai-slim[anthropic]"),
  python("instructor-anthropic", "instructor_anthropic_client.py", "instructor", "anthropic"),
  python("dspy-anthropic", "dspy_anthropic_client.py", "dspy"),
  node("anthropic-typescript", "anthropic.mjs", anthropicFolder),
  node("ai-sdk-anthropic", "ai-sdk-anthropic.mjs", anthropicFolder),
  node("langchain-js-anthropic", "langchain-anthropic.mjs", anthropicFolder),
  go("anthropic-go", "anthropic", "github.com/anthropics/anthropic-sdk-go"),
  java("langchain4j-anthropic", "Langchain4jAnthropic", "langchain4j-anthropic"),
  java("anthropic-java", "AnthropicJava", "anthropic-java"),
];

const openWebui = gateway("open-webui", "Open WebUI", "open-webui", "open-webui");

/** Result of one scenario, as the programs print it. */
interface Result {
  readonly client: string;
  readonly version: string;
  readonly scenario: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly detail?: string;
  /** Number of calls of the scenario, if it makes many. */
  readonly calls?: number;
}

const upstream = await startUpstream(createScript());
const api = await startOpenaiApi({
  MODEL_BASE_URL: upstream.baseUrl,
  EMBEDDING_PROVIDER: "openai-compatible",
  EMBEDDING_BASE_URL: upstream.baseUrl,
  EMBEDDING_ID: EMBEDDING_MODEL,
});
const anthropic = await startAnthropic(api.slug);

/** Without settings of Anthropic's clients, which would apply to both sides of a comparison. */
const environment = Object.fromEntries(
  Object.entries(getEnvironment()).filter(([name]) => !name.startsWith("ANTHROPIC_")),
);

/** Runs a program and returns the results that it prints. A program that crashes or hangs adds a failed scenario. */
async function runProgram(program: ClientProgram): Promise<Result[]> {
  const { command, args, cwd = directory, version = "" } = program.install();
  const child = spawn(command, args, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: TIMEOUT_MS,
    env: {
      ...environment,
      OPENAI_BASE_URL: api.baseUrl,
      OPENAI_API_KEY: api.key,
      SCENARIO_MODEL: api.slug,
      SCENARIO_EMBEDDING_MODEL: EMBEDDING_MODEL,
      SCENARIO_DIRECT_URL: upstream.baseUrl,
      SCENARIO_ANTHROPIC_URL: anthropic.baseUrl,
      SCENARIO_ANTHROPIC_KEY: ANTHROPIC_KEY,
      SCENARIO_UNICODE: UNICODE,
      CLIENT_VERSION: version,
    },
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const results: Result[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"')) continue;
    const result: Result = JSON.parse(line);
    console.log(`${result.passed ? "pass" : "FAIL"}  ${result.client}: ${result.scenario} ${result.detail ?? ""}`);
    results.push(result);
  }
  const exitCode = await closed;
  if (exitCode === 0) return results;
  const detail = `exit code ${exitCode}`;
  console.log(`FAIL  ${program.name}: ${detail}`);
  return [...results, { client: program.name, version, scenario: "exit", passed: false, seconds: 0, detail }];
}

/** Formats the number of calls of each client that makes many. */
function formatCalls(results: readonly Result[]): string[] {
  const calls = new Map<string, number>();
  for (const { client, calls: added } of results) if (added) calls.set(client, (calls.get(client) ?? 0) + added);
  if (calls.size === 0) return [];
  return [
    `Mixed calls, eight at a time, with the default guardrail: ${[...calls].map(([client, count]) => `${client}: ${count}`).join("; ")}. A cell is`,
    '"yes" if each of its calls got the expected answer, or the error that the provider was told to cause.',
    "",
  ];
}

/** Clients of an API, with the page of their results. */
interface Family {
  readonly programs: readonly ClientProgram[];
  readonly page: string;
  readonly title: string;
  /** Text after the sentence on when the page was written. */
  readonly introduction: readonly string[];
}

const families: Readonly<Record<string, Family>> = {
  openai: {
    programs: openaiPrograms,
    page: "docs/openai-clients.md",
    title: "Clients of the OpenAI-compatible API",
    introduction: [
      "It installs clients by other authors and runs them against an instance with a scripted provider.",
      "[Clients of Anthropic's API](anthropic-clients.md) have a page of their own.",
    ],
  },
  anthropic: {
    programs: anthropicPrograms,
    page: "docs/anthropic-clients.md",
    title: "Clients of Anthropic's API",
    introduction: [
      "It installs clients by other authors and makes each call twice: to a stub of Anthropic's API, and through an instance with a",
      'scripted provider. A cell is "yes" if both calls have the same outcome: text, blocks, stop reason, usage, order of events, class',
      "and type of errors, and what the model learns from the request. [Limits](guides/openai.md#limits-for-anthropics-clients) lists what",
      "differs by intention.",
    ],
  },
};

/** Formats the results as a table of scenarios and clients. */
function formatMatrix({ title, introduction }: Family, results: readonly Result[]): string {
  const clients = [...new Map(results.map((result) => [result.client, result])).values()];
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))].toSorted();
  const rows = scenarios.map((scenario) => {
    const cells = clients.map(({ client }) => {
      const result = results.find((candidate) => candidate.client === client && candidate.scenario === scenario);
      return result ? (result.passed ? "yes" : "**no**") : "";
    });
    return `| ${[scenario, ...cells].join(" | ")} |`;
  });
  const passed = results.filter((result) => result.passed).length;
  return [
    `# ${title}`,
    "",
    `\`npm run test:clients\` wrote this page on ${new Date().toISOString().slice(0, 10)}.`,
    ...introduction,
    "An empty cell means that the client has no such function or that the suite does not call it.",
    "",
    ...formatCalls(results),
    `${passed} of ${results.length} scenarios pass.`,
    "",
    `| scenario | ${clients.map(({ client }) => client).join(" | ")} |`,
    `|---|${clients.map(() => "---|").join("")}`,
    `| version | ${clients.map(({ version }) => version).join(" | ")} |`,
    ...rows,
    "",
  ].join("\n");
}

mkdirSync(directory, { recursive: true });
const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, api: { type: "string" } },
});
const results: Result[] = [];
try {
  for (const [id, family] of Object.entries(families)) {
    if (values.api && values.api !== id) continue;
    const isWithWebui = id === "openai" && (values.all || names.includes(openWebui.name));
    const available = isWithWebui ? [...family.programs, openWebui] : family.programs;
    const familyResults: Result[] = [];
    for (const program of available) {
      if (names.length === 0 || names.includes(program.name)) familyResults.push(...(await runProgram(program)));
    }
    results.push(...familyResults);
    if (names.length === 0) writeFileSync(family.page, formatMatrix(family, familyResults));
  }
} finally {
  await api.stop();
  await Promise.all([upstream.stop(), anthropic.stop()]);
}
const failures = results.filter(({ passed }) => !passed);
console.log(`${results.length - failures.length} of ${results.length} scenarios pass`);
process.exitCode = failures.length > 0 ? 1 : 0;
