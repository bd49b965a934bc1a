import * as v from "valibot";
import { expect, it } from "vitest";
import { defaultGuardrailPolicy, GuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { AnswerChoice } from "#shared/openai/completions/answer-choice.ts";
import { RedactedArguments } from "#shared/openai/redacted-arguments.ts";

const policy = v.parse(GuardrailPolicy, { actions: { personal_data: { tool_call: "redact" } } });

/** Redacts JSON that arrives in pieces of a length. */
function redact(json: string, length: number, by = policy): string {
  const redacted = new RedactedArguments(by);
  const pieces = json.match(new RegExp(`[\\s\\S]{1,${length}}`, "g")) ?? [];
  return pieces.map((piece) => redacted.push(piece)).join("") + redacted.end();
}

it.each([1, 3, 7, 1_000])(
  "RedactedArguments, which redacts the JSON of streamed tool calls, redacts numbers and strings and returns valid JSON for chunks of %i characters",
  (length) => {
    const json = JSON.stringify({
      card: 4111111111110535,
      text: 'Card "4111 1111 1111 0535" \\ [x]',
      list: [true],
      nested: { key: "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD" },
    });
    const redacted = redact(json, length);
    expect(redacted).not.toMatch(/4111|sk-proj/);
    expect(JSON.parse(redacted)).toMatchObject({ list: [true], card: expect.stringMatching(/^\[.*card.*\]$/) });
  },
);

it.each([1, 5, 1_000])(
  "RedactedArguments, which redacts the JSON of streamed tool calls, returns arguments without sensitive data unchanged for chunks of %i characters",
  (length) => {
    const json = '{"a":[true],"b":[null,[1,2]],"c":"[card number]","d":"\\"\\\\","e":-1.5e3}';
    expect(redact(json, length)).toBe(json);
  },
);

it("AnswerChoice, which collects one choice of a completion, streams and stores the same redacted arguments of parallel tool calls", () => {
  const choice = new AnswerChoice(0, policy);
  const sent: string[] = ["", ""];
  const collect = (chunks: readonly { delta: Record<string, unknown> }[]) => {
    for (const { delta } of chunks) {
      for (const call of (delta.tool_calls ?? []) as { index: number; function?: { arguments?: string } }[]) {
        sent[call.index] += call.function?.arguments ?? "";
      }
    }
  };
  const pieces = ['{"n":"4111', " 1111 1111", ' 0535"}'];
  for (const index of [0, 1]) {
    for (const [n, part] of pieces.entries()) {
      const call = { index, ...(n === 0 && { id: `call${index}` }), function: { name: "pay", arguments: part } };
      collect(choice.take({ index: 0, delta: { tool_calls: [call] }, finish_reason: null }));
    }
  }
  collect(choice.end() as never);
  const stored = choice.answer().message.tool_calls as { function: { arguments: string } }[];
  expect(stored.map((call) => call.function.arguments)).toEqual(sent);
  expect(sent.join()).not.toContain("4111");
  expect(sent.map((text) => JSON.parse(text).n)).toEqual(Array(2).fill(expect.stringMatching(/^\[/)));
});

const take = (choice: AnswerChoice, ...deltas: Record<string, unknown>[]) =>
  [...deltas.flatMap((delta) => choice.take({ index: 0, delta })), ...choice.end()].map(({ delta }) => delta);

it("AnswerChoice, which collects one choice of a completion, redacts the text of custom tools and the arguments of a deprecated function call", () => {
  const custom = new AnswerChoice(0, policy);
  const sent = take(
    custom,
    { tool_calls: [{ index: 0, id: "c", type: "custom", custom: { name: "pay", input: "card 4111 1111" } }] },
    { tool_calls: [{ index: 0, custom: { input: " 1111 0535 now" } }] },
  );
  expect(JSON.stringify(sent)).not.toContain("1111 0535");
  const [call] = custom.answer().message.tool_calls as { custom: { input: string } }[];
  expect(call).toMatchObject({
    type: "custom",
    custom: { name: "pay", input: expect.stringMatching(/^card \[.*\] now$/) },
  });
  expect(call).not.toHaveProperty("function");

  const legacy = new AnswerChoice(0, policy);
  const parts = take(
    legacy,
    { function_call: { name: "pay", arguments: '{"n":"4111 1111' } },
    { function_call: { arguments: ' 1111 0535"}' } },
  );
  expect(JSON.stringify(parts)).not.toContain("1111 0535");
  const stored = legacy.answer().message.function_call as { name: string; arguments: string };
  expect(stored.name).toBe("pay");
  expect(JSON.parse(stored.arguments).n).toMatch(/^\[.*\]$/);
});

it.each(["reasoning_content", "refusal", "tool_calls"])(
  "AnswerChoice, which collects one choice of a completion, redacts a secret in the text that a delta with %s interrupts",
  (name) => {
    const call = { index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const other = { [name]: name === "tool_calls" ? [call] : "Now." };
    const choice = new AnswerChoice(0, policy);
    const sent = take(choice, { content: "The key is AKIAIOSFODN" }, other, { content: "N7EXAMPLE." });
    expect(JSON.stringify([sent, choice.answer()])).not.toMatch(/AKIA|7EXAMPLE/);
    expect(sent.map(({ content }) => content ?? "").join("")).toBe("The key is [AWS access key].");
  },
);

it("AnswerChoice, which collects one choice of a completion, sends each call whole before the next one starts, and no delta without text after its first", () => {
  const start = (index: number, json: string) => ({
    tool_calls: [{ index, id: `call${index}`, type: "function", function: { name: "find", arguments: json } }],
  });
  const rest = (index: number, json: string) => ({ tool_calls: [{ index, function: { arguments: json } }] });
  const choice = new AnswerChoice(0, policy);
  const letters = (index: number, json: string) => [...json].map((letter) => rest(index, letter));
  const inputs = ['{"q":"Bern 3011"}', '{"q":"a b"}'];
  const sent = take(
    choice,
    start(0, ""),
    ...letters(0, inputs[0] as string),
    start(1, ""),
    ...letters(1, inputs[1] as string),
  ).flatMap((delta) => (delta.tool_calls ?? []) as { index: number; id?: string; function: { arguments: string } }[]);
  expect(sent.filter(({ id, function: called }) => !id && !called.arguments)).toEqual([]);
  // A client that ignores the index appends to the latest call.
  const calls: string[] = [];
  for (const { id, function: called } of sent) {
    if (id) calls.push("");
    calls[calls.length - 1] += called.arguments;
  }
  expect(calls).toEqual(inputs);
});

it("AnswerChoice, which collects one choice of a completion, sends several calls of one chunk in chunks of their own", () => {
  const calls = [0, 1].map((index) => ({ index, id: `c${index}`, function: { name: "f", arguments: '{"n":1}' } }));
  const sent = take(new AnswerChoice(0, policy), { tool_calls: calls });
  const lists = sent.map(({ tool_calls }) => (tool_calls ?? []) as { index: number }[]);
  expect(lists.map((list) => new Set(list.map(({ index }) => index)).size)).toEqual(lists.map(() => 1));
});

it("AnswerChoice, which collects one choice of a completion, returns the calls of providers that send no objects, arguments as objects, or ids without an index", () => {
  const choice = new AnswerChoice(0, policy);
  take(
    choice,
    {
      tool_calls: [null, { index: 0, id: "a", function: { name: "f", arguments: { card: "4111 1111 1111 0535" } } }],
    },
    { tool_calls: [{ id: "b", function: { name: "g", arguments: "{" } }] },
    { tool_calls: [{ id: "b", function: { arguments: "}" } }] },
  );
  const calls = choice.answer().message.tool_calls as { function: { arguments: string } }[];
  expect(calls.map((call) => call.function.arguments)).toEqual([expect.stringMatching(/^\{"card":"\[.*\]"\}$/), "{}"]);
});

it("AnswerChoice, which collects one choice of a completion, keeps calls apart that share an index, and joins those whose deltas repeat random ids", () => {
  const start = (id: string, name?: string) => ({
    index: 0,
    id,
    function: { ...(name && { name }), arguments: "{}" },
  });
  const calls = (...list: object[]) => {
    const choice = new AnswerChoice(0, policy);
    take(choice, ...list.map((call) => ({ tool_calls: [call] })));
    return (choice.answer().message.tool_calls as { id: string }[]).length;
  };
  expect(calls(start("a", "f"), start("b", "f"))).toBe(2);
  expect(calls(start("a", "f"), start("b"))).toBe(1);
});

it.each([
  ["max_tokens", "length"],
  ["MAX_TOKENS", "length"],
  ["abort", "length"],
  ["SAFETY", "content_filter"],
  ["eos", "stop"],
])(
  "AnswerChoice, which collects one choice of a completion, reports the finish reason %s as %s",
  (finish_reason, expected) => {
    const choice = new AnswerChoice(0, policy);
    choice.take({ index: 0, delta: { content: "Hi" }, finish_reason });
    expect(choice.answer().finish_reason).toBe(expected);
  },
);

it("RedactedArguments, which redacts the JSON of streamed tool calls, leaves personal data by default, so that files are written unchanged", () => {
  const json = JSON.stringify({
    file: "test card 4111 1111 1111 0535",
    key: "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD",
  });
  const redacted = redact(json, 3, defaultGuardrailPolicy);
  expect(JSON.parse(redacted)).toEqual({
    file: "test card 4111 1111 1111 0535",
    key: expect.stringMatching(/^\[.*\]$/),
  });
});
