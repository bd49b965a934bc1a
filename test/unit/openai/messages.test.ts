import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { MessageRequest } from "#shared/api/openai/message-requests.ts";
import type { HttpRequest } from "#shared/http/http-request.ts";
import { invalidField, RouteNotFound, ServiceError } from "#shared/lib/errors.ts";
import { CompletionWriter } from "#shared/openai/completions/completion.ts";
import { anthropicError, anthropicFormat, commonFormat } from "#shared/openai/messages/anthropic-error.ts";
import { toMessage } from "#shared/openai/messages/message-object.ts";
import { messageToChatRequest } from "#shared/openai/messages/message-to-chat-request.ts";
import { toModelPage } from "#shared/openai/messages/model-info.ts";

type Fields = Record<string, unknown>;

const toRequest = (fields: Fields = {}) => ({
  model: "helper",
  max_tokens: 2_048,
  messages: [{ role: "user", content: "Hi" }],
  ...fields,
});

const parse = (fields: Fields) => v.parse(MessageRequest, toRequest(fields));

/** Returns the paths of the values that are refused. */
const findFaults = (fields: Fields) =>
  v.safeParse(MessageRequest, toRequest(fields)).issues?.map((issue) => v.getDotPath(issue)) ?? [];

const call = { type: "tool_use", id: "t1", name: "weather", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "21" };

it("requests of the messages API may have system messages between the messages of the conversation", () => {
  const messages = [
    { role: "user", content: "Hi" },
    {
      role: "system",
      content: [
        { type: "text", text: "Be" },
        { type: "text", text: "polite." },
      ],
    },
    { role: "user", content: "Continue" },
  ];
  expect(messageToChatRequest(parse({ messages })).messages[1]).toEqual({ role: "system", content: "Be\n\npolite." });
});

it("requests of the messages API must have the result of each call in the next message", () => {
  const asks = { role: "user", content: "Hi" };
  const calls = { role: "assistant", content: [call] };
  expect(findFaults({ messages: [asks, calls, { role: "user", content: [result] }] })).toEqual([]);
  const note = { role: "system", content: "Be polite." };
  expect(findFaults({ messages: [asks, calls, note, { role: "user", content: [result] }] })).toEqual([]);
  expect(findFaults({ messages: [asks, calls] })).toEqual(["messages"]);
  expect(findFaults({ messages: [asks, calls, asks] })).toEqual(["messages"]);
  const other = { ...result, tool_use_id: "t2" };
  expect(findFaults({ messages: [asks, calls, { role: "user", content: [other] }] })).toEqual(["messages"]);
});

it("requests of the messages API must have a thinking budget of at least 1,024 tokens and less than max_tokens", () => {
  const budget = (budget_tokens: number) => findFaults({ thinking: { type: "enabled", budget_tokens } });
  expect([budget(1_023), budget(1_024), budget(2_047), budget(2_048)]).toEqual([
    ["thinking.budget_tokens"],
    [],
    [],
    ["max_tokens"],
  ]);
});

it("requests of the messages API must not require a region or a stored thread, which this service does not offer", () => {
  expect(findFaults({ inference_geo: "eu", speed: "fast" })).toEqual(["inference_geo"]);
  expect(findFaults({ thread: { type: "create" } })).toEqual(["thread"]);
});

describe("answers of the messages API", () => {
  const answer = (choice: Fields, isStream: boolean) => {
    const writer = new CompletionWriter();
    const full = { index: 0, finish_reason: "stop", ...choice };
    if (isStream) {
      writer.take({ choices: [{ index: 0, delta: { content: "Before" } }] });
      writer.take({ choices: [{ ...full, delta: {} }] });
      writer.end();
    } else writer.adopt({ choices: [{ ...full, message: { content: "Before" } }] });
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 0, model: "m" };
    return writer.answer({ id: "msg_1", created: 1, model: "helper" }, usage);
  };
  const stop = (choice: Fields, isStream = false) => {
    const { stop_reason, stop_sequence } = toMessage(parse({ stop_sequences: ["END"] }), answer(choice, isStream));
    return [stop_reason, stop_sequence];
  };

  it("answers of the messages API name the stop sequence of providers that report it", () => {
    for (const isStream of [false, true]) {
      expect(stop({ stop_reason: "END" }, isStream)).toEqual(["stop_sequence", "END"]);
      expect(stop({ matched_stop: "END" }, isStream)).toEqual(["stop_sequence", "END"]);
    }
  });

  it("answers of the messages API report end_turn or max_tokens if no stop sequence of the request ended them", () => {
    expect(stop({})).toEqual(["end_turn", null]);
    expect(stop({ stop_reason: 128_009 })).toEqual(["end_turn", null]);
    expect(stop({ stop_reason: "<|end|>" })).toEqual(["end_turn", null]);
    expect(stop({ stop_reason: "END", finish_reason: "length" })).toEqual(["max_tokens", null]);
  });
});

describe("errors of the messages API", () => {
  const request = { path: "/openai/v1/messages/batches", headers: { "anthropic-version": "2023-06-01" } };
  const render = (format: typeof anthropicFormat, error: ServiceError, fields: Fields = {}) => {
    const response = format.renderError?.({ ...request, ...fields } as unknown as HttpRequest, error, "req-1");
    return response && { status: response.statusCode, ...JSON.parse(String(response.body)) };
  };

  it("errors of the messages API report an overloaded model with Anthropic's status and the id of the request", () => {
    expect(render(anthropicFormat, new ServiceError("model_overloaded"))).toMatchObject({
      status: 529,
      type: "error",
      request_id: "req-1",
      error: { type: "overloaded_error" },
    });
    expect(render(anthropicFormat, new ServiceError("unavailable"))).toMatchObject({ status: 503 });
  });

  it("errors of the messages API tell clients that want a stored conversation to send the whole conversation", () => {
    const refuse = (path: string) => anthropicError(invalidField(path, "invalid_type", "is not supported")).error;
    const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
    expect(refuse("thread")).toMatchObject({ details });
    expect(refuse("model")).not.toHaveProperty("details");
  });

  it("errors of the messages API have Anthropic's form on common paths for Anthropic's clients only", () => {
    const error = new RouteNotFound();
    expect(render(commonFormat, error)).toMatchObject({
      type: "error",
      error: { type: "not_found_error", message: expect.stringContaining("POST /openai/v1/messages") },
    });
    expect(render(commonFormat, error, { headers: {} })).toMatchObject({ error: { code: "unknown_url" } });
    expect(render(commonFormat, error, { path: "/v1/unknown" })).toBeUndefined();
  });
});

it("list of models for Anthropic clients has Anthropic's format", () => {
  const capabilities = { input: ["text" as const], context_window: 8_192 };
  const model = { object: "model" as const, created: 86_400, owned_by: "organization", capabilities };
  expect(toModelPage([], [])).toEqual({ data: [], first_id: null, last_id: null, has_more: false });
  expect(
    toModelPage(
      [
        { ...model, id: "a" },
        { ...model, id: "b" },
      ],
      [{ name: "First" }, { name: "Second" }],
    ),
  ).toMatchObject({
    data: [
      {
        type: "model",
        id: "a",
        display_name: "First",
        created_at: "1970-01-02T00:00:00.000Z",
        max_input_tokens: 8_192,
      },
      { id: "b", display_name: "Second" },
    ],
    first_id: "a",
    last_id: "b",
  });
});
