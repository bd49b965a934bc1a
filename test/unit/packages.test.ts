import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

const run = promisify(execFile);
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "packages-"));
  await mkdir(join(directory, "infra/commands"), { recursive: true });
  await cp("infra/commands/trim-packages.cjs", join(directory, "infra/commands/trim-packages.cjs"));
  for (const name of ["openai", "langsmith", "@langchain", "some/__tests__"]) {
    await mkdir(join(directory, "node_modules", name), { recursive: true });
  }
  for (const name of ["index.js", "index.js.map", "LICENSE.md", "README.md", "__tests__/a.js"]) {
    await writeFile(join(directory, "node_modules/some", name), "x");
  }
});
afterAll(() => rm(directory, { recursive: true }));

const trim = (env: Record<string, string> = {}) =>
  run("node", [join(directory, "infra/commands/trim-packages.cjs")], { env: { ...process.env, ...env } });
const listFiles = async () => (await readdir(join(directory, "node_modules/some"))).toSorted();

it("installation keeps all files of packages with KEEP_PACKAGES=1, and else deletes those that no program reads and tells it", async () => {
  const before = await listFiles();
  expect((await trim({ KEEP_PACKAGES: "1" })).stdout).toContain("KEEP_PACKAGES=1");
  expect(await listFiles()).toEqual(before);
  expect((await trim()).stdout).toMatch(/deleted 3 files \(0 MB\).*KEEP_PACKAGES=1/);
  expect(await listFiles()).toEqual(["LICENSE.md", "index.js"]);
});

/** Starts a registry that answers audits with an advisory for a deployed package. */
async function startRegistry(severity: string): Promise<{ server: Server; url: string }> {
  const advisory = { id: 1, url: "https://example.com/1", title: "Leak", severity, vulnerable_versions: ">=0" };
  const version = packageJson.dependencies.chardet;
  const packument = { name: "chardet", versions: { [version]: { name: "chardet", version } } };
  const server = createServer(({ url }, response) => {
    response.end(JSON.stringify(url === "/chardet" ? packument : { chardet: [advisory] }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** npm caches advisories by their ids. */
const audit = (registry: string) =>
  run(process.execPath, ["infra/checks/audit.ts"], {
    env: { ...process.env, npm_config_registry: registry, npm_config_cache: join(directory, randomUUID()) },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  );

it.each([
  ["critical", 1, "chardet"],
  ["low", 0, "0 severe"],
])("check of deployed packages handles a known vulnerability of the severity %s", async (severity, code, text) => {
  const { server, url } = await startRegistry(severity);
  expect(await audit(url)).toEqual({ code, stdout: expect.stringContaining(text) });
  server.close();
});

it("check of deployed packages is left out with a sentence when no registry answers", async () => {
  expect(await audit("http://127.0.0.1:9/")).toEqual({ code: 0, stdout: expect.stringContaining("Left out") });
});

it("list of deployed packages has each package that a bundle can contain, with version and license, and no tool", async () => {
  const { stdout } = await run(process.execPath, ["infra/commands/sbom.ts"], { maxBuffer: 64 * 1_048_576 });
  const { bomFormat, metadata, components } = JSON.parse(stdout);
  expect([bomFormat, metadata.component.name]).toEqual(["CycloneDX", "switchboard"]);
  const names = new Set(components.map(({ name }: { name: string }) => name));
  expect(Object.keys(packageJson.dependencies).filter((name) => !names.has(name))).toEqual([]);
  for (const tool of ["vitest", "aws-cdk", "esbuild", "oidc-provider"]) expect(names).not.toContain(tool);
  for (const { version, licenses } of components)
    expect([version, licenses]).toEqual([expect.any(String), expect.any(Array)]);
});
