import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { allEntries, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

const directory = mkdtempSync(join(tmpdir(), "switchboard-code-"));
mkdirSync(join(directory, "code"));
writeFileSync(join(directory, "code", "index.cjs"), "");

afterAll(() => rmSync(directory, { recursive: true }));

/** Returns the resources that differ, as type and name; those of nested stacks are compared instead of their parents' entry. */
function differences(before: Templates, after: Templates): string[] {
  const list = (templates: Templates) =>
    [...templates].flatMap(([file, resources]) =>
      Object.entries(resources ?? {})
        .filter(([, { Type }]) => Type !== "AWS::CloudFormation::Stack")
        .map(([id, resource]) => [`${file} ${id}`, resource] as const),
    );
  const known = new Map(list(before).map(([id, resource]) => [id, JSON.stringify(resource)]));
  return list(after)
    .filter(([id, resource]) => known.get(id) !== JSON.stringify(resource))
    .map(([, { Type, Properties }]) => `${Type} ${Properties.FunctionName ?? ""}`.trim());
}

it("functions get the name of the origin secret, and no value of a secret that CloudFormation would copy into them", () => {
  for (const options of [{}, { waf: "true" }]) {
    const functions = resourcesOf(synthesize({ options }), "AWS::Lambda::Function");
    const withText = (text: string) =>
      functions
        .filter(({ Properties }) => JSON.stringify(Properties.Environment ?? {}).includes(text))
        .map(({ Properties }) => Properties.FunctionName);
    expect(withText("{{resolve:")).toEqual([]);
    expect(withText('"ORIGIN_SECRET"').length).toBeGreaterThan(250);
  }
});

it("origin secret changes no function when it is rotated, but CloudFront and its web ACL", () => {
  const withRotation = (options: object) =>
    differences(
      synthesize({ options: { ...options } }),
      synthesize({ options: { ...options, rotation: "2026-11-28" } }),
    );
  expect(withRotation({})).toEqual(["AWS::CloudFront::Distribution"]);
  expect(withRotation({ waf: "true" })).toEqual(["AWS::WAFv2::WebACL", "AWS::CloudFront::Distribution"]);
  expect(() => synthesize({ options: { rotation: "a b" } })).toThrow("-c rotation must have");
});

it("release with a fix of one function changes one function, and with another version also those that report it", () => {
  const withCode = (version: string, hashOf: (entry: string) => string) =>
    synthesize({
      version,
      bundle: {
        codeOf: (entry) => ({ directory: join(directory, "code"), handler: "index.handler", hash: hashOf(entry) }),
        ...allEntries,
      },
    });
  const before = withCode("1.2.3", () => "a".repeat(64));
  const fixed = (entry: string) => (entry === "listNotesHandler" ? "b" : "a").repeat(64);
  expect(differences(before, withCode("1.2.3", fixed))).toEqual(["AWS::Lambda::Function switchboard-prod_list-notes"]);
  expect(differences(before, withCode("1.2.4", fixed)).toSorted()).toEqual([
    "AWS::Lambda::Function switchboard-prod_get-feature-flags",
    "AWS::Lambda::Function switchboard-prod_get-health",
    "AWS::Lambda::Function switchboard-prod_list-notes",
  ]);
});
