/** What the browser remembers of a chat between two pages. */
interface Remembered {
  readonly session?: string;
  /** Whose session it is, as the website named the visitor. */
  readonly visitor?: string | null;
  readonly theme?: Readonly<Record<string, string>>;
}

/** The memory of the browser for one embed key. Where the page may not keep anything, it lasts as long as the page. */
export class Memory {
  readonly #name: string;
  #kept: Remembered;
  #isOpen = false;

  constructor(embedKey: string) {
    this.#name = `assistant-chat:${embedKey}`;
    this.#kept = attempt(() => JSON.parse(localStorage.getItem(this.#name) ?? "{}")) ?? {};
    this.#isOpen = attempt(() => sessionStorage.getItem(this.#name)) === "open";
  }

  /** The session that this visitor has, if any. */
  sessionOf(visitor: string | null): string | null {
    return (this.#kept.visitor ?? null) === visitor ? (this.#kept.session ?? null) : null;
  }

  get theme(): Readonly<Record<string, string>> {
    return this.#kept.theme ?? {};
  }

  /** Whether the panel was open on the page before. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    attempt(() => sessionStorage.setItem(this.#name, isOpen ? "open" : "closed"));
  }

  keep(remembered: Remembered): void {
    this.#kept = { ...this.#kept, ...remembered };
    attempt(() => localStorage.setItem(this.#name, JSON.stringify(this.#kept)));
  }

  /** Forgets the session, not the looks. */
  forgetSession(): void {
    const { theme = {} } = this.#kept;
    this.#kept = {};
    this.keep({ theme });
  }
}

/** Storage throws where the visitor has forbidden it. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
