import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseRules, readFrontMatter } from "../../../infra/sync/readers.ts";
import type { FileSource } from "../../../infra/sync/source-file.ts";
import { folder, toSourceFile } from "../../../infra/sync/sources/folder.ts";
import { git } from "../../../infra/sync/sources/git.ts";
import { sitemap } from "../../../infra/sync/sources/sitemap.ts";
import { stdin } from "../../../infra/sync/sources/stdin.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sources-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Returns the texts of a source by path. */
async function readAll(source: FileSource): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for await (const file of source()) {
    const parts: Uint8Array[] = [];
    for await (const part of file.read()) parts.push(part);
    texts[file.path] = Buffer.concat(parts).toString();
  }
  return texts;
}

function write(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

it("folder source reads files of all folders, without hidden ones and symbolic links", async () => {
  write("a.md", "A");
  write("b/c/d.txt", "D");
  write(".git/config", "hidden");
  write("b/.env", "hidden");
  write("b/~$report.docx", "mark of an open document");
  symlinkSync(join(root, "a.md"), join(root, "link.md"));
  expect(await readAll(folder(root))).toEqual({ "a.md": "A", "b/c/d.txt": "D" });
});

it("folder source yields a file whose name is not UTF-8 as one that cannot be read, and none that is gone", async () => {
  write("a.md", "A");
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from(".md")]), "coffee");
  const found = [];
  for await (const file of folder(root)()) found.push(file);
  const [named, unnamed] = found.sort((one, other) => (one.path < other.path ? -1 : 1));
  expect([named?.path, unnamed?.path]).toEqual(["a.md", "caf\ufffd.md"]);
  await expect(Array.fromAsync(unnamed?.read() ?? [])).rejects.toThrow("the name is not UTF-8");
  expect(await toSourceFile(root, "gone.md")).toBe(undefined);
});

it("Git source reads no file outside of the repository through a link, and leaves out submodules and linked folders", async () => {
  const secret = mkdtempSync(join(tmpdir(), "secret-"));
  writeFileSync(join(secret, "key"), "secret");
  const run = (folder: string, ...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args]);
  try {
    run(secret, "init", "--quiet");
    run(secret, "add", ".");
    run(secret, "commit", "--quiet", "--message", "first");
    run(root, "init", "--quiet", "--initial-branch", "main");
    write("docs/a.md", "A");
    symlinkSync(join(secret, "key"), join(root, "notes.md"));
    symlinkSync("docs", join(root, "linked"));
    run(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", secret, "part");
    run(root, "add", ".");
    run(root, "commit", "--quiet", "--message", "first");
    const files = { "docs/a.md": "A" };
    const { ".gitmodules": _, ...local } = await readAll(git(root));
    expect(local).toEqual(files);
    const { ".gitmodules": __, ...cloned } = await readAll(git(pathToFileURL(root).href));
    expect(cloned).toEqual(files);
  } finally {
    rmSync(secret, { recursive: true, force: true });
  }
});

it("Git source reads tracked files with any characters in their names, of a working tree and of a clone", async () => {
  const run = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      stdio: "pipe",
    });
  run("init", "--quiet", "--initial-branch", "main");
  const files = { "docs/ä ö.md": "umlauts", "docs/line\nbreak.md": "break", "-x.txt": "dash" };
  for (const [path, text] of Object.entries(files)) write(path, text);
  run("add", ".");
  run("commit", "--quiet", "--message", "first");
  write("untracked.md", "untracked");
  expect(await readAll(git(root))).toEqual(files);
  expect(await readAll(git(pathToFileURL(root).href, "main"))).toEqual(files);
  await expect(readAll(git(join(root, "missing")))).rejects.toThrow("failed");
});

it("sitemap source reads pages of the same origin that the sitemaps of an index name", async () => {
  const pages: Record<string, string> = {
    "/guide?a=1&b=2": "<h1>Guide</h1>",
    "/terms.pdf": "PDF",
    "/": "<h1>Home</h1>",
  };
  const server = createServer(({ url = "" }, response) => {
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const toXml = (name: string, paths: readonly string[]) =>
      `<${name}>${paths.map((path) => `<loc> ${origin}${path} </loc>`).join("")}<loc>https://example.com/other</loc></${name}>`;
    if (url === "/index.xml") return response.end(toXml("sitemapindex", ["/one.xml"]));
    if (url === "/one.xml") return response.end(toXml("urlset", ["/guide?a=1&amp;b=2", "/terms.pdf", "/", "/gone"]));
    response.statusCode = url in pages ? 200 : 404;
    return response.end(pages[url]);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    const source = sitemap(`http://localhost:${(server.address() as AddressInfo).port}/index.xml`);
    const found = [];
    for await (const file of source()) found.push(file);
    expect(found.map(({ path, mediaType }) => [path, mediaType])).toEqual([
      ["guide?a=1&b=2", "text/html"],
      ["terms.pdf", undefined],
      ["index.html", "text/html"],
      ["gone", "text/html"],
    ]);
    const [guide, , , gone] = found;
    const readable = async function* () {
      if (guide) yield guide;
    };
    expect(await readAll(readable)).toEqual({ "guide?a=1&b=2": "<h1>Guide</h1>" });
    await expect(gone?.read()[Symbol.asyncIterator]().next()).rejects.toThrow("404");
  } finally {
    server.close();
  }
});

it("stdin source reads texts and files of JSON Lines, and names the line that is wrong", async () => {
  write("file.txt", "from a file");
  const lines = [
    { path: "a.md", text: "from a text", readers: ["group:HR"] },
    { path: "b.txt", file: join(root, "file.txt") },
  ];
  const input = (rows: readonly unknown[]) => Readable.from(rows.map((row) => `${JSON.stringify(row)}\n`));
  expect(await readAll(stdin(input(lines)))).toEqual({ "a.md": "from a text", "b.txt": "from a file" });
  for (const wrong of [{ text: "no path" }, { path: "a.md" }, { path: "a.md", text: "x", readers: "group:HR" }]) {
    await expect(readAll(stdin(input([lines[0], wrong])))).rejects.toThrow("Line 2");
  }
});

it.each([
  ["---\ntitle: x\nreaders: [group:HR, 'user:ada']\n---\n", ["group:HR", "user:ada"]],
  ["---\nreaders:\n  - group:HR\n  - user:ada\ntitle: x\n---\n", ["group:HR", "user:ada"]],
  ["---\nreaders: []\n---\n", []],
  ["---\ntitle: x\n---\nreaders: group:HR\n", undefined],
  ["readers: group:HR\n", undefined],
])("front matter %j of Markdown names its readers", (text, readers) => {
  expect(readFrontMatter("a.md", text)).toEqual(readers);
  expect(readFrontMatter("a.txt", text)).toBeUndefined();
});

it("rules of readers have patterns and readers, and comments", () => {
  expect(parseRules("# comment\nhr/**=group:HR, user:ada\n\na=b/*=collection")).toEqual([
    { pattern: "hr/**", readers: ["group:HR", "user:ada"] },
    { pattern: "a=b/*", readers: null },
  ]);
  expect(() => parseRules("hr/**")).toThrow("no rule");
});
