import type { EmbedSession } from "../../../shared/api/embed/embed.ts";
import type { EmbedAttachment } from "../../../shared/api/embed/embed-attachments.ts";
import type { EmbedBlock, EmbedMessage } from "../../../shared/api/embed/embed-message.ts";
import type { VisitorForm, VisitorInput } from "../../../shared/api/embed/visitor-form.ts";
import { newIdempotencyKey } from "../../../shared/client/retry.ts";
import { type Api, ApiError, type StreamedEvent } from "./api.ts";
import type { ChatStorage } from "./chat-storage.ts";
import { HandoverPolling } from "./handover-polling.ts";
import type { Texts } from "./texts.ts";
import type { WidgetCard } from "./tool-cards.ts";

/** Error shown to the visitor, with the seconds until a retry makes sense. */
export interface ChatError {
  readonly kind: keyof Texts["errors"];
  readonly seconds?: number;
}

/** Action that the visitor can take after an error. */
type RecoveryAction = "retry" | "restart" | null;

export interface WidgetMessage {
  /** Message id of the service; null until it is known. */
  id: string | null;
  readonly role: "user" | "assistant";
  /** Markdown received so far; replaced by `blocks` when the reply is complete. */
  text: string;
  blocks: readonly EmbedBlock[] | null;
  status: EmbedMessage["status"];
  readonly files?: readonly SentFile[] | undefined;
  /** Kinds of data that were removed from the question; only in its answer. */
  removed?: readonly string[] | undefined;
  /** Calls of tools for the answer. */
  cards: readonly WidgetCard[];
  /** Person who wrote the message instead of the assistant. */
  readonly person?: EmbedMessage["person"];
}

/** Returns a message of the service as the widget shows it. */
const toWidgetMessage = ({
  message_id,
  role,
  content,
  status,
  removed,
  attachments,
  tool_cards = [],
  person,
}: EmbedMessage): WidgetMessage => ({
  id: message_id,
  role,
  removed,
  person,
  files: attachments,
  cards: tool_cards,
  text: "",
  blocks: status === "streaming" ? null : content,
  status,
});

const isWaiting = ({ cards }: WidgetMessage): boolean => cards.some(({ status }) => status === "waiting");

/** Changes the state of the calls that have one of some states. */
function setCards(message: WidgetMessage, from: WidgetCard["status"], status: WidgetCard["status"]): void {
  message.cards = message.cards.map((card) => (card.status === from ? { ...card, status } : card));
}

/** Ends the calls of an answer that was not completed. */
function endCards(message: WidgetMessage): void {
  setCards(message, "waiting", "declined");
  setCards(message, "running", "unknown");
}

function withCard(cards: readonly WidgetCard[], card: WidgetCard): WidgetCard[] {
  const index = cards.findIndex(({ call_id }) => call_id === card.call_id);
  return index < 0 ? [...cards, card] : cards.with(index, card);
}

type SentFile = NonNullable<EmbedMessage["attachments"]>[number];

/** Events for the page, with their details. */
export interface ChatEvents {
  readonly ready: Pick<EmbedSession, "persona">;
  readonly message: { readonly role: WidgetMessage["role"]; readonly text: string };
  readonly error: { readonly kind: ChatError["kind"] };
}

/** Message as the page receives it in a transcript. */
export interface TranscriptEntry {
  readonly role: WidgetMessage["role"];
  readonly text: string;
}

interface ChatListener {
  /** Called when the state has changed and must be rendered again. */
  onChange(): void;
  emit<Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]): void;
}

/** A message and its reply in progress. */
interface Turn {
  readonly content: string;
  readonly files?: readonly SentFile[] | undefined;
  /** Idempotency key of all attempts, so that no attempt starts a second reply. */
  readonly key: string;
  readonly answer: WidgetMessage;
  lastEventId: string | null;
  /** Resolves when the visitor has answered whether the assistant may call a tool. */
  decided: PromiseWithResolvers<void>;
  /** Text that arrived after the visitor asked to stop and is not shown; absent if not asked. */
  hiddenText?: string | undefined;
}

