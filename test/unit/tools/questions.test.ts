import { expect, it } from "vitest";
import type { Question, QuestionAnswer } from "#shared/api/tools/questions.ts";
import type { CallResult } from "#shared/tools/mcp/protocol.ts";
import { readQuestions, requireAnswers } from "#shared/tools/questions.ts";

const resultOf = (inputRequests: unknown, requestState?: string) =>
  ({ content: [], isError: false, resultType: "input_required", inputRequests, requestState }) as unknown as CallResult;
const form = (properties: object, required: string[] = []) => ({
  method: "elicitation/create",
  params: { message: "m", requestedSchema: { type: "object", properties, required } },
});
const read = (properties: object, required?: string[]) =>
  (readQuestions("S", resultOf({ q: form(properties, required) })).questions[0] as Question).fields;

it("readQuestions() reads every kind of field that the protocol has, with valid defaults only", () => {
  const fields = read(
    {
      email: { type: "string", format: "email", default: "no address" },
      age: { type: "integer", minimum: 18, maximum: 99, default: 20 },
      share: { type: "number" },
      agreed: { type: "boolean", default: false },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "r" },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
      days: { type: "array", minItems: 1, items: { type: "string", enum: ["mo", "tu"] }, default: ["mo"] },
      hours: { type: "array", maxItems: 2, items: { anyOf: [{ const: "9", title: "Nine" }] }, default: ["10"] },
    },
    ["email"],
  );
  const common = { description: null, required: false };
  expect(fields).toEqual([
    { ...common, name: "email", title: "email", type: "text", required: true, format: "email" },
    { ...common, name: "age", title: "age", type: "integer", minimum: 18, maximum: 99, default: 20 },
    { ...common, name: "share", title: "share", type: "number" },
    { ...common, name: "agreed", title: "agreed", type: "boolean", default: false },
    {
      ...{ ...common, name: "color", title: "color", type: "choice", default: "r" },
      options: [
        { value: "r", label: "Red" },
        { value: "g", label: "Green" },
      ],
    },
    { ...common, name: "size", title: "size", type: "choice", options: [{ value: "s", label: "Small" }] },
    {
      ...{ ...common, name: "days", title: "days", type: "choices", minimum: 1, default: ["mo"] },
      options: [
        { value: "mo", label: "mo" },
        { value: "tu", label: "tu" },
      ],
    },
    {
      ...{ ...common, name: "hours", title: "hours", type: "choices", maximum: 2 },
      options: [{ value: "9", label: "Nine" }],
    },
  ]);
});

it.each([
  ["no question", {}, "not supported"],
  ["another request", { q: { method: "sampling/createMessage", params: {} } }, "not supported"],
  ["nested objects", { q: form({ a: { type: "object" } }) }, "not supported"],
  ["a list without options", { q: form({ a: { type: "array", items: { type: "number" } } }) }, "not supported"],
  ["rubbish", { q: 7 }, "not supported"],
  [
    "too many fields",
    { q: form(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, { type: "string" }]))) },
    "not supported",
  ],
  [
    "a script as address",
    { q: { method: "elicitation/create", params: { mode: "url", message: "m", url: "javascript:alert(1)" } } },
    "not supported",
  ],
  [
    "an address with credentials",
    { q: { method: "elicitation/create", params: { mode: "url", message: "m", url: "https://a:b@c.example" } } },
    "not supported",
  ],
  ["a password", { q: form({ value: { type: "string", title: "Your password" } }) }, "asks for a secret"],
  ["an API key", { q: form({ api_key: { type: "string" } }) }, "asks for a secret"],
  ["a card number", { q: form({ n: { type: "string", description: "Card number" } }) }, "asks for a secret"],
  [
    "a password under a warning",
    { q: form({ n: { type: "string", description: "Do not enter anything but your password." } }) },
    "asks for a secret",
  ],
])("readQuestions() refuses %s", (_, requests, message) => {
  expect(() => readQuestions("S", resultOf(requests))).toThrow(message);
});

it("readQuestions() accepts a field that warns the user not to enter a secret", () => {
  const description = "Your favorite number (do not give us your phone number, pin, or other sensitive info)";
  expect(read({ favorite: { type: "integer", description } })).toHaveLength(1);
});

it("readQuestions() accepts fields whose names only resemble those of secrets", () => {
  expect(read({ shipping: { type: "string" }, tokens: { type: "integer" }, keyword: { type: "string" } }).length).toBe(
    3,
  );
});

const question: Question = {
  ...{ key: "q", server_name: "S", message: "m", url: null },
  fields: read(
    {
      mail: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      page: { type: "string", format: "uri" },
      count: { type: "integer", minimum: 1 },
      days: { type: "array", maxItems: 1, items: { enum: ["mo", "tu"] } },
      color: { type: "string", enum: ["r"] },
    },
    ["mail"],
  ),
};
const problemsOf = (answers: Record<string, QuestionAnswer>, questions = [question]): string[] => {
  try {
    requireAnswers(questions, answers);
    return [];
  } catch (error) {
    return (error as { errors: { path: string }[] }).errors.map(({ path }) => path.replace("answers.", ""));
  }
};

it("requireAnswers() accepts values that fit the fields of the question, and missing values if the user declines or the question has no fields", () => {
  const content = {
    mail: "a@b.example",
    day: "2026-11-25",
    page: "https://a.example",
    count: 1,
    days: ["mo"],
    color: "r",
  };
  expect(problemsOf({ q: { action: "accept", content } })).toEqual([]);
  expect(problemsOf({ q: { action: "decline" } })).toEqual([]);
  expect(problemsOf({ q: { action: "accept" } }, [{ ...question, url: "https://a.example", fields: [] }])).toEqual([]);
});

it("requireAnswers() names every value that does not fit, every missing answer and every answer to a question that was not asked", () => {
  const content = { mail: "a", day: "2026-13-01", page: "a", count: 0.5, days: ["mo", "tu"], color: "g", other: "x" };
  expect(problemsOf({ q: { action: "accept", content }, r: { action: "cancel" } })).toEqual([
    "r",
    ...["other", "mail", "day", "page", "count", "days", "color"].map((name) => `q.content.${name}`),
  ]);
  expect(problemsOf({})).toEqual(["q"]);
  expect(problemsOf({ q: { action: "accept" } })).toEqual(["q.content.mail"]);
  expect(problemsOf({ q: { action: "cancel", content: {} } })).toEqual(["q.content"]);
});
