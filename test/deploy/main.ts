/**
 * Deploys the synthesized stacks with the CDK CLI into MiniStack and moto, which are third-party emulators of AWS:
 * first with the current routes, then with one route removed, one moved to another group and two renamed, and then with the
 * current routes again, as a rollback. Checks the methods and functions after each deployment and, in MiniStack, runs a
 * scenario against the deployed API, deploys a rotated origin secret to CloudFront, deletes the streaming stack and deploys
 * it again. Then it deploys a probe and traces, and removes everything. Needs Python 3.10 or newer.
 * `test/deploy/README.md` lists what the emulators cannot do.
 * `npm run test:deploy [-- ministack | moto]`
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { type IdentityProvider, newSigningKey, startIdentityProvider } from "#test/support/identity-provider.ts";
import { bundleFunctions } from "../../infra/bundle/bundle.ts";
import { type Bundle, planFunctions } from "../../infra/bundle/bundle-plan.ts";
import { entryPointOf } from "../../infra/naming.ts";
import { readUses } from "../../infra/rights/uses.ts";
import { type SynthesizeOptions, synthesize } from "../infra/synthesize.ts";

/** Third-party emulator of AWS, from the Python Package Index. */
interface Emulator {
  readonly packages: readonly string[];
  /** Program that the packages install. */
  readonly program: string;
  /** Program that starts the emulator, with its arguments. */
  toCommand(port: number): [string, ...string[]];
  toEnvironment(port: number): Record<string, string>;
}

const emulators = {
  ministack: {
    packages: ["ministack==1.5.33", "boto3==1.43.*"],
    program: "ministack",
    toCommand: () => ["ministack"],
    toEnvironment: (port) => ({ GATEWAY_PORT: String(port) }),
  },
  moto: {
    packages: ["moto[server,all]==5.2.5"],
    program: "moto_server",
    toCommand: (port) => ["python", join(import.meta.dirname, "moto_server.py"), "-H", "127.0.0.1", "-p", String(port)],
    toEnvironment: () => ({}),
  },
} satisfies Record<string, Emulator>;

/** Installs an emulator once outside the repository and returns the directory of its programs. */
function installEmulator({ packages, program }: Emulator): string {
  const directory = join(tmpdir(), `switchboard-${packages[0]?.replace(/\W+/g, "-")}`);
  const programs = join(directory, "bin");
  if (existsSync(join(programs, program))) return programs;
  execFileSync("python3", ["-m", "venv", directory], { stdio: "inherit" });
  execFileSync(join(programs, "python"), ["-m", "pip", "install", "--quiet", ...packages], { stdio: "inherit" });
  return programs;
}

/** Returns the routes of the next version. */
function changeRoutes(): Route[] {
  return routes.flatMap((route) => {
    if (route.id === "searchTemplates") return [];
    if (route.id === "getMe") return [{ ...route, group: "moved" }];
    if (route.id === "listNotes") return [{ ...route, id: "listAllNotes" }];
    if (route.id === "downloadExport") return [{ ...route, id: "downloadArchive" }];
    return [route];
  });
}

/** Names of the functions that the next version renames, by their new names. */
const originalNames: ReadonlyMap<string, string> = new Map([
  ["list-all-notes", "list-notes"],
  ["download-archive", "download-export"],
]);

const usesOf = readUses(process.cwd());

/** Returns the bundle with the entry points of the next version, in which two routes are renamed and one is in another group. */
function renameEntries(bundle: Bundle): Bundle {
  const originals = new Map(changeRoutes().map((route) => [entryPointOf(route), entryPointOf(requireOriginal(route))]));
  const original = (entry: string) => originals.get(entry) ?? entry;
  return {
    ...bundle,
    codeOf: (entry) => bundle.codeOf(original(entry)),
  };
}

function requireOriginal({ method, path }: Route): Route {
  const original = routes.find((route) => route.method === method && route.path === path);
  if (!original) throw new Error(`The next version has a new route: ${method} ${path}`);
  return original;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Waits until the emulator responds. */
async function waitForEmulator(endpoint: string): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt++) {
    const isReady = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await sleep(500);
  }
  throw new Error("The emulator did not start within a minute");
}

/** Settings of a version that asks itself a question and exports traces. */
const observedSettings = {
  PROBE_URL: "https://assistant.example.com",
  PROBE_KEY: "{{resolve:secretsmanager:probe-key:SecretString}}",
  PROBE_PERSONA_ID: "p1",
  OTLP_ENDPOINT: "https://collector.example.com",
};