const newTurn = (start: Pick<Turn, "content" | "files" | "key" | "answer">): Turn => ({
  ...start,
  lastEventId: null,
  decided: Promise.withResolvers(),
});

/** Number of connection attempts before the visitor is asked to retry, with jittered exponential backoff. */
const maxAttempts = 6;
const retryDelayMs = (attempt: number) => Math.min(15_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);

const connectionEvents = new Set(["reconnect", "stream_expired", "token_expired"]);

/** Error kind and recovery action by error code of the service. */
const errorsByCode: Readonly<Record<string, readonly [ChatError["kind"], RecoveryAction]>> = {
  session_expired: ["expired", "restart"],
  session_full: ["full", "restart"],
  rate_limited: ["busy", "retry"],
  quota_exceeded: ["quota", null],
  unauthorized: ["unavailable", null],
  visitor_not_verified: ["unverified", null],
  not_found: ["unavailable", null],
  origin_not_allowed: ["origin", null],
};

/** Returns the error that a visitor sees whose consent was refused. */
function toDecisionError({ code, retryAfterSeconds: seconds }: ApiError): ChatError {
  if (code === "conflict") return { kind: "closed" };
  // The token of the website has expired.
  if (code === "forbidden") return { kind: "unverified" };
  return { kind: errorsByCode[code]?.[0] ?? "server", seconds };
}

/** Reasons of errors that only the owner of the website can fix, by error code. */
const ownerHints: Readonly<Record<string, string>> = {
  origin_not_allowed: `${location.origin} is not one of the allowed origins of this embed key.`,
  unauthorized: "The embed key is unknown or was revoked.",
  visitor_not_verified:
    "The signature of the visitor is missing or not the HMAC-SHA256 of the visitor id in hex, or the token has expired.",
  validation_failed: "The visitor id or its signature has an invalid form.",
  not_found: "The persona of this embed key was deleted, or is no longer public.",
};

/** Logs to the browser console why visitors see an error, because only the owner of the website can fix it. */
function warnOwner(code: string): void {
  if (Object.hasOwn(ownerHints, code)) console.warn(`assistant-chat: ${ownerHints[code]}`);
}

/** Returns the plain text of a message, for events to the page. */
function plainText({ text, blocks }: Pick<WidgetMessage, "text" | "blocks">): string {
  return (blocks?.map(blockText).filter(Boolean).join("\n") ?? text).trim();
}

function blockText(block: EmbedBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "code":
      return block.code;
    case "list":
      return block.items.join("\n");
    case "table":
      return [block.columns, ...block.rows].map((row) => row.join(", ")).join("\n");
    case "image":
      return block.alt;
    default:
      return "";
  }
}

/** State and behavior of a visitor's conversation, independent of its rendering. */
export class Chat {
  readonly #api: Api;
  readonly #storage: ChatStorage;
  readonly #visitor: string | null;
  readonly #listener: ChatListener;
  #lifetime = new AbortController();
  #startPromise: Promise<void> | null = null;
  #sessionId: string | null = null;
  #turn: Turn | null = null;
  #isDeciding = false;
  /** Content of the last message if it has no reply. */
  #unansweredContent: string | null = null;
  /** Turn whose connection was lost, which the service may still be processing. */
  #interruptedTurn: Turn | null = null;

  readonly handover: HandoverPolling;
  /** Form that the visitor has to fill in before the chat; null if there is none, or if it is filled in. */
  form: VisitorForm | null = null;
  #input: VisitorInput | null = null;
  session: EmbedSession | null = null;
  messages: WidgetMessage[] = [];
  /** True while a reply is in progress. */
  isBusy = false;
  isLoading = false;
  error: ChatError | null = null;
  recoveryAction: RecoveryAction = null;

