import { outputSpans } from "./local/local-guardrail.ts";
import { secretStarts } from "./secrets/secrets.ts";
import { redacted, type Span } from "./spans.ts";
import type { Finding } from "./types.ts";

/** Nothing is held back longer than this, in characters: what goes on after that is swallowed as part of the secret. */
export const heldAtMost = 256;

/** What patterns look back at. */
const contextKept = 80;

/** Characters that are looked at at once; models say less at a time, but a whole answer may come in one piece. */
const partLength = 1_000;

/** Ends of a text that may yet become something to take out. */
const unfinished: readonly RegExp[] = [
  // A number in groups, or a country and its account.
  /(?<![\p{L}\d])(?:[A-Z]{1,2}|[A-Z]{2} ?\d{1,2}(?:[ -]?[A-Z\d]){0,36})[ -]?$/u,
  /(?<![\p{L}\d])[XYZ]?\d(?:[ .-]?\d){0,22}[ .-]?$/u,
  // A name for a secret, and what may be the secret.
  /(?<![\p{L}\d])[\w.-]{0,40}(?:passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|senha|secret|api[ _-]?key|access[ _-]?key|token|private[ _-]?key|credential|pwd)[\w-]{0,20}["'`]?(?: ?(?::=|=>|[:=]?)| (?:i|is|ist|es|est|é)(?: ?:)?)[ \t]{0,3}["'`]?[^\s"'`,;<>]{0,200}$/iu,
  /\b(?:Basic|Bearer) ?[A-Za-z0-9+/._~-]*$/,
  // A user and a password in an address; what gives away a webhook, a signature.
  /[a-z\d]:(?:\/(?:\/[^\s/"'<>]{0,310})?)?$/i,
  /(?:hooks\.slack\.com|api\/webhooks|webhook\.office\.com)\/\S{0,250}$|[?&]sig=\S{0,120}$/i,
  // The first line of a private key.
  /-----[A-Z -]{0,60}$/,
  // One long word, or one that is no word: letters with digits, capitals inside.
  /(?<![\w+/=.-])[\w+/=.:-]*(?:\d|_|[a-z][A-Z])[\w+/=.:-]*$/,
  /(?<![\w+/=.-])[\w+/=.-]{20,}$/,
];

const lastWord = /[\w.-]+$/;
const beginning = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const rest = /^[\w+/=.~%-]*/;

/** Where the end of a text begins that may yet become something to take out; its length when nothing may. */
function safeUntil(text: string): number {
  let at = text.length;
  for (const pattern of unfinished) {
    const found = pattern.exec(text);
    if (found) at = Math.min(at, found.index);
  }
  const word = lastWord.exec(text);
  if (word && secretStarts.some((start) => start.startsWith(word[0]) || word[0].startsWith(start)))
    at = Math.min(at, word.index);
  return at;
}

/**
 * Takes secrets and account numbers out of a text that comes in pieces: what `checkLocally` redacts in the output as a whole. Words go out
 * as they come; only what may yet turn out to be a secret waits, `heldAtMost` characters at the most.
 */
export class StreamingRedactor {
  #context = "";
  #held = "";
  /** What is left of something taken out already: until its last line, or the end of its word. */
  #swallowing: "key" | "word" | null = null;
  readonly #found = new Map<string, number>();

  /** What was taken out so far. */
  get findings(): Finding[] {
    return Array.from(this.#found, ([category, score]) => ({ category, score }));
  }

  /** Takes the next piece, gives what may be shown. A long one is looked at in parts: all of it again with each would cost its square. */
  push(piece: string): string {
    let shown = "";
    for (let at = 0; at < piece.length; at += partLength) shown += this.#pushPart(piece.slice(at, at + partLength));
    return shown;
  }

  #pushPart(part: string): string {
    this.#held += part;
    if (this.#swallowing && !this.#swallow()) return "";
    const key = beginning.exec(this.#held);
    if (key) return this.#show(key.index) + this.#take({ from: 0, to: key[0].length, kind: "private key" }, "key");
    let until = safeUntil(this.#context + this.#held) - this.#context.length;
    until = Math.max(0, until);
    if (this.#held.length - until <= heldAtMost) return this.#show(until);
    const shown = this.#show(until);
    const spans = outputSpans(this.#held);
    const last =
      spans.find(({ to }) => to === this.#held.length) ?? (/^eyJ/.test(this.#held) ? { kind: "token" } : null);
    if (last) return shown + this.#take({ from: 0, to: this.#held.length, kind: last.kind }, "word");
    return shown + this.#show(this.#held.length);
  }

  /** Gives what is left at the end of the text. */
  end(): string {
    if (this.#swallowing && !this.#swallow()) return "";
    return this.#show(this.#held.length);
  }

  #show(until: number): string {
    const text = this.#context + this.#held;
    const offset = this.#context.length;
    let end = offset + until;
    const spans = outputSpans(text).filter(({ to }) => to > offset);
    // A piece that reaches into what is held back waits with it.
    for (const { from, to } of spans) if (from < end && to > end) end = Math.max(offset, from);
    // Where the text before is cut off, numbers seem to begin that are a part of others; secrets hardly ever do.
    const inside = spans.filter(({ from, to, category }) => to <= end && (from >= offset || category === "secrets"));
    for (const { category, score } of inside) this.#note(category, score);
    const shown = redacted(
      text.slice(offset, end),
      // Of one whose beginning looked like any word, and was shown, at least the rest is not.
      inside.map((span) => ({ ...span, from: Math.max(0, span.from - offset), to: span.to - offset })),
    );
    this.#held = text.slice(end);
    this.#context = text.slice(Math.max(0, end - contextKept), end);
    return shown;
  }

  #note(category: Span["category"], score: number): void {
    this.#found.set(category, Math.max(score, this.#found.get(category) ?? 0));
  }

  #take({ to, kind }: { from: number; to: number; kind: string }, swallowing: "key" | "word"): string {
    this.#note("secrets", 0.99);
    this.#held = this.#held.slice(to);
    this.#context = " ";
    this.#swallowing = swallowing;
    this.#swallow();
    return `[${kind}]`;
  }

  /** Drops what belongs to something taken out; whether that is at its end. */
  #swallow(): boolean {
    if (this.#swallowing === "word") {
      this.#held = this.#held.replace(rest, "");
      if (this.#held === "") return false;
    } else {
      const last = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(this.#held);
      if (!last) {
        // The last line may be coming in pieces.
        this.#held = this.#held.slice(-64);
        return false;
      }
      this.#held = this.#held.slice(last.index + last[0].length);
    }
    this.#swallowing = null;
    return true;
  }
}
