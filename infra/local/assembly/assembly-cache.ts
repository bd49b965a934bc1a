import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { inheritedEnvironment } from "../../../shared/lib/env.ts";
import { codeOf, Failure, messageOf } from "../failure.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { warn } from "../log.ts";
import { readAssembly } from "./assembly.ts";

/** What an assembly depends on, besides the environment variables that `cdk.json` names. */
const sources = ["infra", "functions", "shared", "package-lock.json", "cdk.json"];

/** How many assemblies are kept. */
const kept = 8;

/**
 * Directory of an up-to-date assembly of the app that `cdk.json` names, for the stage `local`. It is synthesised only if none
 * was made yet from the same files and settings; `cdk.json`'s context `local:environment` lists the variables that matter, as
 * globs. Several runners may do this at once.
 * @throws Failure when the synthesis fails
 */
export async function ensureAssembly(project: string, signal: AbortSignal): Promise<string> {
  const configuration = readConfiguration(project);
  const context = fields(configuration.context);
  const command = text(configuration.app);
  if (!command) throw new Failure('cdk.json names no app. Add one: { "app": "node infra/app.ts" }');
  const cache = join(project, "cdk.out", "local");
  const directory = join(cache, fingerprint(project, list(context["local:environment"]).map(String)));
  if (!isComplete(directory)) await synthesise(project, command, context, directory, signal);
  claim(directory);
  prune(cache);
  return directory;
}

/** Says that this process no longer needs the assembly. */
export function releaseAssembly(directory: string): void {
  rmSync(join(directory, claimName(process.pid)), { force: true });
}

function readConfiguration(project: string): Fields {
  try {
    return fields(JSON.parse(readFileSync(join(project, "cdk.json"), "utf8")));
  } catch (error) {
    throw new Failure(`cdk.json cannot be read (${messageOf(error)}). Start in the directory of the CDK app.`);
  }
}

function fingerprint(project: string, patterns: string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) addFiles(hash.update(source), join(project, source));
  const environment = Object.entries(inheritedEnvironment())
    .filter(([name]) => patterns.some((pattern) => matchesGlob(name, pattern)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash.update(JSON.stringify(environment)).digest("hex").slice(0, 16);
}

function addFiles(hash: ReturnType<typeof createHash>, path: string): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    hash.update(readFileSync(path));
    return;
  }
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name === "node_modules") continue;
    hash.update(`\0${entry.name}\0`);
    if (entry.isDirectory()) addFiles(hash, join(path, entry.name));
    else hash.update(readFileSync(join(path, entry.name)));
  }
}

/** Whether the assembly is there with all its assets, which may lie elsewhere and be gone. */
function isComplete(directory: string): boolean {
  return (
    existsSync(join(directory, "manifest.json")) &&
    [...readAssembly(directory).assets.values()].every((path) => existsSync(path))
  );
}

/** Synthesises into a directory of its own and moves that into place, so that nobody ever sees half an assembly. */
async function synthesise(
  project: string,
  command: string,
  context: Fields,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const draft = `${directory}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    await runApp(project, command, signal, {
      CDK_OUTDIR: draft,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        stage: "local",
        "aws:cdk:disable-asset-staging": true,
        "aws:cdk:enable-asset-metadata": false,
        "aws:cdk:enable-path-metadata": false,
        "aws:cdk:version-reporting": false,
      }),
    });
    makeRelative(draft);
    if (!isComplete(directory)) rmSync(directory, { recursive: true, force: true });
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another runner made the same assembly meanwhile.
    if (codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return;
    throw error;
  }
}

async function runApp(
  project: string,
  command: string,
  signal: AbortSignal,
  settings: Record<string, string>,
): Promise<void> {
  const inherited = inheritedEnvironment();
  const child = spawn(command, {
    cwd: project,
    shell: true,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      // The app runs on the Node that runs this, whichever the PATH would find.
      PATH: `${dirname(process.execPath)}:${inherited.PATH ?? ""}`,
      // CDK's check of every template takes longer than all the rest: it is for what CloudFormation gets to see.
      CDK_VALIDATION: "false",
      ...settings,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data;
    });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  if (code === 0) return;
  warn("synthesis", output.trim());
  throw new Failure(
    `Synthesis failed: \`${command}\` ended with ${code}; what it said is above. Correct that and start again.`,
  );
}

/** Assets that the app built into the assembly itself must move with it. */
function makeRelative(directory: string): void {
  for (const name of readdirSync(directory).filter((file) => file.endsWith(".assets.json"))) {
    const file = join(directory, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(`"${directory}/`, '"./'));
  }
}

const claimName = (pid: number) => `.used-by-${pid}`;

function claim(directory: string): void {
  writeFileSync(join(directory, claimName(process.pid)), "");
  utimesSync(directory, new Date(), new Date());
}

/** Removes the assemblies that were not used for the longest time, except those a living process uses. */
function prune(cache: string): void {
  const old = readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name))
    .map(({ name }) => ({ path: join(cache, name), usedAt: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt)
    .slice(kept);
  for (const { path } of old) if (!isUsed(path)) rmSync(path, { recursive: true, force: true });
}

function isUsed(directory: string): boolean {
  return readdirSync(directory)
    .map((name) => /^\.used-by-(\d+)$/.exec(name)?.[1])
    .some((pid) => pid !== undefined && isAlive(Number(pid)));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
