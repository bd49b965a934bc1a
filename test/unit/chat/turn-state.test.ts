import * as v from "valibot";
import { expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { newTurn } from "#shared/chat/new-turn.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { deserializeTurn, serializeTurn } from "#shared/chat/turn-state.ts";
import { PausedUsage } from "#shared/runs/pauses/paused-run-store.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";

const { signal } = new AbortController();

function newPausedTurn(): Turn {
  const turn = newTurn({
    principal: { kind: "user", tenantId: "t", userId: "u" },
    conversation: { id: "c" },
    question: newUserMessage("c", "Note this"),
    run: { message_id: "m", model: "builtin" },
    persona: null,
    signal,
  } as never);
  turn.answer.prompt = [{ role: "user", content: [{ type: "text", text: "Note this" }] }];
  turn.answer.pendingToolCalls = {
    text: "",
    calls: [{ type: "tool-call", toolCallId: "1", toolName: "n", input: "{}" }],
    results: [],
  };
  turn.answer.longResults = new Map();
  return turn;
}

const firstForm = (turn: Turn) => [...serializeTurn(turn)][0] as string;

it("paused turn is restored with all fields that its remaining phases read", () => {
  const turn = newPausedTurn();
  const { history: _, ...expected } = turn;
  expect(deserializeTurn(firstForm(turn), signal)).toMatchObject(expected);
});

it("paused turn is stored with all its long tool results, or with the newest results that fit into an item", () => {
  const longResults = new Map([
    ["1-a", "first"],
    ["2-b", "second"],
  ]);
  const turn = newPausedTurn();
  turn.answer.longResults = longResults;
  const forms = [...serializeTurn(turn)];
  const kept = forms.map((form) => [...(deserializeTurn(form, signal).answer.longResults ?? [])]);
  expect(kept).toEqual([[...longResults], [["2-b", "second"]], []]);
});

it("paused turn of a release before 0.2 is restored", () => {
  const turn = newPausedTurn();
  const { isInCrisis, canRemember, requiresApproval, isFinal, answer, record, ...rest } = turn;
  const { signal: _signal, questionText: _text, guardrails: _policy, ...parts } = rest;
  const { contextScale: _scale, longResults: _results, pendingToolCalls, ...draft } = answer;
  const { checks: _checks, ...oldRecord } = record;
  const old = { ...parts, ...draft, ...oldRecord };
  const stored = {
    ...old,
    history: turn.answer.prompt,
    needsCare: isInCrisis,
    remembers: canRemember,
    signOff: requiresApproval,
    settled: isFinal,
    pending: pendingToolCalls,
    decided: null,
  };
  const { prompt, modelId } = answer;
  expect(v.parse(PausedUsage, stored)).toEqual({ prompt, modelId });
  expect(deserializeTurn(JSON.stringify(stored), signal)).toMatchObject({
    questionText: "Note this",
    canRemember: true,
    guardrails: defaultGuardrailPolicy,
    answer: { pendingToolCalls, prompt },
  });
});

it("paused turn with a field of another type is rejected", () => {
  const stored = JSON.parse(firstForm(newPausedTurn()));
  expect(() => deserializeTurn(JSON.stringify({ ...stored, rounds: "2" }), signal)).toThrow("Expected number");
});