/** Synthesizes the versions of the app into folders of a directory. @returns the code of their functions */
async function synthesizeVersions(directory: string): Promise<Bundle> {
  const bundle = await bundleFunctions(planFunctions(process.cwd(), "minified"));
  const versions = {
    first: { routes, bundle },
    next: {
      routes: changeRoutes(),
      bundle: renameEntries(bundle),
      usesOf: (name: string) => usesOf(originalNames.get(name) ?? name),
    },
    rotated: { routes, bundle, options: { rotation: "second" } },
    observed: { routes, bundle, settings: observedSettings },
  };
  for (const [name, { settings = {}, ...version }] of Object.entries<SynthesizeOptions & { settings?: object }>(
    versions,
  )) {
    Object.assign(process.env, settings);
    synthesize({ ...version, stage: "prod", outdir: join(directory, name) });
    for (const setting of Object.keys(settings)) delete process.env[setting];
  }
  return bundle;
}

/**
 * Returns the tokens for each deployment. Each deployment has a tenant of its own, because a tenant may send only 60
 * requests per minute.
 */
async function createTokens(identityProvider: IdentityProvider): Promise<object> {
  const tokens = ["deployment", "update", "rollback"].map(async (tenant) => {
    const ownerToken = await identityProvider.token({ tenant, user: "ada", roles: ["admin"] });
    const colleagueToken = await identityProvider.token({ tenant, user: "bob", roles: [] });
    return [tenant, { ownerToken, colleagueToken }] as const;
  });
  return Object.fromEntries(await Promise.all(tokens));
}

interface Rehearsal {
  /** Contains the synthesized versions. */
  readonly directory: string;
  readonly tokens: object;
  /** Directory with the code of the function `start-chat`. */
  readonly streamCode: string;
}

/** Deploys the versions into an emulator. @returns the exit code */
async function rehearse(name: string, emulator: Emulator, rehearsal: Rehearsal): Promise<number> {
  const { directory, tokens, streamCode } = rehearsal;
  const programs = installEmulator(emulator);
  const port = await findFreePort();
  // With an address of digits, the AWS SDK sends the names of buckets in the path.
  const endpoint = `http://127.0.0.1:${port}`;
  const [program, ...options] = emulator.toCommand(port);
  const server = spawn(join(programs, program), options, {
    cwd: directory,
    env: { ...process.env, ...emulator.toEnvironment(port) },
    stdio: "ignore",
  });
  try {
    await waitForEmulator(endpoint);
    const env = {
      ...process.env,
      EMULATOR: name,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_DEFAULT_REGION: "us-east-1",
      AWS_REGION: "us-east-1",
      CDK: join(process.cwd(), "node_modules/aws-cdk/bin/cdk"),
      // The CLI stores the account of each access key here.
      CDK_HOME: mkdtempSync(join(directory, `${name}-cdk-`)),
      CDK_DISABLE_CLI_TELEMETRY: "true",
      SCENARIO_TOKENS: JSON.stringify(tokens),
      STREAM_CODE: streamCode,
    };
    const script = join(import.meta.dirname, "deploy.py");
    const deployment = spawn(join(programs, "python"), [script, directory], { env, stdio: "inherit" });
    const [exitCode] = await once(deployment, "exit");
    return Number(exitCode ?? 1);
  } finally {
    server.kill();
  }
}

const selected = Object.entries(emulators).filter(([name]) => process.argv.length < 3 || process.argv.includes(name));
const directory = mkdtempSync(join(tmpdir(), "switchboard-deploy-"));
const identityProvider = await startIdentityProvider([await newSigningKey("deploy")]);
try {
  Object.assign(process.env, identityProvider.env);
  const bundle = await synthesizeVersions(directory);
  const tokens = await createTokens(identityProvider);
  const streamCode = bundle.codeOf("functions/streaming/start-chat.ts").directory;
  for (const [name, emulator] of selected) {
    console.log(`== ${name}`);
    process.exitCode = Math.max(
      Number(process.exitCode ?? 0),
      await rehearse(name, emulator, { directory, tokens, streamCode }),
    );
  }
} finally {
  await identityProvider.stop();
  rmSync(directory, { recursive: true, force: true });
}
