import type { Frame, RunEvent } from "#shared/runs/events.ts";

export const sampleMessageId = "answer-1";

const call = { call_id: "call-1", name: "orders__cancel", title: "Cancel an order", input: '{"order":7}' };
const serverCall = { ...call, server_id: "server-1" };
const noteCall = { call_id: "call-2", name: "create_note", title: "Creating a note", input: '{"title":"Seven"}' };
const location = { document_id: "d", passage: 0, page: 2, heading: null };
const citation = { type: "citation", source_type: "document", ...location, collection_id: null, score: 1 } as const;

const step = (number: number, title: string, detail: string): RunEvent => ({
  type: "thinking_step",
  data: { step: number, title, detail },
});

const text = (content: string): RunEvent => ({
  type: "assistant_message",
  data: { message_id: sampleMessageId, content, final: false },
});

const warning = (approval_id: string) => ({ code: "approval_required", message: "Confirm it.", approval_id });

/** Events of a run with reasoning, a search, two calls with consent, of which one is of a built-in tool, and citations. */
export const sampleEvents: readonly RunEvent[] = [
  {
    type: "metadata",
    data: {
      request_id: "request-1",
      conversation_id: "conversation-1",
      user_message_id: "question-1",
      message_id: sampleMessageId,
      tier: "THOUGHT_PARTNER",
      model: "model-1",
      created_at: "2026-11-29T00:00:00.000Z",
    },
  },
  { type: "guardrail_result", data: { stage: "input", action: "allow", categories: [], rules: [] } },
  { type: "search_transparency", data: { query: "orders", sources: [] } },
  step(1, "Reasoning", "The order is number seven."),
  step(2, "Reasoning", "It can be canceled."),
  { type: "thinking_complete", data: { steps: 2, duration_ms: 5 } },
  text("I cancel "),
  text("the order."),
  { type: "preflight_warning", data: warning("approval-1"), call },
  step(3, call.title, call.input),
  { type: "tool_call", data: { ...serverCall, status: "running", duration_ms: null } },
  { type: "tool_call", data: { ...serverCall, status: "done", duration_ms: 9, result: "canceled" } },
  { type: "preflight_warning", data: warning("approval-2"), call: noteCall },
  { ...step(4, noteCall.title, noteCall.input), call: noteCall },
  text("\n\nIt is "),
  text("canceled [1][2]."),
  {
    type: "assistant_message",
    data: {
      message_id: sampleMessageId,
      final: true,
      content: [
        { type: "text", text: "I cancel the order.\n\nIt is canceled [1][2]." },
        {
          ...citation,
          index: 1,
          source_id: "s1",
          title: "Terms",
          uri: "https://shop.example/terms",
          quote: "Any time.",
        },
        { ...citation, index: 2, source_id: "s2", title: "Manual", uri: null, quote: "By hand." },
      ],
    },
  },
  {
    type: "memory_proposal",
    data: { memory_id: "m", text: "Orders tea", scope: "user", category: "fact", read_untrusted: false },
  },
  { type: "phase_latency", data: { phase: "generation", duration_ms: 12 } },
  {
    type: "swtoken_update",
    data: { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: null, model: "model-1" },
  },
  { type: "execution_trace", data: { phases: [], total_ms: 20, time_to_first_token_ms: 6 } },
  { type: "done", data: { message_id: sampleMessageId, block_count: 3 } },
];

export const toSampleFrames = (events: readonly RunEvent[]): Frame[] =>
  events.map((event, index) => ({ seq: index + 1, event }));
