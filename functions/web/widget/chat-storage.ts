import type { VisitorForm } from "../../../shared/api/embed/visitor-form.ts";
import { toJson } from "../../../shared/client/to-json.ts";

/** Chat data that is persisted between pages. */
interface StoredChat {
  readonly session?: string;
  /** Visitor id of the session, as provided by the website. */
  readonly visitor?: string | null;
  readonly theme?: Readonly<Record<string, string>>;
  /** Form to fill in before a chat, as it was at the last visit. */
  readonly form?: VisitorForm | undefined;
  /** Proactive message that the visitor has closed, or answered by opening the chat. */
  readonly seen?: string;
}

/** Browser storage for one embed key. Falls back to memory if storage is not available. */
export class ChatStorage {
  readonly #key: string;
  #stored: StoredChat;
  #isOpen = false;

  constructor(embedKey: string) {
    this.#key = `assistant-chat:${embedKey}`;
    this.#stored = ignoreErrors(() => JSON.parse(localStorage.getItem(this.#key) ?? "{}")) ?? {};
    this.#isOpen = ignoreErrors(() => sessionStorage.getItem(this.#key)) === "open";
  }

  /** Returns the stored session id; null if there is none or it is another visitor's. Visitors without an id are null. */
  getSessionId(visitor: string | null): string | null {
    return (this.#stored.visitor ?? null) === visitor ? (this.#stored.session ?? null) : null;
  }

  /** Theme that the key had at the last visit; null at the first visit. */
  get theme(): Readonly<Record<string, string>> | null {
    return this.#stored.theme ?? null;
  }

  get form(): VisitorForm | null {
    return this.#stored.form ?? null;
  }

  /** True if a proactive message can be shown: the visitor has not chatted yet, and has not seen this text. */
  isNew(message: string): boolean {
    return this.#stored.session === undefined && this.#stored.seen !== message;
  }

  /** True if the panel was open on the previous page. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    ignoreErrors(() => sessionStorage.setItem(this.#key, isOpen ? "open" : "closed"));
  }

  update(changes: StoredChat): void {
    this.#stored = { ...this.#stored, ...changes };
    ignoreErrors(() => localStorage.setItem(this.#key, toJson(this.#stored)));
  }

  /** Removes the session, but keeps the theme and what was seen. */
  forgetSession(): void {
    const { theme = {}, form, seen } = this.#stored;
    this.#stored = {};
    this.update({ theme, form, ...(seen !== undefined && { seen }) });
  }
}

/** Runs a storage operation. Storage throws if the visitor has disabled it. */
function ignoreErrors<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
