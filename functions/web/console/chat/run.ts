import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Block } from "../../../../shared/api/blocks.ts";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { type ChatEvent, type ChatRequest, isProblem } from "../../../../shared/client/index.ts";
import { describeCode, describeStep } from "../lib/codes/server-texts.ts";
import { updateResource, updateResources } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import type { Entries } from "../lib/pages.ts";
import { describeError, showError } from "../lib/toast.ts";
import { tellOtherTabs } from "../session/other-tabs.ts";
import { api } from "../session/session.ts";
import type { ConversationDetails } from "./conversation-details.ts";

export type Citation = Extract<Block, { type: "citation" }>;
type Source = Extract<ChatEvent, { type: "search_transparency" }>["data"]["sources"][number];

/** Reply that is being written, or that has ended but is not replaced by the stored message yet. */
export interface LiveReply {
  readonly messageId: string | null;
  /**
   * Text of the question until the service has stored it; null if the reply was already running when the page loaded.
   */
  readonly question: string | null;
  /** Files that the question was sent with. */
  readonly attachments: NonNullable<Message["attachments"]>;
  /** Documents that the question is about. */
  readonly documents: NonNullable<Message["documents"]>;
  /** Request that started the reply; null if the reply was already running when the page loaded. */
  readonly request: ChatRequest | null;
  /** Id of the message in whose thread the reply is; null outside of threads. */
  readonly parentId: string | null;
  readonly text: string;
  readonly blocks: readonly Block[] | null;
  readonly steps: readonly Step[];
  readonly calls: readonly ToolCall[];
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
  /** Kinds of sensitive data that were removed from the question; null if none was. */
  readonly removed: readonly string[] | null;
  /** Id of the approval that the reply waits for; null while it waits for none. */
  readonly approvalId: string | null;
  /** Id of the tool server that the user must sign in to before the reply continues; null if not required. */
  readonly signInServerId: string | null;
  readonly state: "running" | "done" | "interrupted" | "failed";
  readonly error: string | null;
  readonly isReconnecting: boolean;
  /** Length of the text when the user asked to stop, after which further text is not shown; null if the user has not. */
  readonly stoppedAt: number | null;
}

/** Step before the text of a reply, such as a search or a tool call. */
interface Step {
  readonly title: string;
  readonly detail: string;
}

const initial: LiveReply = {
  messageId: null,
  question: null,
  attachments: [],
  documents: [],
  request: null,
  parentId: null,
  text: "",
  blocks: null,
  steps: [],
  calls: [],
  sources: [],
  warnings: [],
  removed: null,
  approvalId: null,
  signInServerId: null,
  state: "running",
  error: null,
  isReconnecting: false,
  stoppedAt: null,
};

/** Part of a reply on which the page around it depends. */
export type ReplyHead = Pick<LiveReply, "messageId" | "request" | "parentId" | "state">;

interface Run {
  readonly reply: Signal<LiveReply | null>;
  readonly head: ReadonlySignal<ReplyHead | null>;
  controller: AbortController | null;
  stoppedAt: number | null;
}

// Replies continue while other conversations are shown.
const runs = new Map<string, Run>();

function runOf(conversationId: string): Run {
  const existing = runs.get(conversationId);
  if (existing) return existing;
  const reply = signal<LiveReply | null>(null);
  const run: Run = { reply, head: headOf(reply), controller: null, stoppedAt: null };
  runs.set(conversationId, run);
  return run;
}

/** Returns the head of a reply, which stays the same object while only the text grows. */
function headOf(reply: Signal<LiveReply | null>): ReadonlySignal<ReplyHead | null> {
  let head: ReplyHead | null = null;
  return computed(() => {
    const live = reply.value;
    const isSame =
      live !== null &&
      head?.messageId === live.messageId &&
      head.request === live.request &&
      head.parentId === live.parentId &&
      head.state === live.state;
    if (!isSame) head = live;
    return head;
  });
}

/** Returns the reply that is being written in a conversation, as a signal; null if there is none. */
export function liveReply(conversationId: string): Signal<LiveReply | null> {
  return runOf(conversationId).reply;
}

/** Returns the head of the reply that is being written in a conversation, as a signal; null if there is none. */
export function replyHead(conversationId: string): ReadonlySignal<ReplyHead | null> {
  return runOf(conversationId).head;
}

/** Returns true while an answer is being written in a conversation or in one of its threads. */
export const isAnswering = (conversationId: string): boolean => replyHead(conversationId).peek()?.state === "running";

export const messagesKey = (conversationId: string) => `messages:${conversationId}`;

/** Cache key of the replies in the thread of a message. */
export const repliesKey = (conversationId: string, parentId: string) => `replies:${conversationId}:${parentId}`;

/** State of a call of a tool server, as the latest event describes it. */
export type ToolCall = Extract<ChatEvent, { type: "tool_call" }>["data"];

/** Tool calls of answers that ended since the page was loaded, by message id of the answer. */
export const finishedCalls = new Map<string, readonly ToolCall[]>();

