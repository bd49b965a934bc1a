import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { settings } from "#shared/lib/env.ts";
import { withKeyCharts } from "../../infra/checks/key-chart.ts";

const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));

/** Repository paths that a page names in backticks, and targets of its relative links. */
function namedPaths(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const quoted = [...text.matchAll(/`((?:shared|functions|infra|test)\/[\w./-]*)`/g)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => join(dirname(page), path));
  return [...quoted, ...linked];
}

/** Statements of pages about a limit, with the constant that sets it. Both sides are literal, so that a change of one fails. */
const limits: readonly (readonly [page: string, statement: string, source: string, constant: string])[] = [
  ["CONTRIBUTING.md", "at most 250 lines in `shared`", "test/unit/structure.test.ts", "const MAX_LINES = 250"],
  [
    "docs/guides/attachments.md",
    "up to 10 files of 20 MiB",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_ATTACHMENTS = 10;",
  ],
  [
    "docs/guides/attachments.md",
    "up to 10 files of 20 MiB",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_ATTACHMENT_BYTES = 20_971_520;",
  ],
  [
    "docs/guides/attachments.md",
    "8,000 pixels on each side",
    "shared/api/conversations/attachments.ts",
    "const MAX_IMAGE_SIDE = 8_000;",
  ],
  [
    "docs/guides/attachments.md",
    "the first 400,000 characters",
    "shared/api/conversations/attachments.ts",
    "const MAX_ATTACHMENT_CHARACTERS = 400_000;",
  ],
  [
    "docs/guides/attachments.md",
    "valid for 15 minutes",
    "shared/conversations/attachments/attachment-files.ts",
    "const UPLOAD_SECONDS = 900;",
  ],
  ["docs/guides/attachments.md", "At most 20 files", "shared/chat/context/attached-files.ts", "const MAX_FILES = 20;"],
  [
    "docs/guides/knowledge.md",
    "files of up to 4 MiB",
    "shared/api/knowledge/document-fields.ts",
    "const MAX_FORM_FILE_BYTES = 4_194_304;",
  ],
  [
    "docs/guides/knowledge.md",
    "up to 50 MiB",
    "shared/api/knowledge/document-fields.ts",
    "const MAX_UPLOAD_BYTES = 52_428_800;",
  ],
  [
    "docs/guides/knowledge.md",
    "10 MiB and 25 s for a page",
    "shared/knowledge/imports/fetch-public.ts",
    "const MAX_PAGE_BYTES = 10 * 1_048_576;",
  ],
  [
    "docs/guides/knowledge.md",
    "10 MiB and 25 s for a page",
    "shared/knowledge/imports/polite-fetcher.ts",
    "const PAGE_TIMEOUT_MS = 25_000;",
  ],
  [
    "docs/guides/knowledge.md",
    "100 MiB and ten minutes for an import",
    "shared/knowledge/imports/run-import.ts",
    "const MAX_RUN_BYTES = 100 * 1_048_576;",
  ],
  [
    "docs/guides/knowledge.md",
    "100 MiB and ten minutes for an import",
    "shared/knowledge/imports/run-import.ts",
    "const MAX_RUN_MS = 600_000;",
  ],
  [
    "docs/guides/knowledge.md",
    "20 imports in progress",
    "shared/knowledge/imports/import-runs.ts",
    "const MAX_RUNNING_IMPORTS = 20;",
  ],
  [
    "docs/guides/streaming.md",
    "A connection lasts 60 seconds",
    "shared/runs/event-stream.ts",
    "const MAX_CONNECTION_MS = 60_000;",
  ],
  ["docs/guides/openai.md", "its texts 1 MiB", "shared/lib/env.ts", `OPENAI_TEXT_MIB: "1"`],
  [
    "shared/openai/README.md",
    "after 200 ms with a comment",
    "shared/openai/completions/completion-stream.ts",
    "const FIRST_BYTE_MS = 200;",
  ],
  [
    "shared/runs/README.md",
    "a run notices within 0.8 s",
    "shared/runs/run-heartbeat.ts",
    "const POLL_INTERVAL_MS = 800;",
  ],
  ["shared/channels/README.md", "up to 16 KB", "shared/channels/refusal-log.ts", "const MAX_BODY_LENGTH = 16_384;"],
  [
    "infra/decisions/0018-read-files-in-a-job-with-small-parsers.md",
    "whose thread has 800 MB",
    "shared/files/extract-in-process.ts",
    "const MAX_HEAP_MB = 800;",
  ],
  [
    "infra/decisions/0018-read-files-in-a-job-with-small-parsers.md",
    "6 s of processor time and 2 s for each mebibyte",
    "shared/files/extract-in-process.ts",
    "const CPU_MS_PER_MEBIBYTE = 2_000;",
  ],
  [
    "infra/decisions/0018-read-files-in-a-job-with-small-parsers.md",
    "2,000 pages, 3 million",
    "shared/files/extraction-limits.ts",
    "const MAX_TEXT_LENGTH = 3_000_000;",
  ],
];