  constructor(api: Api, storage: ChatStorage, visitor: string | null, listener: ChatListener) {
    this.#api = api;
    this.#storage = storage;
    this.#visitor = visitor;
    this.#listener = listener;
    this.handover = new HandoverPolling(api, {
      getSession: () => ((this.isBusy && !this.isAsking) || this.session === null ? null : this.#sessionId),
      getLastId: () => this.messages.findLast(({ id }) => id !== null)?.id ?? undefined,
      add: (messages) => this.#addMessages(messages),
      onChange: () => {
        // A person who takes the session stops the answer.
        if (this.handover.state?.status === "claimed") this.#endQuestion("declined");
        listener.onChange();
      },
    });
  }

  /** True while the assistant waits for the visitor to agree to the call of a tool. */
  get isAsking(): boolean {
    return this.#turn !== null && isWaiting(this.#turn.answer);
  }

  get isOpenForMessages(): boolean {
    return this.session !== null && this.session.status === "active" && this.recoveryAction !== "restart";
  }

  /** Starts or resumes the session. Repeated calls return the same promise. */
  start(): Promise<void> {
    this.#startPromise ??= this.#start();
    return this.#startPromise;
  }

  /** Starts the session with what the visitor entered. */
  async submitForm(input: VisitorInput): Promise<void> {
    const content = this.#unansweredContent;
    this.#input = input;
    this.form = this.#startPromise = null;
    await this.start();
    if (content) await this.send(content);
  }

  #askForForm(): void {
    this.form = this.#storage.form;
    this.isLoading = false;
    this.#startPromise = null;
    this.#listener.onChange();
  }

