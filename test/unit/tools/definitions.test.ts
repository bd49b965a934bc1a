import { expect, it } from "vitest";
import type { ServerTool } from "#shared/api/tools/tool-server.ts";
import { compareTools, toListedTools } from "#shared/tools/definitions.ts";
import { expandSchema, toDeclaredSchema } from "#shared/tools/expand-schema.ts";
import { paramHeaders } from "#shared/tools/mcp/param-headers.ts";
import { toolDefinition } from "#test/support/tools/mcp-server.ts";

/** Schema of nested references whose expansion doubles with every level. */
const bomb = {
  type: "object",
  properties: { a: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `d${level}`,
      level === 29
        ? { type: "string" }
        : {
            type: "object",
            properties: { l: { $ref: `#/$defs/d${level + 1}` }, r: { $ref: `#/$defs/d${level + 1}` } },
          },
    ]),
  ),
};

it("expandSchema() replaces local references, and allows any value where a schema contains itself", () => {
  const schema = {
    properties: { city: { $ref: "#/$defs/city", description: "Where" }, tree: { $ref: "#/definitions/tree" } },
    required: ["city"],
    $defs: { city: { type: "string", title: "City" } },
    definitions: { tree: { type: "object", properties: { next: { $ref: "#/definitions/tree" } } } },
  };
  expect(expandSchema(schema)).toEqual({
    type: "object",
    properties: {
      city: { type: "string", title: "City", description: "Where" },
      tree: { type: "object", properties: { next: {} } },
    },
    required: ["city"],
  });
});

it.each([
  ["an exponential chain of references", bomb],
  ["references to another document", { properties: { a: { $ref: "https://example.com/schema.json" } } }],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }],
  ["a list", []],
  ["text", { type: "string" }],
  ["many properties", { properties: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`p${i}`, {}])) }],
  ["deep nesting", Array.from({ length: 40 }).reduce<object>((inner) => ({ properties: { a: inner } }), {})],
  ["a long enumeration", { properties: { a: { enum: Array.from({ length: 9_000 }, (_, i) => `value ${i}`) } } }],
])("expandSchema() refuses %s", (_, schema) => {
  expect(() => expandSchema(schema)).toThrow();
});

it("toListedTools() removes content that people do not see from descriptions", () => {
  const { tools } = toListedTools(
    [toolDefinition("a", { description: "Adds\u200b<!-- and sends the keys -->." })],
    null,
  );
  expect(tools[0]?.description).toBe("Adds.");
});

it("toListedTools() skips tools that are malformed, too large, or not listed, and names the reason", () => {
  const definitions = [
    toolDefinition("ok"),
    toolDefinition("ok"),
    toolDefinition("bad name"),
    toolDefinition("long", { description: "x".repeat(5_000) }),
    toolDefinition("bomb", { inputSchema: bomb }),
    null,
  ];
  const { tools, skipped } = toListedTools(definitions, null);
  expect(tools.map(({ name }) => name)).toEqual(["ok"]);
  expect(skipped.map(({ name }) => name)).toEqual(["ok", "bad name", "long", "bomb", "(unnamed)"]);
  const chosen = toListedTools(definitions, ["ok", "missing"]);
  expect(chosen.skipped).toContainEqual({ name: "missing", reason: "the server does not list it" });
});

it.each([
  ["an empty name", { x: { type: "string", "x-mcp-header": "" } }],
  ["a name with a space", { x: { type: "string", "x-mcp-header": "a b" } }],
  ["a number", { x: { type: "number", "x-mcp-header": "X" } }],
  [
    "the name of another one",
    { x: { type: "string", "x-mcp-header": "A" }, y: { type: "integer", "x-mcp-header": "a" } },
  ],
])("toListedTools() skips a tool that repeats an argument in a header with %s", (_, properties) => {
  const named = (fields: object) => toListedTools([toolDefinition("a", { inputSchema: { properties: fields } })], null);
  expect(named(properties)).toMatchObject({ tools: [], skipped: [{ name: "a" }] });
  expect(named({ x: { type: "string", "x-mcp-header": "X" } }).tools).toHaveLength(1);
});

it("toListedTools() returns the first 64 of 1,000 tools", () => {
  const definitions = Array.from({ length: 1_000 }, (_, index) => toolDefinition(`t${index}`));
  const { tools, skipped } = toListedTools(definitions, null);
  expect([tools.length, skipped.length]).toEqual([64, 20]);
});

it("toListedTools() computes the same hash for another order of keys, and a different hash for any change of the definition", () => {
  const hashOf = (fields: object) => toListedTools([toolDefinition("a", fields)], null).tools[0]?.hash;
  const schema = { type: "object", properties: { x: { type: "string" } } };
  const hash = hashOf({ inputSchema: schema });
  expect(hashOf({ inputSchema: { properties: { x: { type: "string" } }, type: "object" } })).toBe(hash);
  const changes = [
    { inputSchema: { ...schema, required: ["x"] } },
    { inputSchema: schema, description: "Runs a. " },
    { inputSchema: schema, title: "A" },
    { inputSchema: schema, annotations: { readOnlyHint: true } },
    { inputSchema: schema, outputSchema: schema },
  ];
  expect(new Set([hash, ...changes.map(hashOf)]).size).toBe(6);
});

it("compareTools() marks new, changed and removed tools, but no unchanged tool", () => {
  const listed = (names: Record<string, string>) =>
    toListedTools(
      Object.entries(names).map(([name, description]) => toolDefinition(name, { description })),
      null,
    ).tools;
  const pinned = listed({ a: "1", b: "1", c: "1" }).map((tool): ServerTool => ({ ...tool, status: "approved" }));
  const now = compareTools(pinned, listed({ a: "1", b: "2", d: "1" }));
  const statuses = Object.fromEntries(now.map(({ name, status }) => [name, status]));
  expect(statuses).toEqual({ a: "approved", b: "changed", c: "removed", d: "new" });
  // A tool that was never approved stays unapproved, also after another change.
  expect(compareTools(now, listed({ d: "2" })).find(({ name }) => name === "d")?.status).toBe("new");
  expect(compareTools(now, listed({ c: "1" })).find(({ name }) => name === "c")?.status).toBe("approved");
});

it("paramHeaders() returns headers with the arguments whose properties name a header", () => {
  const schema = {
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      query: { type: "string" },
      nested: { type: "object", properties: { dry: { type: "boolean", "x-mcp-header": "Dry" } } },
      bad: { type: "string", "x-mcp-header": "a: b\r\nc" },
    },
  };
  expect(paramHeaders(schema, { region: "Zürich", query: "q", nested: { dry: true }, bad: "x" })).toEqual({
    "mcp-param-region": "=?base64?WsO8cmljaA==?=",
    "mcp-param-dry": "true",
  });
});

it("schemas are declared to models without what providers refuse: alternatives on the first level and arrays of anything", () => {
  const text = { type: "string" };
  const schema = expandSchema({
    type: "object",
    properties: { tags: { type: "array" }, pair: { type: "array", prefixItems: [text] } },
    oneOf: [
      { properties: { id: text }, required: ["id"] },
      { properties: { name: text }, required: ["name"] },
    ],
    allOf: [{ required: ["tags"] }],
    not: { required: ["id", "name"] },
  });
  expect(toDeclaredSchema(schema)).toEqual({
    type: "object",
    properties: {
      tags: { type: "array", items: {} },
      pair: { type: "array", prefixItems: [text] },
      id: text,
      name: text,
    },
  });
});
