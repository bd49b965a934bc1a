import { type Signal, signal } from "@preact/signals";
import { type ChatEvent, type ChatRequest, isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { describeError, showError } from "../lib/toast.ts";
import { api } from "../session/session.ts";

/** Message of a conversation. */
export type Message = ReplyOf<"/v1/conversations/{id}/messages", "get">["messages"][number];
/** Typed part of a message. */
export type Block = Message["content"][number];
/** Citation of a passage. */
export type Citation = Extract<Block, { type: "citation" }>;
type Source = Extract<ChatEvent, { type: "search_transparency" }>["data"]["sources"][number];

/** Reply that is being written, or that has just ended. */
export interface LiveReply {
  readonly messageId: string | null;
  /** Text of the question while the service has not stored it; null for a reply that was running on load. */
  readonly question: string | null;
  /** Message whose answer is written again. */
  readonly regenerates: string | null;
  readonly text: string;
  readonly blocks: readonly Block[] | null;
  readonly steps: readonly { readonly title: string; readonly detail: string }[];
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
  /** Approval that the reply waits for. */
  readonly approvalId: string | null;
  readonly state: "running" | "done" | "interrupted" | "failed";
  readonly error: string | null;
  readonly isReconnecting: boolean;
}

const initial: LiveReply = {
  messageId: null,
  question: null,
  regenerates: null,
  text: "",
  blocks: null,
  steps: [],
  sources: [],
  warnings: [],
  approvalId: null,
  state: "running",
  error: null,
  isReconnecting: false,
};

interface Run {
  readonly reply: Signal<LiveReply | null>;
  controller: AbortController | null;
}

// Replies continue while other conversations are shown.
const runs = new Map<string, Run>();

function runOf(conversationId: string): Run {
  const existing = runs.get(conversationId);
  if (existing) return existing;
  const run: Run = { reply: signal(null), controller: null };
  runs.set(conversationId, run);
  return run;
}

/** Returns the reply of a conversation that is being written, as a signal. */
export function liveReply(conversationId: string): Signal<LiveReply | null> {
  return runOf(conversationId).reply;
}

/** Key of the messages of a conversation. */
export const messagesKey = (conversationId: string) => `messages:${conversationId}`;

function applyEvent(reply: LiveReply, event: ChatEvent): LiveReply {
  const next = { ...reply, isReconnecting: false };
  switch (event.type) {
    case "metadata":
      return { ...next, messageId: event.data.message_id };
    case "thinking_step":
      return { ...next, approvalId: null, steps: [...reply.steps, event.data] };
    case "search_transparency":
      return { ...next, sources: [...reply.sources, ...event.data.sources] };
    case "preflight_warning":
      // The banner of the policy is shown above all views.
      if (event.data.code === "policy_banner") return next;
      if (event.data.approval_id) return { ...next, approvalId: event.data.approval_id };
      return { ...next, warnings: [...reply.warnings, event.data.message] };
    case "guardrail_result":
      if (event.data.action === "allow") return next;
      return {
        ...next,
        warnings: [
          ...reply.warnings,
          event.data.action === "block"
            ? t("A part was blocked by the policy of your organization.")
            : t("Sensitive data was removed."),
        ],
      };
    case "assistant_message":
      if (event.data.final) return { ...next, approvalId: null, blocks: event.data.content };
      return { ...next, approvalId: null, text: reply.text + event.data.content };
    case "done":
      return { ...next, state: "done" };
    case "interrupted":
      return { ...next, state: "interrupted", approvalId: null };
    case "error":
      return { ...next, state: "failed", error: event.data.message };
    default:
      return next;
  }
}

type Connect = (signal: AbortSignal, onReconnect: () => void) => AsyncGenerator<ChatEvent, void>;

async function follow(conversationId: string, start: Partial<LiveReply>, connect: Connect): Promise<void> {
  const run = runOf(conversationId);
  run.controller?.abort();
  const controller = new AbortController();
  run.controller = controller;
  let reply: LiveReply = { ...initial, ...start };
  let frame = 0;
  // Chunks can arrive faster than the page is painted.
  const publish = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (run.controller === controller) run.reply.value = reply;
    });
  };
  run.reply.value = reply;
  try {
    const onReconnect = () => {
      reply = { ...reply, isReconnecting: true };
      publish();
    };
    for await (const event of connect(controller.signal, onReconnect)) {
      reply = applyEvent(reply, event);
      publish();
    }
  } catch (error) {
    if (controller.signal.aborted) return;
    // The stream of an old reply has expired; the stored message is complete.
    const isStored = isProblem(error, "run_expired");
    reply = { ...reply, state: isStored ? "done" : "failed", error: isStored ? null : describeError(error) };
  }
  cancelAnimationFrame(frame);
  if (run.controller !== controller) return;
  run.controller = null;
  await finish(conversationId, reply);
}

/** Shows the end of a reply until the stored messages have replaced it. */
async function finish(conversationId: string, reply: LiveReply): Promise<void> {
  const run = runOf(conversationId);
  run.reply.value = reply;
  invalidate(messagesKey(conversationId));
  invalidate("conversations:");
  if (reply.state === "done" || reply.state === "interrupted") {
    await loadMessages(conversationId).catch(() => {});
    if (run.controller === null) run.reply.value = null;
  }
}

/** Newest messages of a conversation in chronological order, and the cursor of older ones. */
export interface Transcript {
  readonly messages: readonly Message[];
  readonly olderCursor: string | null;
}

/** Number of messages that are loaded at a time. */
const PAGE_SIZE = 60;

/** Loads the newest messages, or those before `cursor`. */
export async function loadMessages(conversationId: string, cursor?: string): Promise<Transcript> {
  const page = await api.GET("/v1/conversations/{id}/messages", {
    params: {
      path: { id: conversationId },
      query: { limit: PAGE_SIZE, order: "desc", ...(cursor !== undefined && { cursor }) },
    },
  });
  return { messages: page.messages.toReversed(), olderCursor: page.next_cursor };
}

/** Sends a message and follows the reply. */
export function send(request: ChatRequest): Promise<void> {
  const { conversation_id, content = null, regenerate_message_id = null } = request;
  return follow(conversation_id, { question: content, regenerates: regenerate_message_id }, (signal, onReconnect) =>
    api.chat(request, { signal, onReconnect }),
  );
}

/** Follows a reply that was running when the page was loaded, from its beginning. */
export function resume(conversationId: string, messageId: string): void {
  const run = runOf(conversationId);
  if (run.controller !== null) return;
  void follow(conversationId, { messageId }, (signal, onReconnect) =>
    api.followChat({ messageId }, { signal, onReconnect }),
  );
}

/** Stops the reply of a conversation. */
export async function stop(conversationId: string): Promise<void> {
  const messageId = runOf(conversationId).reply.value?.messageId;
  if (!messageId) return;
  try {
    await api.POST("/v1/runtime/chat/{message_id}/stop", { params: { path: { message_id: messageId } } });
  } catch (error) {
    showError(error);
  }
}

/** Forgets a failed reply, before it is tried again. */
export function dismissReply(conversationId: string): void {
  const run = runOf(conversationId);
  if (run.controller === null) run.reply.value = null;
}
