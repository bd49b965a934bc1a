import { expect, it } from "vitest";
import { newTurn } from "#shared/chat/new-turn.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { deserializeTurn, serializeTurn } from "#shared/chat/turn-state.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";

const { signal } = new AbortController();

function newPausedTurn(): Turn {
  const turn = newTurn({
    principal: { kind: "user", tenantId: "t", userId: "u" },
    conversation: { id: "c" },
    question: newUserMessage("c", "Note this"),
    run: { message_id: "m", model: "m" },
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

it("paused turn with a field of another type is rejected", () => {
  const stored = JSON.parse(firstForm(newPausedTurn()));
  expect(() => deserializeTurn(JSON.stringify({ ...stored, rounds: "2" }), signal)).toThrow("Expected number");
});
