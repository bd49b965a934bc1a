import { describe, expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { AnswerChoice } from "#shared/openai/answer-choice.ts";
import { RedactedArguments } from "#shared/openai/redacted-arguments.ts";

/** Redacts JSON that arrives in pieces of a length. */
function redact(json: string, length: number): string {
  const redacted = new RedactedArguments(defaultGuardrailPolicy);
  const pieces = json.match(new RegExp(`[\\s\\S]{1,${length}}`, "g")) ?? [];
  return pieces.map((piece) => redacted.push(piece)).join("") + redacted.end();
}

describe("RedactedArguments, which redacts the JSON of streamed tool calls", () => {
  it.each([1, 3, 7, 1_000])(
    "redacts numbers and strings and returns valid JSON for chunks of %i characters",
    (length) => {
      const json = JSON.stringify({
        card: 4111111111111111,
        text: 'Card "4111 1111 1111 1111" \\ [x]',
        list: [true],
        nested: { key: "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD" },
      });
      const redacted = redact(json, length);
      expect(redacted).not.toMatch(/4111|sk-proj/);
      expect(JSON.parse(redacted)).toMatchObject({ list: [true], card: expect.stringMatching(/^\[.*card.*\]$/) });
    },
  );

  it.each([1, 5, 1_000])("returns arguments without sensitive data unchanged for chunks of %i characters", (length) => {
    const json = '{"a":[true],"b":[null,[1,2]],"c":"[card number]","d":"\\"\\\\","e":-1.5e3}';
    expect(redact(json, length)).toBe(json);
  });
});

describe("AnswerChoice, which collects one choice of a completion", () => {
  it("streams and stores the same redacted arguments of parallel tool calls", () => {
    const choice = new AnswerChoice(0, defaultGuardrailPolicy);
    const sent: string[] = ["", ""];
    const collect = (chunks: readonly { delta: Record<string, unknown> }[]) => {
      for (const { delta } of chunks) {
        for (const call of (delta.tool_calls ?? []) as { index: number; function?: { arguments?: string } }[]) {
          sent[call.index] += call.function?.arguments ?? "";
        }
      }
    };
    const pieces = ['{"n":"4111', " 1111 1111", ' 1111"}'];
    for (const index of [0, 1]) {
      for (const [n, part] of pieces.entries()) {
        const call = { index, ...(n === 0 && { id: `call${index}` }), function: { name: "pay", arguments: part } };
        const chunk = choice.take({ index: 0, delta: { tool_calls: [call] }, finish_reason: null });
        if (chunk) collect([chunk as never]);
      }
    }
    collect(choice.end() as never);
    const stored = choice.answer().message.tool_calls as { function: { arguments: string } }[];
    expect(stored.map((call) => call.function.arguments)).toEqual(sent);
    expect(sent.join()).not.toContain("4111");
    expect(sent.map((text) => JSON.parse(text).n)).toEqual(Array(2).fill(expect.stringMatching(/^\[/)));
  });
});
