import type { EmbedBlock, EmbedMessage, EmbedSession } from "../../../shared/api/embed/embed.ts";
import { type Api, newKey, Refusal, type StreamedEvent } from "./api.ts";
import type { Memory } from "./chat-storage.ts";
import type { Texts } from "./texts.ts";

/** What a visitor is told when something does not work, and for how many seconds. */
export interface Trouble {
  readonly kind: keyof Texts["trouble"];
  readonly seconds?: number;
}

/** What a visitor can do about it. */
export type Remedy = "retry" | "restart" | null;

/** A message as it is shown. */
export interface ShownMessage {
  /** The service's id of it, as soon as that is known. */
  id: string | null;
  readonly role: "user" | "assistant";
  /** Markdown while it is being written; afterwards `blocks`. */
  text: string;
  blocks: readonly EmbedBlock[] | null;
  status: EmbedMessage["status"];
}

/** What the chat tells the page about. */
export interface ChatEvents {
  readonly ready: Pick<EmbedSession, "persona">;
  readonly message: { readonly role: ShownMessage["role"]; readonly text: string };
  readonly error: { readonly kind: Trouble["kind"] };
}

/** Who listens to a chat. */
export interface ChatListener {
  /** Something is to be shown differently. */
  changed(): void;
  emit<Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]): void;
}

/** What is being said at the moment. */
interface Turn {
  readonly content: string;
  /** The same for every attempt, so that no attempt begins a second answer. */
  readonly key: string;
  readonly answer: ShownMessage;
  lastEventId: string | null;
}

/** Attempts to reach the service before the visitor is asked, and waits between them, in milliseconds. */
const attempts = 6;
const waitAfter = (attempt: number) => Math.min(15_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);

const connectionEvents = new Set(["reconnect", "stream_expired", "token_expired"]);

/** What a visitor is told of the service's refusals, by their codes, and what can be done. */
const refusals: Readonly<Record<string, readonly [Trouble["kind"], Remedy]>> = {
  session_expired: ["expired", "restart"],
  session_full: ["full", "restart"],
  rate_limited: ["busy", "retry"],
  unauthorized: ["unavailable", null],
  visitor_not_verified: ["unavailable", null],
  not_found: ["unavailable", null],
  origin_not_allowed: ["origin", null],
};