function withCall(calls: readonly ToolCall[], call: ToolCall): ToolCall[] {
  const index = calls.findIndex(({ call_id }) => call_id === call.call_id);
  return index < 0 ? [...calls, call] : calls.with(index, call);
}

/** Removes the step that announced a tool call, because the call is shown as a card. */
function withoutAnnouncement(steps: readonly Step[], { title, status }: ToolCall): readonly Step[] {
  const index = status === "running" ? steps.findLastIndex((step) => step.title === title) : -1;
  return index < 0 ? steps : steps.toSpliced(index, 1);
}

function applyEvent(reply: LiveReply, event: ChatEvent): LiveReply {
  const next = { ...reply, isReconnecting: false };
  switch (event.type) {
    case "metadata":
      return { ...next, messageId: event.data.message_id };
    case "thinking_step":
      return {
        ...next,
        approvalId: null,
        steps: [...reply.steps, { title: describeStep(event.data.title), detail: event.data.detail }],
      };
    case "tool_call":
      return {
        ...next,
        approvalId: null,
        steps: withoutAnnouncement(reply.steps, event.data),
        calls: withCall(reply.calls, event.data),
      };
    case "search_transparency":
      return { ...next, sources: [...reply.sources, ...event.data.sources] };
    case "preflight_warning":
      // The banner of the policy is shown above all views.
      if (event.data.code === "policy_banner") return next;
      if (event.data.approval_id) {
        return { ...next, approvalId: event.data.approval_id, signInServerId: event.data.server_id ?? null };
      }
      return { ...next, warnings: [...reply.warnings, describeCode(event.data)] };
    case "guardrail_result":
      if (event.data.action === "allow") return next;
      if (event.data.action === "block") {
        return { ...next, warnings: [...reply.warnings, t("A part was blocked by the policy of your organization.")] };
      }
      return { ...next, removed: [...(reply.removed ?? []), ...(event.data.removed ?? [])] };
    case "assistant_message":
      if (event.data.final) return { ...next, approvalId: null, blocks: event.data.content };
      return { ...next, approvalId: null, text: reply.text + event.data.content };
    case "done":
      return { ...next, state: "done" };
    case "interrupted":
      return { ...next, state: "interrupted", approvalId: null };
    case "error":
      return { ...next, state: "failed", error: describeCode(event.data) };
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
  run.stoppedAt = null;
  let reply: LiveReply = { ...initial, ...start };
  let frame = 0;
  // Chunks can arrive faster than the page is painted.
  const publish = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (run.controller === controller) run.reply.value = { ...reply, stoppedAt: run.stoppedAt };
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
      if (event.type === "metadata" && run.stoppedAt !== null) void requestStop(run, event.data.message_id);
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

/** Keeps showing a reply that has ended until the stored messages are loaded. A failed reply stays. */
async function finish(conversationId: string, reply: LiveReply): Promise<void> {
  const run = runOf(conversationId);
  // The text that was written since the user stopped the reply is not shown before the stored message is.
  run.reply.value = { ...reply, stoppedAt: run.stoppedAt };
  if (reply.messageId !== null && reply.calls.length > 0) finishedCalls.set(reply.messageId, reply.calls);
  // A message of the main line ends the choice of a branch: its own is the newest one.
  if (reply.messageId !== null && reply.parentId === null) setActiveMessage(conversationId, null);
  await Promise.allSettled([loadDetails(conversationId), loadNewMessages(conversationId, reply.parentId)]);
  tellOtherTabs(conversationId);
  const hasEnded = reply.state === "done" || reply.state === "interrupted";
  if (hasEnded && run.controller === null) run.reply.value = null;
}

/** Loads a conversation again, after it has got messages and perhaps a title. */
async function loadDetails(conversationId: string): Promise<void> {
  const details = await api.GET("/v1/conversations/{id}", { params: { path: { id: conversationId } } });
  updateResource(`conversation:${conversationId}`, () => details);
  showFirst(details);
}

/** Shows a conversation with new messages at the top of the loaded lists. */
export function showFirst(conversation: ConversationDetails): void {
  const { id, folder_id, temporary } = conversation;
  const homes = temporary ? [] : ["conversations:", `conversations:${folder_id}:`];
  updateResources<Entries<ConversationDetails>>("conversations:", ({ entries, next }, key) => {
    const others = entries.filter((entry) => entry.id !== id);
    const isListed = homes.includes(key) || others.length < entries.length;
    return { entries: isListed ? [conversation, ...others] : entries, next };
  });
}

/**
 * Loads the newest messages and merges them with the loaded ones. Messages that have not changed remain the same objects.
 * @param parentId message whose thread has new replies as well
 */
export async function loadNewMessages(conversationId: string, parentId: string | null = null): Promise<void> {
  const [newest, replies] = await Promise.all([
    loadMessages(conversationId),
    parentId === null ? null : loadReplies(conversationId, parentId),
  ]);
  updateResource<Transcript>(messagesKey(conversationId), (loaded) => withNewest(loaded, newest));
  if (parentId) updateResource(repliesKey(conversationId, parentId), () => replies);
}

function withNewest({ messages, olderCursor }: Transcript, newest: Transcript): Transcript {
  const known = new Map(messages.map((message) => [message.message_id, message]));
  const kept = newest.messages.map((message) => {
    const before = known.get(message.message_id);
    return before && JSON.stringify(before) === JSON.stringify(message) ? before : message;
  });
  const oldestId = newest.messages[0]?.message_id;
  // If more than a page is new, only the newest page is shown, and the others are loaded on demand.
  if (oldestId === undefined || !kept.some(({ message_id }) => known.has(message_id))) return newest;
  const older = messages.filter(({ message_id }) => message_id < oldestId);
  return { messages: [...older, ...kept], olderCursor: older.length > 0 ? olderCursor : newest.olderCursor };
}

/** Shows the branch of a conversation that ends with a message; null for the newest branch. */
export function setActiveMessage(conversationId: string, messageId: string | null): void {
  updateResource<object>(`conversation:${conversationId}`, (conversation) => ({
    ...conversation,
    active_message_id: messageId,
  }));
}

/** Loaded messages of a conversation in chronological order, and the cursor for older ones; null if all are loaded. */
export interface Transcript {
  readonly messages: readonly Message[];
  readonly olderCursor: string | null;
}

/** Number of messages that one request loads. */
const PAGE_SIZE = 60;

/** Maximum number of pages that are loaded at once to find a message outside of threads. */
const MAX_PAGES = 10;

/**
 * Loads the newest messages, or those before `cursor`. The list of the service includes replies in threads, which are not
 * shown. If a page has only such replies, the page before it is loaded as well.
 */
export async function loadMessages(conversationId: string, cursor?: string): Promise<Transcript> {
  const messages: Message[] = [];
  let olderCursor = cursor ?? null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await api.GET("/v1/conversations/{id}/messages", {
      params: {
        path: { id: conversationId },
        query: { limit: PAGE_SIZE, order: "desc", ...(olderCursor !== null && { cursor: olderCursor }) },
      },
    });
    messages.unshift(...page.messages.toReversed());
    olderCursor = page.next_cursor;
    if (olderCursor === null || page.messages.some(({ parent_id }) => parent_id === null)) break;
  }
  return { messages, olderCursor };
}

export async function loadReplies(conversationId: string, parentId: string): Promise<readonly Message[]> {
  const params = { path: { id: conversationId, mid: parentId }, query: { limit: 100 } };
  const replies: Message[] = [];
  for await (const reply of api.list("/v1/conversations/{id}/messages/{mid}/replies", { params })) replies.push(reply);
  return replies;
}

/** Changes the loaded copies of a message, in the conversation and in its thread. */
export function updateMessages(
  { conversation_id, parent_id }: Message,
  update: (messages: readonly Message[]) => readonly Message[],
): void {
  updateResource<Transcript>(messagesKey(conversation_id), (transcript) => ({
    ...transcript,
    messages: update(transcript.messages),
  }));
  if (parent_id) updateResource(repliesKey(conversation_id, parent_id), update);
}

/**
 * Sends a message and shows the reply while it is written.
 * @param parentId id of the message in whose thread the reply belongs
 * @param parts files and documents that the request refers to
 */
export function sendMessage(
  request: ChatRequest,
  parentId: string | null = null,
  parts: Partial<Pick<LiveReply, "attachments" | "documents">> = {},
): Promise<void> {
  const { conversation_id, content = null, edit_message_id } = request;
  const start = { question: content, request, parentId, ...parts };
  const isReply = content !== null && !edit_message_id && parentId !== null;
  const body = { ...request, ...(isReply && { parent_message_id: parentId }) };
  return follow(conversation_id, start, (signal, onReconnect) => api.chat(body, { signal, onReconnect }));
}

/** Shows a reply from its beginning if it was already being written when the page was loaded. */
export function resume(conversationId: string, { message_id: messageId, parent_id: parentId }: Message): void {
  const run = runOf(conversationId);
  if (run.controller !== null) return;
  void follow(conversationId, { messageId, parentId }, (signal, onReconnect) =>
    api.followChat({ messageId }, { signal, onReconnect }),
  );
}

function showStopped(run: Run, stoppedAt: number | null): void {
  run.stoppedAt = stoppedAt;
  if (run.reply.value) run.reply.value = { ...run.reply.value, stoppedAt };
}

async function requestStop(run: Run, messageId: string): Promise<void> {
  try {
    await api.POST("/v1/runtime/chat/{message_id}/stop", { params: { path: { message_id: messageId } } });
  } catch (error) {
    showStopped(run, null);
    showError(error);
  }
}

/** Stops the reply of a conversation. The page stops adding text at once; the model stops within a second. */
export async function stop(conversationId: string): Promise<void> {
  const run = runOf(conversationId);
  const { messageId, text, stoppedAt } = run.reply.value ?? initial;
  showStopped(run, stoppedAt ?? text.length);
  // The service is told as soon as it has named the message.
  if (messageId) await requestStop(run, messageId);
}

/** Removes a failed reply from the page, before the user tries again. */
export function dismissReply(conversationId: string): void {
  const run = runOf(conversationId);
  if (run.controller === null) run.reply.value = null;
}
