import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findItemType, type ItemTypeName, itemTypeNames, itemTypes } from "#shared/dynamodb/item-types.ts";
import { indexKeys, keyPrefixes, keys } from "#shared/dynamodb/keys.ts";
import type { Key } from "#shared/dynamodb/table.ts";
import { auditRules } from "#shared/governance/audit/audit-rules.ts";

type KeyBuilder = (...parts: unknown[]) => Record<string, string>;

const id = "0198c0de-0000-7000-8000-000000000001";
/** Files that define keys. */
const isKeyFile = (file: string) => /^dynamodb\/(items\/|key-owner\.ts)/.test(file);

const readSources = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file, source: readFileSync(join(directory, file), "utf8") }));

const sources = readSources(join(import.meta.dirname, "../../../shared"));

const createKey = (builder: unknown) => (builder as KeyBuilder)("tenant", id, id, id);

/** Literal words that are next to a separator in any key. */
const keyWords = new Set(
  [...Object.values(keys), ...Object.values(indexKeys)]
    .flatMap((builder) => Object.values(createKey(builder)))
    .filter((text) => text.includes("#"))
    .flatMap((text) => text.split("#"))
    .filter((word) => /^[a-z]+(-[a-z]+)*$/.test(word) && word !== "tenant"),
);

const prefixes = Object.values(keyPrefixes).join("|");
const words = [...keyWords].join("|");

/** Matches a string or template that starts with a key prefix, or that contains a word of a key after a separator. */
const keyText = new RegExp(`["'\`](?:${prefixes})|["'\`}]#(?:${words})(?:["'\`]|#)`);

it.each([
  'prefix: "message#"',
  "sk: `grant#$" + "{id}`",
  'pk.endsWith("#groups")',
  "`$" + "{tenantId}#user#$" + "{id}`",
])("search pattern for table keys in source text matches the source text %s", (text) => expect(text).toMatch(keyText));

it.each(['where: "#status = :status"', "`user#$" + "{id}`", "/** Named `message`. */"])(
  "search pattern for table keys in source text does not match the source text %s",
  (text) => expect(text).not.toMatch(keyText),
);

it("search pattern for table keys in source text matches only in the files that define the keys", () => {
  const lines = sources
    .filter(({ file }) => !isKeyFile(file))
    .flatMap(({ file, source }) => source.split("\n").map((line) => `${file}: ${line.trim()}`));
  const code = lines.filter((line) => !/: (?:\/\*\*|\*|\/\/)/.test(line));
  expect(code.filter((line) => keyText.test(line))).toEqual([]);
});

it("type of a table item is declared for every discriminator that code writes", () => {
  const discriminators = sources.flatMap(({ source }) =>
    [...source.matchAll(/discriminator: "([a-z-]+)"/g)].map(([, name]) => name),
  );
  expect(itemTypeNames.toSorted()).toEqual([...new Set(discriminators)].toSorted());
});

it.each(Object.entries(keys))(
  "type of a table item is declared for items whose key is built by keys.%s",
  (_, builder) => {
    const type = findItemType(createKey(builder) as unknown as Key);
    expect(type && Object.values<unknown>(itemTypes[type].keys)).toContain(builder);
  },
);

it.each(itemTypeNames)("type of a table item %s is recognized by each key that it declares", (name) => {
  // Counters of API keys have the same table keys as counters of other callers, so their type is found as `rate`.
  const expected: ItemTypeName = name === "key-rate" ? "rate" : name;
  for (const builder of Object.values(itemTypes[name].keys)) {
    expect(findItemType(createKey(builder) as unknown as Key)).toBe(expected);
  }
});

it("type of a table item stores who changed the item if the item is audited", () => {
  const audited = itemTypeNames.filter((name) => auditRules.has(name));
  const unattributed = audited.filter((name) => !itemTypes[name].recordsActor.includes("update"));
  expect(unattributed).toEqual([]);
});

it("type of a table item takes no write for the actor of a deletion if the item is not audited", () => {
  const attributed = itemTypeNames.filter((name) => itemTypes[name].recordsActor.some((kind) => kind === "delete"));
  expect(attributed.filter((name) => !auditRules.has(name))).toEqual([]);
});

it("type of a table item is passed to stream processors if the item is audited", () => {
  const audited = itemTypeNames.filter((name) => auditRules.has(name));
  expect(audited.filter((name) => itemTypes[name].processors.length === 0)).toEqual([]);
});

it("type of a table item is passed to stream processors if one of them has a rule for the item", () => {
  const changedTypes = readSources(join(import.meta.dirname, "../../../functions/changes")).flatMap(({ source }) =>
    [...source.matchAll(/"([a-z-]+)-(?:created|updated|deleted)"/g)].map(([, name]) => name as ItemTypeName),
  );
  expect(changedTypes).toContain("conversation");
  const unstreamed = new Set(changedTypes.filter((name) => itemTypes[name].processors.length === 0));
  // A separate filter of the stream passes the creation of these counters.
  expect([...unstreamed]).toEqual(["key-rate"]);
});

it("type of a table item is passed to the processor that indexes documents if and only if it has a rule for the item", () => {
  const rules = readFileSync(join(import.meta.dirname, "../../../functions/changes/index-documents/rules.ts"), "utf8");
  const changedTypes = [...rules.matchAll(/"([a-z-]+)-(?:created|updated|deleted)"/g)].map(([, name]) => name);
  const indexed = itemTypeNames.filter((name) => itemTypes[name].processors.includes("index-documents"));
  expect([...new Set(changedTypes)].sort()).toEqual(indexed.toSorted());
});