/** The text of a message, for programs of the page. */
function plainText({ text, blocks }: Pick<ShownMessage, "text" | "blocks">): string {
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

/** A visitor's conversation: all that happens in it, and nothing of how it looks. */
export class Chat {
  readonly #api: Api;
  readonly #memory: Memory;
  readonly #visitor: string | null;
  readonly #listener: ChatListener;
  #ending = new AbortController();
  #starting: Promise<void> | null = null;
  #sessionId: string | null = null;
  #turn: Turn | null = null;
  /** What was said last and not answered. */
  #unanswered: string | null = null;
  /** What the service may be answering, though it cannot be reached. */
  #outOfReach: Turn | null = null;

  session: EmbedSession | null = null;
  messages: ShownMessage[] = [];
  /** An answer is being made. */
  isBusy = false;
  isLoading = false;
  trouble: Trouble | null = null;
  remedy: Remedy = null;

  constructor(api: Api, memory: Memory, visitor: string | null, listener: ChatListener) {
    this.#api = api;
    this.#memory = memory;
    this.#visitor = visitor;
    this.#listener = listener;
  }

  /** Whether a visitor may write. */
  get isOpenForMessages(): boolean {
    return this.session !== null && this.session.status === "active" && this.remedy !== "restart";
  }

  /** Starts the session, or goes on with the one from before; once. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.isLoading = true;
    this.#set(null);
    for (let attempt = 0; !this.#ending.signal.aborted; attempt++) {
      try {
        this.#show(await this.#startOrResume());
        return;
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        if (error instanceof Refusal && error.status < 500) return this.#refuse(error);
        if (!(error instanceof Refusal) && navigator.onLine && (await this.#api.isReachable())) {
          // There is an answer that this page may not read.
          return this.#fail({ kind: "origin" }, null);
        }
        if (navigator.onLine && attempt + 1 >= attempts) return this.#fail({ kind: "network" }, "retry");
        this.#set({ kind: navigator.onLine ? "reconnecting" : "offline" });
        await this.#pause(attempt);
      }
    }
  }

  async #startOrResume(): Promise<EmbedSession> {
    const known = this.#memory.sessionOf(this.#visitor);
    try {
      return await this.#api.start(known);
    } catch (error) {
      // What is over, or was somebody else's, is no loss: there will be another one.
      if (!known || !(error instanceof Refusal) || !/^(session_expired|not_found)$/.test(error.code)) throw error;
      this.#memory.forgetSession();
      return this.#api.start(null);
    }
  }

  #show(session: EmbedSession): void {
    this.session = session;
    this.#sessionId = session.id;
    this.isLoading = false;
    this.messages = session.messages.map(({ message_id, role, content, status }) => ({
      id: message_id,
      role,
      text: "",
      blocks: status === "streaming" ? null : content,
      status,
    }));
    this.#memory.keep({ session: session.id, visitor: this.#visitor, theme: session.theme });
    this.#set(session.status === "full" ? { kind: "full" } : null, session.status === "full" ? "restart" : null);
    this.#listener.emit("ready", { persona: session.persona });
    const answer = this.messages.at(-1);
    if (answer?.status === "streaming") void this.#follow({ content: "", key: "", answer, lastEventId: null });
  }

  /** Says something. What is empty, or comes while an answer is being made, is not said. */
  async send(content: string): Promise<void> {
    const text = content.trim();
    if (!text) return;
    await this.start();
    if (this.isBusy || !this.isOpenForMessages) return;
    const answer: ShownMessage = { id: null, role: "assistant", text: "", blocks: null, status: "streaming" };
    this.messages.push({ id: null, role: "user", text, blocks: null, status: "complete" }, answer);
    this.#listener.emit("message", { role: "user", text });
    await this.#follow({ content: text, key: newKey(), answer, lastEventId: null });
  }

  /** Has the service end the answer that is being made. */
  async stop(): Promise<void> {
    const messageId = this.#turn?.answer.id;
    if (!this.#sessionId || !messageId) return;
    try {
      await this.#api.stop(this.#sessionId, messageId);
    } catch {
      // The answer goes on; the button is still there.
    }
  }

  /** Tries again what did not work. */
  async retry(): Promise<void> {
    if (!this.session) {
      this.#starting = null;
      return this.start();
    }
    if (this.isBusy) return;
    if (this.#outOfReach) {
      this.#outOfReach.answer.status = "streaming";
      return this.#follow(this.#outOfReach);
    }
    const content = this.#unanswered;
    // An answer that was lost sight of was asked for already: it is looked for.
    if (content === null) {
      this.#set(null);
      return this.#reread();
    }
    // What was not answered is said again in its old place.
    this.messages.splice(this.messages.length - 2, 2);
    this.#set(null);
    await this.send(content);
  }

  /** Leaves the conversation and begins another one, with what could not be said in the old one. */
  async restart(): Promise<void> {
    const unsaid = this.#unanswered;
    this.dispose();
    this.#ending = new AbortController();
    this.#memory.forgetSession();
    this.#sessionId = this.#unanswered = this.#outOfReach = this.#starting = this.session = null;
    this.messages = [];
    this.isBusy = false;
    await this.start();
    if (unsaid) await this.send(unsaid);
  }

  /** Ends all that is under way here; what the service is doing goes on. */
  dispose(): void {
    this.#ending.abort();
  }

  /** Follows an answer to its end, through as many connections as it takes. */
  async #follow(turn: Turn): Promise<void> {
    const { signal } = this.#ending;
    this.#turn = turn;
    this.#unanswered = this.#outOfReach = null;
    this.isBusy = true;
    this.#set(null);
    for (let attempt = 0; !signal.aborted; ) {
      const connection = new AbortController();
      // The browser knows at once that there is no network: a connection may take minutes to notice.
      addEventListener("offline", () => connection.abort(), { signal: connection.signal });
      try {
        for await (const streamed of this.#open(turn, AbortSignal.any([signal, connection.signal]))) {
          attempt = 0;
          if (this.trouble) this.#set(null);
          this.#apply(turn, streamed);
        }
        if (turn.answer.status !== "streaming") break;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refusal && error.code === "run_expired") return this.#reread();
        if (error instanceof Refusal && error.status < 500) return this.#giveUp(turn, error);
        if (navigator.onLine && ++attempt >= attempts) return this.#giveUp(turn, error);
      } finally {
        connection.abort();
      }
      if (signal.aborted) return;
      if (!navigator.onLine || attempt > 0) this.#set({ kind: navigator.onLine ? "reconnecting" : "offline" });
      await this.#pause(attempt);
    }
    if (signal.aborted) return;
    this.#turn = null;
    this.isBusy = false;
    this.#listener.changed();
  }

  #open({ content, key, answer, lastEventId }: Turn, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    const session = this.#sessionId ?? "";
    return answer.id
      ? this.#api.resume(session, answer.id, lastEventId, signal)
      : this.#api.send(session, content, key, signal);
  }

  #apply(turn: Turn, { id, event }: StreamedEvent): void {
    const { answer } = turn;
    if (connectionEvents.has(event.type)) return;
    turn.lastEventId = id ?? turn.lastEventId;
    answer.id = event.data.message_id;
    switch (event.type) {
      case "assistant_message":
        if (event.data.final) answer.blocks = event.data.content;
        else answer.text += event.data.content;
        break;
      case "done":
        answer.status = "complete";
        this.#listener.emit("message", { role: "assistant", text: plainText(answer) });
        break;
      case "interrupted":
        answer.status = "interrupted";
        break;
      case "error":
        answer.status = "failed";
        this.#unanswered = turn.content || null;
        this.#set({ kind: "server" }, this.#unanswered === null ? null : "retry");
        this.#listener.emit("error", { kind: "server" });
        break;
    }
    this.#listener.changed();
  }

  /** Reads the session anew: the stream of an answer is not kept for ever, the answer is. */
  async #reread(): Promise<void> {
    this.#turn = null;
    this.isBusy = false;
    try {
      this.#show(await this.#api.read(this.#sessionId ?? ""));
    } catch (error) {
      this.#refuse(error);
    }
  }

  #giveUp(turn: Turn, error: unknown): void {
    turn.answer.status = "failed";
    this.#turn = null;
    this.isBusy = false;
    this.#unanswered = turn.content || null;
    this.#outOfReach = error instanceof Refusal && error.status < 500 ? null : turn;
    this.#refuse(error);
  }

  /** Says why the service did not do what it was asked, and what can be done. */
  #refuse(error: unknown): void {
    if (!(error instanceof Refusal)) {
      this.#fail({ kind: "network" }, "retry");
      return;
    }
    const [kind, remedy] = refusals[error.code] ?? ["server", "retry"];
    this.#fail({ kind, seconds: error.retryAfter }, remedy);
  }

  #fail(trouble: Trouble, remedy: Remedy): void {
    this.isLoading = false;
    if (remedy === null) this.session = null;
    this.#set(trouble, remedy);
    this.#listener.emit("error", { kind: trouble.kind });
  }

  #set(trouble: Trouble | null, remedy: Remedy = null): void {
    this.trouble = trouble;
    this.remedy = remedy;
    this.#listener.changed();
  }

  /** Waits until another attempt makes sense: longer each time, and for the network where there is none. */
  async #pause(attempt: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = navigator.onLine ? setTimeout(resolve, waitAfter(attempt)) : undefined;
    const goOn = () => resolve();
    addEventListener("online", goOn);
    this.#ending.signal.addEventListener("abort", goOn, { once: true });
    await promise;
    clearTimeout(timer);
    removeEventListener("online", goOn);
    this.#ending.signal.removeEventListener("abort", goOn);
  }
}
