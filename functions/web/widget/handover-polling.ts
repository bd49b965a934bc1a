import type { EmbedMessage } from "../../../shared/api/embed/embed-message.ts";
import type { EmbedHandover } from "../../../shared/api/embed/handovers.ts";
import type { Api } from "./api.ts";

/** Intervals of the polls while a visitor waits for a person, talks to one, or does not see the page. */
const WAITING_INTERVAL_MS = 6_000;
const INTERVAL_MS = 3_000;
const HIDDEN_INTERVAL_MS = 20_000;

/** Number of polls after an answer, with which the assistant or a rule may have asked for a person. */
const POLLS_AFTER_ANSWER = 2;

interface HandoverChat {
  /** Returns the session, or null if nothing can be polled now, for example while a message is on the way. */
  getSession(): string | null;
  /** Returns the id of the latest message that is known. */
  getLastId(): string | undefined;
  add(messages: readonly EmbedMessage[]): void;
  onChange(): void;
}

/** Hand-over of the conversation to a person, as the service last reported it. */
export class HandoverPolling {
  readonly #api: Api;
  readonly #chat: HandoverChat;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #remainingPolls = 0;
  #isDisposed = false;
  state: EmbedHandover | null = null;

  constructor(api: Api, chat: HandoverChat) {
    this.#api = api;
    this.#chat = chat;
  }

  /** True while the visitor waits for a person or talks to one. */
  get isHeld(): boolean {
    return this.state?.status === "waiting" || this.state?.status === "claimed";
  }

  /** Polls now, and then as long as the conversation is with a person, at least twice. */
  watch(): void {
    this.#remainingPolls = POLLS_AFTER_ANSWER;
    this.#schedule(0);
  }

  /** Asks for a person, or leaves an address for an answer. */
  async request(contactEmail?: string): Promise<boolean> {
    const session = this.#chat.getSession();
    if (session === null) return false;
    try {
      this.state = await this.#api.requestHandover(session, contactEmail);
    } catch {
      return false;
    }
    this.#chat.onChange();
    this.watch();
    return true;
  }

  /** Goes back to the assistant. */
  async end(): Promise<void> {
    const session = this.#chat.getSession();
    if (session !== null) await this.#api.endHandover(session).catch(() => {});
    this.watch();
  }

  /** Forgets the hand-over, for a new conversation. */
  reset(): void {
    clearTimeout(this.#timer);
    this.state = null;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isDisposed) this.#timer = setTimeout(() => void this.#poll(), ms);
  }

  async #poll(): Promise<void> {
    const session = this.#chat.getSession();
    if (session !== null) {
      this.#remainingPolls--;
      try {
        const { handover, messages } = await this.#api.readHandover(session, this.#chat.getLastId());
        // A message that was sent in the meantime may be among them, and is not known by its id yet.
        if (this.#isDisposed || this.#chat.getSession() === null) return this.#schedule(500);
        this.state = handover;
        this.#chat.add(messages);
        this.#chat.onChange();
      } catch {
        // The next poll reads it.
      }
    }
    const interval = this.state?.status === "waiting" ? WAITING_INTERVAL_MS : INTERVAL_MS;
    if (this.isHeld || this.#remainingPolls > 0) this.#schedule(document.hidden ? HIDDEN_INTERVAL_MS : interval);
  }
}