  async #start(): Promise<void> {
    if (this.#storage.form && !this.#input && !this.#storage.getSessionId(this.#visitor)) return this.#askForForm();
    this.isLoading = true;
    this.#setError(null);
    for (let attempt = 0; !this.#lifetime.signal.aborted; attempt++) {
      try {
        this.#showSession(await this.#startOrResume());
        return;
      } catch (error) {
        if (this.#lifetime.signal.aborted) return;
        // The stored session has expired, or the form has changed.
        const isRefused = error instanceof ApiError && /^(form_required|validation_failed)$/.test(error.code);
        if (isRefused && this.#storage.form) return this.#askForForm();
        if (error instanceof ApiError && error.status < 500) return this.#handleFailure(error);
        if (!(error instanceof ApiError) && navigator.onLine && (await this.#api.isReachable())) {
          // The service responds, but the browser does not let this origin read the response.
          warnOwner("origin_not_allowed");
          return this.#showError({ kind: "origin" }, null);
        }
        if (navigator.onLine && attempt + 1 >= maxAttempts) return this.#showError({ kind: "network" }, "retry");
        this.#setError({ kind: navigator.onLine ? "reconnecting" : "offline" });
        await this.#waitBeforeRetry(attempt);
      }
    }
  }

  async #startOrResume(): Promise<EmbedSession> {
    const storedSessionId = this.#storage.getSessionId(this.#visitor);
    try {
      return await this.#api.start(storedSessionId, this.#input);
    } catch (error) {
      // The stored session has expired or belongs to another visitor; start a new one.
      if (!storedSessionId || !(error instanceof ApiError) || !/^(session_expired|not_found)$/.test(error.code)) {
        throw error;
      }
      this.#storage.forgetSession();
      return this.#api.start(null, this.#input);
    }
  }

  #showSession(session: EmbedSession): void {
    this.session = session;
    this.#sessionId = session.id;
    this.isLoading = false;
    this.messages = session.messages.map(toWidgetMessage);
    this.#storage.update({ session: session.id, visitor: this.#visitor });
    this.#setError(session.status === "full" ? { kind: "full" } : null, session.status === "full" ? "restart" : null);
    this.#listener.emit("ready", { persona: session.persona });
    const answer = this.messages.at(-1);
    if (session.handover) this.handover.watch();
    if (answer?.status === "streaming") void this.#followAnswer(newTurn({ content: "", key: "", answer }));
  }

  /** Uploads a file for the next message. */
  async attach(file: File, signal: AbortSignal): Promise<EmbedAttachment> {
    await this.start();
    return this.#api.attach(this.#sessionId ?? "", file, signal);
  }

  /** Sends a message. Ignores empty text, and messages while a reply is in progress. */
  async send(content: string, files: readonly SentFile[] = []): Promise<void> {
    const text = content.trim();
    if (!text) return;
    await this.start();
    // It is sent when the form is filled in.
    if (this.form) this.#unansweredContent = text;
    if (this.isBusy || !this.isOpenForMessages) return;
    const base = { id: null, blocks: null, cards: [] };
    const answer: WidgetMessage = { ...base, role: "assistant", text: "", status: "streaming" };
    this.messages.push({ ...base, role: "user", text, status: "complete", files });
    // A person answers later.
    if (!this.handover.isHeld) this.messages.push(answer);
    this.#listener.emit("message", { role: "user", text });
    await this.#followAnswer(newTurn({ content: text, files, key: newIdempotencyKey(), answer }));
  }

  /** Stops the reply in progress. No further text is shown at once; the model stops within a second. */
  async stop(): Promise<void> {
    const turn = this.#turn;
    if (!this.#sessionId || !turn?.answer.id) return;
    turn.hiddenText ??= "";
    try {
      await this.#api.stop(this.#sessionId, turn.answer.id);
      this.#endQuestion("declined");
    } catch {
      // The reply continues, and the visitor can press the button again.
      turn.answer.text += turn.hiddenText ?? "";
      turn.hiddenText = undefined;
      this.#listener.onChange();
    }
  }

  /** Answers whether the assistant may call a tool. */
  async decide({ approval_id }: WidgetCard, decision: "approve" | "deny"): Promise<void> {
    if (!this.#sessionId || !approval_id || this.#isDeciding) return;
    this.#isDeciding = true;
    this.#setError(null);
    try {
      await this.#api.decide(this.#sessionId, approval_id, decision);
      this.#endQuestion(decision === "approve" ? "running" : "declined");
    } catch (error) {
      // It was answered in another tab, or too late. The events that follow tell.
      if (error instanceof ApiError && error.code === "conflict") this.#endQuestion("declined");
      // In all other cases, the question stays.
      this.#setError(error instanceof ApiError ? toDecisionError(error) : { kind: "network" });
    }
    this.#isDeciding = false;
  }

  /** Ends the question whether a tool may be called, and reads the answer on. */
  #endQuestion(status: WidgetCard["status"]): void {
    const turn = this.#turn;
    if (!turn || !isWaiting(turn.answer)) return;
    setCards(turn.answer, "waiting", status);
    turn.decided.resolve();
    this.#listener.onChange();
  }

  /**
   * Rates a reply.
   * @returns true if the rating was stored
   */
  async rate(messageId: string, rating: "up" | "down"): Promise<boolean> {
    if (!this.#sessionId) return false;
    try {
      await this.#api.rate(this.#sessionId, messageId, rating);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Asks for the conversation by e-mail.
   * @returns true if the address was stored
   */
  async requestTranscript(email: string): Promise<boolean> {
    if (!this.#sessionId) return false;
    try {
      await this.#api.requestTranscript(this.#sessionId, email);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns the messages so far as plain text. */
  transcript(): TranscriptEntry[] {
    return this.messages.map((message) => ({ role: message.role, text: plainText(message) }));
  }

  /** Retries the last failed operation. */
  async retry(): Promise<void> {
    if (!this.session) {
      this.#startPromise = null;
      return this.start();
    }
    if (this.isBusy) return;
    if (this.#interruptedTurn) {
      this.#interruptedTurn.answer.status = "streaming";
      return this.#followAnswer(this.#interruptedTurn);
    }
    const content = this.#unansweredContent;
    // The reply in question was already requested; read its result from the session.
    if (content === null) {
      this.#setError(null);
      return this.#reloadSession();
    }
    // The retry replaces the failed message and its reply.
    const [question] = this.messages.splice(this.messages.length - 2, 2);
    this.#setError(null);
    await this.send(content, question?.files);
  }

  /** Starts a new conversation, and sends the message that has no reply in the old one. */
  async restart(): Promise<void> {
    const pendingContent = this.#unansweredContent;
    this.#lifetime.abort();
    this.handover.reset();
    this.#lifetime = new AbortController();
    this.#storage.forgetSession();
    this.#sessionId = this.#unansweredContent = this.#interruptedTurn = this.#startPromise = this.session = null;
    this.messages = [];
    this.isBusy = false;
    await this.start();
    if (pendingContent) await this.send(pendingContent);
  }

  /** Aborts local requests. Replies in progress continue on the service. */
  dispose(): void {
    this.#lifetime.abort();
    this.handover.dispose();
  }

  /** Shows messages that a person wrote, or the visitor in another tab. */
  #addMessages(messages: readonly EmbedMessage[]): void {
    const known = new Set(this.messages.map(({ id }) => id));
    const added = messages.filter(({ message_id }) => !known.has(message_id)).map(toWidgetMessage);
    this.messages.push(...added);
    for (const message of added) this.#listener.emit("message", { role: message.role, text: plainText(message) });
  }

  /** Shows a message that was stored for a person without the place for an answer. */
  #showHeld({ answer }: Turn, messageId: string): void {
    this.messages = this.messages.filter((message) => message !== answer);
    const question = this.messages.at(-1);
    if (question) question.id = messageId;
    answer.status = "complete";
  }

  /** Follows a reply until it ends, reconnecting as often as necessary. */
  async #followAnswer(turn: Turn): Promise<void> {
    const { signal } = this.#lifetime;
    this.#turn = turn;
    this.#unansweredContent = this.#interruptedTurn = null;
    this.isBusy = true;
    this.#setError(null);
    for (let attempt = 0; !signal.aborted; ) {
      await this.#untilDecided(turn);
      if (signal.aborted) return;
      const connection = new AbortController();
      // The "offline" event fires immediately, while a connection can take minutes to fail.
      addEventListener("offline", () => connection.abort(), { signal: connection.signal });
      try {
        for await (const streamedEvent of this.#openStream(turn, AbortSignal.any([signal, connection.signal]))) {
          attempt = 0;
          if (this.error) this.#setError(null);
          this.#applyEvent(turn, streamedEvent);
        }
        if (turn.answer.status !== "streaming") break;
        // The service ends the stream when it asks the visitor.
        if (isWaiting(turn.answer)) continue;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.code === "run_expired") return this.#reloadSession();
        if (error instanceof ApiError && error.status < 500) return this.#failTurn(turn, error);
        if (navigator.onLine && ++attempt >= maxAttempts) return this.#failTurn(turn, error);
      } finally {
        connection.abort();
      }
      if (signal.aborted) return;
      if (!navigator.onLine || attempt > 0) this.#setError({ kind: navigator.onLine ? "reconnecting" : "offline" });
      await this.#waitBeforeRetry(attempt);
    }
    if (signal.aborted) return;
    this.#turn = null;
    this.isBusy = false;
    if (this.session?.handover) this.handover.watch();
    this.#listener.onChange();
  }

  /** Waits until the visitor has answered whether a tool may be called, or the chat ends. */
  async #untilDecided(turn: Turn): Promise<void> {
    const { signal } = this.#lifetime;
    if (!isWaiting(turn.answer) || signal.aborted) return;
    turn.decided = Promise.withResolvers();
    signal.addEventListener("abort", () => turn.decided.resolve(), { once: true });
    await turn.decided.promise;
  }

  #openStream(
    { content, files = [], key, answer, lastEventId }: Turn,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent> {
    const session = this.#sessionId ?? "";
    const message = { content, ...(files.length > 0 && { attachments: files.map(({ id }) => id) }) };
    return answer.id
      ? this.#api.resume(session, answer.id, lastEventId, signal)
      : this.#api.send(session, message, key, signal);
  }

  #applyEvent(turn: Turn, { id, event }: StreamedEvent): void {
    const { answer } = turn;
    if (connectionEvents.has(event.type)) return;
    turn.lastEventId = id ?? turn.lastEventId;
    if (event.type !== "guardrail_result") answer.id = event.data.message_id;
    switch (event.type) {
      case "held":
        this.#showHeld(turn, event.data.message_id);
        break;
      case "guardrail_result":
        answer.removed = event.data.removed;
        break;
      case "tool_card":
        answer.cards = withCard(answer.cards, event.data);
        break;
      case "assistant_message":
        if (!this.messages.includes(answer)) this.messages.push(answer);
        if (event.data.final) answer.blocks = event.data.content;
        else if (turn.hiddenText !== undefined) turn.hiddenText += event.data.content;
        else answer.text += event.data.content;
        break;
      case "done":
        answer.status = event.data.finish_reason ? "interrupted" : "complete";
        this.#listener.emit("message", { role: "assistant", text: plainText(answer) });
        break;
      case "interrupted":
        answer.status = "interrupted";
        endCards(answer);
        break;
      case "error":
        answer.status = "failed";
        endCards(answer);
        this.#unansweredContent = turn.content || null;
        this.#setError({ kind: "server" }, this.#unansweredContent === null ? null : "retry");
        this.#listener.emit("error", { kind: "server" });
        break;
    }
    this.#listener.onChange();
  }

  /** Reloads the session. The stream of a reply expires, but the reply itself remains. */
  async #reloadSession(): Promise<void> {
    this.#turn = null;
    this.isBusy = false;
    try {
      this.#showSession(await this.#api.read(this.#sessionId ?? ""));
    } catch (error) {
      this.#handleFailure(error);
    }
  }

  #failTurn(turn: Turn, error: unknown): void {
    turn.answer.status = "failed";
    this.#turn = null;
    this.isBusy = false;
    this.#unansweredContent = turn.content || null;
    this.#interruptedTurn = error instanceof ApiError && error.status < 500 ? null : turn;
    this.#handleFailure(error);
  }

