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
});
