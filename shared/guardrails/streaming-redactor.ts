import {
  defaultGuardrailPolicy,
  type GuardrailPlace,
  type GuardrailPolicy,
} from "../api/governance/guardrail-policy.ts";
import { CodeFences } from "../markdown/code-fences.ts";
import { answerPlaces, isRedacted, placeOfSpan } from "./apply-policy.ts";
import { sensitivePatterns } from "./sensitive-data.ts";
import {
  compileFormat,
  MAX_CUE_CHARACTERS,
  type SensitiveFormat,
  type SensitivePattern,
  SensitiveReader,
} from "./sensitive-pattern.ts";
import { redactSpans, type Span } from "./spans.ts";
import type { PlacedFinding } from "./types.ts";

/** Maximum length of emitted text that remains in memory, because it can contain cues or boundaries for later text. */
const MAX_CONTEXT_CHARACTERS = 2 * MAX_CUE_CHARACTERS;

/** Maximum length of text that is scanned at once, because a provider may send a whole answer as one delta. */
const MAX_PART_CHARACTERS = 1_000;

/** Length above which held text is scanned again only after it has grown by a quarter, which keeps the cost linear. */
const MAX_RESCANNED_CHARACTERS = 160;

const CANARY_KIND = "instructions";

/** Kinds of data that a policy decides about. Unsafe links and the canary are removed everywhere. */
const policyKinds: ReadonlySet<string> = new Set(sensitivePatterns.map(({ kind }) => kind));

const canaryFormat = (canary: string): SensitiveFormat => ({
  kind: CANARY_KIND,
  category: "injection",
  pattern: new RegExp(canary, "i"),
  score: 1,
});

/** Maximum number of readers in memory. A reader for the formats of a policy takes about a millisecond to create. */
const MAX_READERS = 20;

/** Readers by what their formats depend on, the most recently used last. Policies are read anew for each request. */
const readers = new Map<string, SensitiveReader>();

function getReader(key: string, toPatterns: () => readonly SensitivePattern[]): SensitiveReader {
  const reader = readers.get(key) ?? new SensitiveReader(toPatterns());
  readers.delete(key);
  readers.set(key, reader);
  const [oldest] = readers.keys();
  if (readers.size > MAX_READERS && oldest !== undefined) readers.delete(oldest);
  return reader;
}

/** Returns the reader for the formats that a policy redacts in a part of answers. */
function readerFor(policy: GuardrailPolicy): SensitiveReader {
  const { actions, disabled_rules, redact_contact_details } = policy;
  const answerActions = Object.values(actions).map((byPlace) => answerPlaces.map((place) => byPlace[place]));
  return getReader(JSON.stringify([answerActions, disabled_rules, redact_contact_details]), () =>
    sensitivePatterns.filter((format) =>
      answerPlaces.some((place) => isRedacted(policy, place, { ...format, from: 0, to: 0 })),
    ),
  );
}

/** Texts to remove from one answer in addition to the formats of the policy. */
export interface AnswerProtection {
  readonly formats: readonly SensitiveFormat[];
  /** Random text in the instructions. An answer that contains it is withheld from that position on. */
  readonly canary: string;
}

/**
 * Redacts sensitive data in a text that arrives in deltas. The joined output equals the redaction of the whole text.
 * Text is emitted at once, except for an end that may be the start of sensitive data.
 */
export class StreamingRedactor {
  readonly #policy: GuardrailPolicy;
  readonly #place: GuardrailPlace;
  readonly #readers: readonly SensitiveReader[];
  readonly #findings = new Map<string, PlacedFinding>();
  /** Code blocks of the emitted text. */
  readonly #fences = new CodeFences();
  readonly #kinds = new Set<string>();
  #context = "";
  #held = "";
  #minLengthToScan = 0;
  /** True after the canary was found. The rest of the answer is then withheld. */
  isWithheld = false;