  /** Shows an error and the recovery action for it. */
  #handleFailure(error: unknown): void {
    if (!(error instanceof ApiError)) {
      this.#showError({ kind: "network" }, "retry");
      return;
    }
    const [kind, recoveryAction] = errorsByCode[error.code] ?? ["server", "retry"];
    if (recoveryAction === null || !this.session) warnOwner(error.code);
    this.#showError({ kind, seconds: error.retryAfterSeconds }, recoveryAction);
  }

  #showError(error: ChatError, recoveryAction: RecoveryAction): void {
    this.isLoading = false;
    if (recoveryAction === null) this.session = null;
    this.#setError(error, recoveryAction);
    this.#listener.emit("error", { kind: error.kind });
  }

  #setError(error: ChatError | null, recoveryAction: RecoveryAction = null): void {
    this.error = error;
    this.recoveryAction = recoveryAction;
    this.#listener.onChange();
  }

  /** Waits with exponential backoff, or until the network is back. */
  async #waitBeforeRetry(attempt: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = navigator.onLine ? setTimeout(resolve, retryDelayMs(attempt)) : undefined;
    const wake = () => resolve();
    addEventListener("online", wake);
    this.#lifetime.signal.addEventListener("abort", wake, { once: true });
    await promise;
    clearTimeout(timer);
    removeEventListener("online", wake);
    this.#lifetime.signal.removeEventListener("abort", wake);
  }
}
