import { defaultGuardrailPolicy, type GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { isRedacted } from "./apply-policy.ts";
import { findSensitiveSpans } from "./local/local-detector.ts";
import { secretPrefixes } from "./secrets/find-secrets.ts";
import { redactSpans, type Span } from "./spans.ts";
import type { Finding } from "./types.ts";

/** Text that is held back until it is known not to be sensitive. The rest of a longer secret is dropped. */
export const MAX_HELD_CHARACTERS = 256;

/** Emitted text that is kept for the look-behinds of patterns. */
const MAX_CONTEXT_CHARACTERS = 80;

/** Text that is scanned at once. Model deltas are shorter, but a provider may send a whole answer as one delta. */
const MAX_PART_CHARACTERS = 1_000;

/** Patterns of a text's end that may be the start of sensitive data. */
const unfinishedPatterns: readonly RegExp[] = [
  // A number in groups, or the start of an IBAN.
  /(?<![\p{L}\d])(?:[A-Z]{1,2}|[A-Z]{2} ?\d{1,2}(?:[ -]?[A-Z\d]){0,36})[ -]?$/u,
  /(?<![\p{L}\d])[XYZ]?\d(?:[ .-]?\d){0,22}[ .-]?$/u,
  // The name of a secret, followed by its possible value.
  /(?<![\p{L}\d])[\w.-]{0,40}(?:passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|senha|secret|api[ _-]?key|access[ _-]?key|token|private[ _-]?key|credential|pwd)[\w-]{0,20}["'`]?(?: ?(?::=|=>|[:=]?)| (?:i|is|ist|es|est|é)(?: ?:)?)[ \t]{0,3}["'`]?[^\s"'`,;<>]{0,200}$/iu,
  /\b(?:Basic|Bearer) ?[A-Za-z0-9+/._~-]*$/,
  // User and password in a URL; webhook URLs and signatures.
  /[a-z\d]:(?:\/(?:\/[^\s/"'<>]{0,310})?)?$/i,
  /(?:hooks\.slack\.com|api\/webhooks|webhook\.office\.com)\/\S{0,250}$|[?&]sig=\S{0,120}$/i,
  // The first line of a private key.
  /-----[A-Z -]{0,60}$/,
  // A long word, or a word of mixed letters, digits and capitals.
  /(?<![\w+/=.-])[\w+/=.:-]*(?:\d|_|[a-z][A-Z])[\w+/=.:-]*$/,
  /(?<![\w+/=.-])[\w+/=.-]{20,}$/,
];

const lastWord = /[\w.-]+$/;
const privateKeyStart = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const wordRest = /^[\w+/=.~%-]*/;

/** Returns the index up to which a text is safe to emit: what follows may be the start of sensitive data. */
function findSafeEnd(text: string): number {
  let end = text.length;
  for (const pattern of unfinishedPatterns) {
    const match = pattern.exec(text);
    if (match) end = Math.min(end, match.index);
  }
  const word = lastWord.exec(text);
  if (word && secretPrefixes.some((prefix) => prefix.startsWith(word[0]) || word[0].startsWith(prefix))) {
    end = Math.min(end, word.index);
  }
  return end;
}

/**
 * Redacts secrets and account numbers in a text that arrives in deltas: the streaming counterpart of what `checkLocally`
 * redacts in output. Text is emitted at once, except for an end of up to `MAX_HELD_CHARACTERS` that may be sensitive.
 */
export class StreamingRedactor {
  #context = "";
  #held = "";
  /** Kind of redacted secret whose rest is dropped: a private key up to its last line, a word up to its end. */
  #dropping: "key" | "word" | null = null;
  readonly #scores = new Map<string, number>();
  readonly #policy: GuardrailPolicy;

  constructor(policy: GuardrailPolicy = defaultGuardrailPolicy) {
    this.#policy = policy;
  }

  #spans(text: string): Span[] {
    return findSensitiveSpans(text).filter((span) => isRedacted(this.#policy, "answer", span));
  }

  /** Findings that were redacted so far. */
  get findings(): Finding[] {
    return Array.from(this.#scores, ([category, score]) => ({ category, score }));
  }

  /** Adds a delta and returns the text to emit. Long deltas are scanned in parts, to keep the cost linear. */
  push(delta: string): string {
    let emitted = "";
    for (let start = 0; start < delta.length; start += MAX_PART_CHARACTERS) {
      emitted += this.#pushPart(delta.slice(start, start + MAX_PART_CHARACTERS));
    }
    return emitted;
  }

  #pushPart(part: string): string {
    this.#held += part;
    if (this.#dropping && !this.#drop()) return "";
    const key = privateKeyStart.exec(this.#held);
    if (key) return this.#emit(key.index) + this.#redact(key[0].length, "private key", "key");
    const safeEnd = Math.max(0, findSafeEnd(this.#context + this.#held) - this.#context.length);
    if (this.#held.length - safeEnd <= MAX_HELD_CHARACTERS) return this.#emit(safeEnd);
    const emitted = this.#emit(safeEnd);
    const spans = this.#spans(this.#held);
    const last =
      spans.find(({ to }) => to === this.#held.length) ?? (/^eyJ/.test(this.#held) ? { kind: "token" } : null);
    if (last) return emitted + this.#redact(this.#held.length, last.kind, "word");
    return emitted + this.#emit(this.#held.length);
  }

  /** Ends the text and returns the rest to emit. */
  end(): string {
    if (this.#dropping && !this.#drop()) return "";
    return this.#emit(this.#held.length);
  }

  /** Returns the held text up to `until`, redacted, or less if a span reaches beyond it. */
  #emit(until: number): string {
    const text = this.#context + this.#held;
    const offset = this.#context.length;
    let end = offset + until;
    const spans = this.#spans(text).filter(({ to }) => to > offset);
    // A span that extends beyond the end is held back as a whole.
    for (const { from, to } of spans) if (from < end && to > end) end = Math.max(offset, from);
    // The context may start within a number, whose rest then looks like another number; secrets are rarely affected.
    const emittedSpans = spans.filter(
      ({ from, to, category }) => to <= end && (from >= offset || category === "secrets"),
    );
    for (const { category, score } of emittedSpans) this.#addFinding(category, score);
    const emitted = redactSpans(
      text.slice(offset, end),
      // The start of a span may have been emitted because it looked harmless; the rest is redacted.
      emittedSpans.map((span) => ({ ...span, from: Math.max(0, span.from - offset), to: span.to - offset })),
    );
    this.#held = text.slice(end);
    this.#context = text.slice(Math.max(0, end - MAX_CONTEXT_CHARACTERS), end);
    return emitted;
  }

  #addFinding(category: Span["category"], score: number): void {
    this.#scores.set(category, Math.max(score, this.#scores.get(category) ?? 0));
  }

  /** Redacts the first `length` held characters and drops the rest of the secret that they belong to. */
  #redact(length: number, kind: string, dropping: "key" | "word"): string {
    this.#addFinding("secrets", 0.99);
    this.#held = this.#held.slice(length);
    this.#context = " ";
    this.#dropping = dropping;
    this.#drop();
    return `[${kind}]`;
  }

  /** Drops the rest of a redacted secret. @returns true if its end was reached */
  #drop(): boolean {
    if (this.#dropping === "word") {
      this.#held = this.#held.replace(wordRest, "");
      if (this.#held === "") return false;
    } else {
      const last = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(this.#held);
      if (!last) {
        // The last line may arrive in several deltas.
        this.#held = this.#held.slice(-64);
        return false;
      }
      this.#held = this.#held.slice(last.index + last[0].length);
    }
    this.#dropping = null;
    return true;
  }
}