  /** @param place `tool_call` for the arguments of a tool, otherwise `answer` */
  constructor(
    policy: GuardrailPolicy = defaultGuardrailPolicy,
    protection?: AnswerProtection,
    place: GuardrailPlace = "answer",
  ) {
    const { formats = [], canary = "" } = protection ?? {};
    this.#policy = policy;
    this.#place = place;
    this.#readers = [
      readerFor(policy),
      ...(formats.length > 0 ? [new SensitiveReader(formats.map(compileFormat))] : []),
      ...(canary ? [getReader(canary, () => [compileFormat(canaryFormat(canary))])] : []),
    ];
  }

  /** Maximum score of the data redacted so far, by category and place. */
  get findings(): PlacedFinding[] {
    return [...this.#findings.values()];
  }

  /** Names of the formats that were redacted so far. */
  get rules(): string[] {
    return [...this.#kinds];
  }

  /** Adds a delta and returns the text to emit. Long deltas are scanned in parts, which keeps the cost linear. */
  push(delta: string): string {
    let emitted = "";
    for (let start = 0; start < delta.length; start += MAX_PART_CHARACTERS) {
      this.#held += delta.slice(start, start + MAX_PART_CHARACTERS);
      if (this.#held.length < this.#minLengthToScan) continue;
      const text = this.#context + this.#held;
      emitted += this.#emit(
        text,
        Math.min(...this.#readers.map((reader) => reader.findUnfinished(text, this.#context.length))),
      );
      this.#minLengthToScan = this.#held.length < MAX_RESCANNED_CHARACTERS ? 0 : this.#held.length * 1.25;
    }
    return emitted;
  }

  /**
   * Adds text that only `end` emits. Without streaming, no search for unfinished data is needed.
   * @returns empty text
   */
  hold(text: string): string {
    this.#held += text;
    return "";
  }

  /** Ends the text and returns the held rest, redacted. */
  end(): string {
    const text = this.#context + this.#held;
    return this.#emit(text, text.length);
  }

  /** Returns the spans that the policy redacts where they are, or that are no data of the policy, and records them. */
  #select(found: readonly Span[], text: string, start: number, until: number): Span[] {
    let read = start;
    const readTo = (end: number) => {
      this.#fences.push(text.slice(read, end));
      read = Math.max(read, end);
    };
    const spans = found
      .toSorted((a, b) => a.from - b.from)
      .filter((span) => {
        readTo(span.from);
        const place = placeOfSpan(this.#place, this.#fences);
        const isOfPolicy = policyKinds.has(span.kind);
        if (isOfPolicy && !isRedacted(this.#policy, place, span)) return false;
        const { category, score, kind } = span;
        const key = `${category} ${place}`;
        this.#kinds.add(kind);
        this.#findings.set(key, { category, place, score: Math.max(score, this.#findings.get(key)?.score ?? 0) });
        return true;
      });
    readTo(until);
    return spans;
  }

  /** Returns the held text up to `finished`, redacted. Data that extends beyond `finished` stays held. */
  #emit(text: string, finished: number): string {
    const start = this.#context.length;
    if (finished === start || this.isWithheld) return "";
    const found = this.#readers.flatMap((reader) => reader.findSpans(text, start));
    let until = finished;
    const isCrossing = ({ from, to }: Span) => from < until && to > until;
    for (let span = found.find(isCrossing); span; span = found.find(isCrossing)) until = span.from;
    const spans = this.#select(
      found.filter(({ to }) => to <= until),
      text,
      start,
      until,
    );
    this.#held = text.slice(until);
    this.#context = text.slice(Math.max(0, until - MAX_CONTEXT_CHARACTERS), until);
    const canary = spans.find(({ kind }) => kind === CANARY_KIND);
    if (canary) this.isWithheld = true;
    const end = canary ? canary.from : until;
    return redactSpans(
      text,
      spans.filter(({ to }) => to <= end),
      start,
      end,
    );
  }
}
