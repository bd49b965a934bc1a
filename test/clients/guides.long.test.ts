import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { type CodeBlock, readCodeBlocks, runCodeBlock } from "#test/support/code-blocks.ts";

const folder = "docs/guides";
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));

/** Pages that contain figures, or commands of operators that need the deployment key or AWS, and no examples. */
const pagesWithoutExamples = new Set(["cells.md", "costs.md", "deployment.md", "tenants.md"]);
const pagesWithExamples = pages.filter((page) => !pagesWithoutExamples.has(page));

/** Languages of blocks that are not programs: markup and data to paste, and commands that deploy to AWS. */
const notExecuted = new Set(["html", "tsx", "console", "toml", "json", "markdown", "python", "yaml"]);

/** Joins the shell blocks of a page, which share variables and files. */
const joinShell = (blocks: readonly CodeBlock[]): CodeBlock => {
  const shell = blocks.filter(({ language }) => language === "sh");
  return { page: "", language: "sh", flags: [], line: 1, code: shell.map(({ code }) => code).join("\n") };
};

it("docs/guides has a guide for each of nine main topics", () => {
  const topics = ["first-chat", "streaming", "openai", "widget", "webhooks", "knowledge", "governance", "deployment"];
  for (const topic of [...topics, "operations"]) expect(pages).toContain(`${topic}.md`);
});

/** Programs that the shell examples need. Machines that have only Node skip these examples. */
const hasShellTools = ["bash", "curl", "jq", "openssl"].every((tool) => !spawnSync(tool, ["--version"]).error);

it.skipIf(!hasShellTools).each(pagesWithExamples)(
  "every example in docs/guides/%s runs without an error",
  async (page) => {
    const blocks = await readCodeBlocks(join(folder, page));
    const languages = new Set(blocks.map(({ language }) => language));
    for (const language of languages) expect(["sh", "ts", ...notExecuted]).toContain(language);
    // The examples send the headers of a new tenant, so that they do not change the policy of other suites.
    const client = new Client();
    const headers = Object.entries(client.headers).map(([name, value]) => `-H '${name}: ${value}'`);
    const curl = `curl() { command curl --fail-with-body ${headers.join(" ")} "$@"; }\n`;
    const env = { SWITCHBOARD_URL: inject("baseUrl") };
    const shell = joinShell(blocks);
    const output = await runCodeBlock({ ...shell, code: curl + shell.code }, env);
    expect(output.trim()).not.toBe("");
    expect(output).not.toMatch(/^null$/m);
    for (const block of blocks.filter(({ language }) => language === "ts")) {
      expect((await runCodeBlock(block, env)).trim()).not.toBe("");
    }
  },
);
