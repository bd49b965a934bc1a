import { beforeEach, describe, expect, it, vi } from "vitest";
import { freeArguments } from "#shared/api/tools/free-arguments.ts";
import { bindArguments } from "#shared/tools/bound-arguments.ts";
import type { Caller } from "#shared/tools/caller-context.ts";

const server = { id: "s", kind: "mcp", bind: { customer: "user.sub", email: "user.email" } } as const;
const input_schema = {
  type: "object",
  properties: { customer: { type: "string" }, order: { type: "string" } },
  required: ["customer", "order"],
};
const tool = { name: "find_order", input_schema };
const caller: Caller = {
  ...{
    sub: "ada",
    kind: "user" as const,
    act: null,
    email: "ada@example.com",
    visitor_sub: null,
    form: null,
    groups: [],
  },
  ...{ conversation_id: "c", persona_id: "p", run_id: "r", call_id: "call", approval_id: null },
};

beforeEach(() => void vi.stubEnv("LOG_LEVEL", "error"));

it("freeArguments() removes the arguments that the service sets from a schema, also from the required ones", () => {
  expect(freeArguments(input_schema, server)).toEqual({
    type: "object",
    properties: { order: { type: "string" } },
    required: ["order"],
  });
  expect(freeArguments({ type: "object", required: ["x"] }, server)).toEqual({ type: "object", required: ["x"] });
  expect(freeArguments(input_schema, { ...server, bind: {} })).toBe(input_schema);
});

it("bindArguments() sets the arguments that a tool has, and no others", () => {
  expect(bindArguments(server, tool, { order: "4711" }, caller)).toEqual({ order: "4711", customer: "ada" });
  expect(bindArguments({ ...server, bind: {} }, tool, { customer: "eve" }, caller)).toEqual({ customer: "eve" });
  const other = { name: "list", input_schema: { type: "object" } };
  expect(bindArguments(server, other, {}, caller)).toEqual({});
});

it.each([
  [{ customer: "eve", order: "4711" }, "customer"],
  [{ customer: "ada" }, "customer"],
  [{ order: "4711", email: "eve@example.com" }, "email"],
  [{ customer: null }, "customer"],
  [{ customer: undefined }, "customer"],
])("bindArguments() refuses %j, because the service sets %s", (input, name) => {
  expect(() => bindArguments(server, tool, input, caller)).toThrow(`The service sets ${name}.`);
});

it.each([
  ["a visitor", { kind: "visitor" as const, sub: "visitor-1" }, "customer (user.sub)"],
  ["a program that acts for no user", { kind: "key" as const, sub: "key-1" }, "customer (user.sub)"],
])("bindArguments() refuses a call of %s, which has no value for an argument", (_, changes, name) => {
  const call = () => bindArguments(server, tool, { order: "4711" }, { ...caller, ...changes });
  expect(call).toThrow(`The tool needs ${name} of the caller`);
});

it("bindArguments() refuses a call of a user without an address if the tool needs it", () => {
  const mail = { name: "mail", input_schema: { properties: { email: { type: "string" } } } };
  expect(bindArguments(server, mail, {}, caller)).toEqual({ email: "ada@example.com" });
  expect(() => bindArguments(server, mail, {}, { ...caller, email: null })).toThrow("email (user.email)");
});

describe("argument in the body of an action, or in a schema of which another is composed", () => {
  const shop = { ...server, kind: "http" } as const;
  const body = { name: "order", input_schema: { properties: { body: input_schema }, required: ["body"] } };
  const composed = { name: "order", input_schema: { allOf: [{ anyOf: [input_schema] }, { required: ["customer"] }] } };

  it("argument in a body or a composed schema is unknown to the model", () => {
    for (const { input_schema: schema } of [body, composed]) {
      expect(JSON.stringify(freeArguments(schema, shop))).not.toContain("customer");
      expect(JSON.stringify(freeArguments(schema, shop))).toContain("order");
    }
    expect(freeArguments(body.input_schema, server)).toEqual(body.input_schema);
  });

  it("argument in a body or a composed schema is set by the service", () => {
    const bound = { order: "4711", customer: "ada" };
    expect(bindArguments(shop, body, { body: { order: "4711" } }, caller)).toEqual({ body: bound });
    expect(bindArguments(shop, body, {}, caller)).toEqual({ body: { customer: "ada" } });
    expect(bindArguments(server, composed, { order: "4711" }, caller)).toEqual(bound);
  });

  it.each([[{ customer: "eve" }], [{ customer: "ada", order: "4711" }], ["customer=eve"], [["eve"]], [null]])(
    "argument in a body is refused from the model in %j",
    (chosen) => {
      expect(() => bindArguments(shop, body, { body: chosen }, caller)).toThrow(
        /The service sets customer|must be an object/,
      );
    },
  );
});