describe("documentation of the repository", () => {
  it.each(pages)("refers only to files that exist: page %s", (page) => {
    expect(namedPaths(page).filter((path) => !existsSync(path))).toEqual([]);
  });

  it("contains enough file paths for this test to check", () => {
    expect(namedPaths("README.md").length).toBeGreaterThan(10);
  });

  it("lists every setting with its default value", () => {
    const rows = [
      ...readFileSync("infra/configuration.md", "utf8").matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)?[^|]*\| \S/gm),
    ];
    const documented = new Map(rows.map(([, name = "", fallback = ""]) => [name, fallback]));
    const actual = Object.assign({}, ...Object.values(settings)) as Record<string, string>;
    for (const [name, fallback] of Object.entries(actual))
      expect([name, documented.get(name)]).toEqual([name, fallback]);
  });

  it("lists every environment variable that tools read", () => {
    const sources = execFileSync("git", ["ls-files", "infra/*.ts", "shared/*.ts"], { encoding: "utf8" })
      .split("\n")
      .filter((file) => file !== "" && existsSync(file))
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const read = [...sources.matchAll(/(?:getToolSetting|integerSetting)\("([A-Z_]+)"/g)].map(([, name = ""]) => name);
    expect(read.length).toBeGreaterThan(5);
    const page = readFileSync("infra/configuration.md", "utf8");
    const internal = ["PATH", "BASE_URL"];
    expect([...new Set(read)].filter((name) => !internal.includes(name) && !page.includes(`| \`${name}\``))).toEqual(
      [],
    );
  });

  it("describes every folder of shared in the README", () => {
    const readme = readFileSync("README.md", "utf8");
    const folders = execFileSync("git", ["ls-files", "shared/*.ts"], { encoding: "utf8" })
      .split("\n")
      .map((file) => file.split("/").slice(0, 2).join("/"))
      .filter((folder) => folder !== "");
    expect([...new Set(folders)].filter((folder) => !readme.includes(`\`${folder}\``))).toEqual([]);
  });

  it("lists every table key in the format that its key function returns", () => {
    const page = readFileSync("shared/dynamodb/README.md", "utf8");
    expect(page).toContain("| message | `T#conversation#<conversation>` | `message#<message>` |");
    expect(withKeyCharts(page)).toBe(page);
  });

  it("lists every decision record in the index of decisions", () => {
    const index = readFileSync("infra/decisions/README.md", "utf8");
    const decisions = pages.filter((page) => /^infra\/decisions\/\d{4}/.test(page));
    expect(decisions.length).toBeGreaterThan(15);
    for (const page of decisions) {
      expect(index).toContain(page.replace("infra/decisions/", ""));
      const text = readFileSync(page, "utf8");
      expect(text).toMatch(/^# \d{4}\. \S/);
      for (const part of ["- Status: ", "- Date: 20", "## Context", "## Decision", "## Consequences"]) {
        expect([page, text.includes(part)]).toEqual([page, true]);
      }
    }
  });

  it.each(limits)("states the limits that the code sets: page %s, %s", (page, statement, source, constant) => {
    const text = readFileSync(page, "utf8").replaceAll(/\s+/g, " ");
    expect([text.includes(statement), readFileSync(source, "utf8").includes(constant)]).toEqual([true, true]);
  });

  it("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    const named = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/npm run ([a-z:-]+)/g)].map(([, name = ""]) => [page, name] as const),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(([, name]) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("describes every npm script that people call in CONTRIBUTING or a guide", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    const text = pages.map((page) => readFileSync(page, "utf8")).join("\n");
    const internal = ["postinstall"];
    const isNamed = (name: string) => text.includes(`npm run ${name}`) || text.includes(`npm ${name}`);
    expect(Object.keys(scripts).filter((name) => !internal.includes(name) && !isNamed(name))).toEqual([]);
  });
});
