import * as v from "valibot";
import { expect, it } from "vitest";
import { events } from "#shared/api/events/event-data.ts";
import { renderPayload, toEvents } from "#shared/events/to-event.ts";

const id = "01a209d5-fbd9-7ac8-a379-82d45ac84179";
const at = "2026-11-01T00:00:00.000Z";
const message = { pk: "t#conversation#c", conversation_id: id, message_id: id, parent_id: null, question_id: id };
const answer = { ...message, role: "assistant", asked_by: "ada", persona_id: null, model: "m", usage: null };
const approval = {
  ...{ pk: "t#approvals", id, type: "tool_execution", risk_level: "high", requested_by: "ada" },
  ...{ action: { operation: "launch", params: { amount: 5 } }, expires_at: at, decided_by: null, decided_at: null },
};
const document = { pk: "t#collection#c", id, collection_id: id, title: "Leave", version: 1, error: null };

/** Changes with the events that they are. */
const changes = {
  "a complete answer": ["message-created", undefined, { ...answer, status: "complete" }, ["run.completed"]],
  "a stopped answer": ["message-created", undefined, { ...answer, status: "interrupted" }, ["run.completed"]],
  "a failed answer": [
    "message-created",
    undefined,
    { ...answer, status: "failed", error: { code: "model_error", message: "down" } },
    ["run.failed"],
  ],
  "a question": ["message-created", undefined, { ...message, role: "user", status: "complete" }, []],
  "an alert": [
    "message-created",
    undefined,
    { ...message, role: "alert", alert: { state: "open" } },
    ["alert.received"],
  ],
  "a resolved alert": [
    "message-created",
    undefined,
    { ...message, role: "alert", alert: { state: "resolved" } },
    ["alert.resolved"],
  ],
  "an approval": ["approval-created", undefined, { ...approval, status: "pending" }, ["approval.requested"]],
  "an approval of a run": [
    "approval-created",
    undefined,
    { ...approval, status: "pending", run: { message_id: id, conversation_id: id } },
    ["approval.requested", "run.paused"],
  ],
  "a decision": [
    "approval-updated",
    { ...approval, status: "pending" },
    { ...approval, status: "approved", decided_by: "bob", decided_at: at },
    ["approval.decided"],
  ],
  "the result of an approved action": [
    "approval-updated",
    { ...approval, status: "approved" },
    { ...approval, status: "approved", result: {} },
    [],
  ],
  "a rating": [
    "listed-feedback-created",
    undefined,
    { ...message, pk: "t#feedback", id, user_id: "ada", rating: "up", category: null },
    ["feedback.created"],
  ],
  "an indexed document": [
    "document-updated",
    { ...document, status: "indexing" },
    { ...document, status: "ready" },
    ["document.ready"],
  ],
  "a renamed document": ["document-updated", { ...document, status: "ready" }, { ...document, status: "ready" }, []],
  "an unreadable document": [
    "document-updated",
    { ...document, status: "indexing" },
    { ...document, status: "failed", error: "The file is damaged." },
    ["document.failed"],
  ],
  "an export": [
    "export-updated",
    { pk: "t#user#ada#exports", id, status: "pending" },
    { pk: "t#user#ada#exports", id, status: "ready", kind: "archive", owner_id: "ada", expires_at: at },
    ["export.ready"],
  ],
  "a deactivated user": [
    "user-updated",
    { pk: "t#user#ada", user_id: "ada" },
    { pk: "t#user#ada", user_id: "ada", deactivated_at: at },
    ["user.deactivated"],
  ],
  "a seen user": ["user-updated", { pk: "t#user#ada" }, { pk: "t#user#ada", deactivated_at: null }, []],
} as const;

it.each(Object.entries(changes))("toEvents() returns the events of %s, with data as published", (_, change) => {
  const [type, before, after, expected] = change;
  const found = toEvents({ id: "1", type, timestamp: Date.parse(at), before, after });
  expect(found.map((event) => event.type)).toEqual(expected);
  for (const event of found) {
    const body = JSON.parse(event.payload);
    expect(body).toMatchObject({ type: event.type, timestamp: at });
    // A field that no schema describes is an undocumented one.
    expect(v.safeParse(v.strictObject(events[event.type].data.entries), body.data).issues ?? []).toEqual([]);
  }
});

it("toEvents() returns the same id for the same change, and different ids for different changes", () => {
  const after = { ...answer, status: "complete" };
  const idOf = (change: string, pk: string = answer.pk) =>
    toEvents({ id: change, type: "message-created", timestamp: 0, before: undefined, after: { ...after, pk } })[0]?.id;
  expect(idOf("1")).toBe(idOf("1"));
  expect(new Set([idOf("1"), idOf("2"), idOf("1", "u#conversation#c")]).size).toBe(3);
});

it("toEvents() leaves out long fields of a body beyond 20 KB", () => {
  const payload = renderPayload("alert.received", at, { message_id: id, alert: { text: "x".repeat(30_000) } });
  expect(JSON.parse(payload).data).toEqual({ message_id: id, truncated: true });
});

it("toEvents() names the version of the persona in events of answers, ratings and usage", () => {
  const version = { persona_id: id, persona_version: 7 };
  const usage = { model: "m", input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 0 };
  const completed = { ...answer, ...version, status: "complete", usage, created_at: at };
  const rating = {
    pk: "t#feedback",
    id,
    conversation_id: id,
    message_id: id,
    user_id: "ada",
    rating: "up",
    ...version,
  };
  const sent = [
    ...toEvents({ id: "1", type: "message-created", timestamp: 0, before: undefined, after: completed }),
    ...toEvents({ id: "2", type: "listed-feedback-created", timestamp: 0, before: undefined, after: rating }),
  ];
  expect(sent.map(({ type, payload }) => [type, JSON.parse(payload).data.persona_version])).toEqual([
    ["run.completed", 7],
    ["usage.settled", 7],
    ["feedback.created", 7],
  ]);
});
