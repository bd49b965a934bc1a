import { expect, it } from "vitest";
import { titleOfName, toShownArguments } from "#shared/tools/shown-arguments.ts";

const mcp = { kind: "mcp", bind: {} } as const;

it.each([
  ["order_id", "Order id"],
  ["orderId", "Order id"],
  ["X-Request.ID", "X request id"],
  ["straßeNr2", "Straße nr2"],
  ["__", "__"],
])("name %s of an argument is shown to visitors as %s", (name, words) => {
  expect(titleOfName(name)).toBe(words);
});

it("arguments of a call are shown to visitors in words, with those of objects and lists", () => {
  const item = { type: "object", properties: { sku: { title: "Article" } } };
  const input_schema = { properties: { items: { items: item }, when: { title: "Day of delivery" } } };
  const items = [{ sku: "a", count: 2 }, { sku: "b" }];
  const input = { items, when: "2026-12-01", tags: ["red", "blue"], gift: false, note: null, empty: {} };
  expect(toShownArguments(mcp, { input_schema }, input)).toEqual([
    { label: "Items 1: Article", value: "a" },
    { label: "Items 1: Count", value: "2" },
    { label: "Items 2: Article", value: "b" },
    { label: "Day of delivery", value: "2026-12-01" },
    { label: "Tags", value: "red, blue" },
    { label: "Gift", value: false },
    { label: "Note", value: "–" },
  ]);
});

it("arguments in the JSON body of an action are shown to visitors like others, and bound ones without a value", () => {
  const server = {
    kind: "http",
    bind: { customer: "visitor.sub", mail: "visitor.email", other: "visitor.sub" },
  } as const;
  const body = { type: "object", properties: { reason: { title: "Reason" }, mail: { title: "Reply to" } } };
  const input_schema = { properties: { customer: {}, id: { title: "Order" }, body } };
  expect(toShownArguments(server, { input_schema }, { id: 7, body: { reason: "late" } })).toEqual([
    { label: "Order", value: "7" },
    { label: "Reason", value: "late" },
    { label: "Customer", value: null, bound: "visitor.sub" },
    { label: "Reply to", value: null, bound: "visitor.email" },
  ]);
});

it("arguments that are shown to visitors have no invisible characters, and are marked where they are cut off", () => {
  const input = { text: `pay \u202e001\u2066`, long: "x".repeat(3_000) };
  const [text, long] = toShownArguments(mcp, { input_schema: {} }, input);
  expect(text?.value).toBe("pay 001");
  expect(String(long?.value)).toMatch(/^x{2000}…$/);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field${n}`, n]));
  const shown = toShownArguments(mcp, { input_schema: {} }, many);
  expect(shown).toHaveLength(41);
  expect(shown.at(-1)).toEqual({ label: "…", value: "…" });
});
