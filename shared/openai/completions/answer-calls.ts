import type { GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { newId } from "../../lib/ids.ts";
import { RedactedArguments } from "../redacted-arguments.ts";
import { mergeDelta } from "./merge-delta.ts";

/** Tool call of an answer, complete or as one delta of a stream. */
interface PartialCall {
  readonly index?: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  /** Call of a custom tool, whose input is text instead of JSON. */
  readonly custom?: { readonly name?: string; readonly input?: string };
}

/** Returns the arguments or the input text of a call; undefined if it has neither yet. */
const payloadOf = ({ function: called, custom }: PartialCall): string | undefined => called?.arguments ?? custom?.input;

/** Returns the fields of a call that contain its arguments or its input text, with `payload` as their new value. */
const withPayload = ({ function: called, custom }: PartialCall, payload: string) =>
  custom ? { custom: { ...custom, input: payload } } : { function: { ...called, arguments: payload } };

/**
 * Returns true if a delta starts a new call although it has the index of `call`, as some providers send it. An id
 * without a name does not start a call, because some providers send a random id with each delta.
 */
const startsAnotherCall = (call: PartialCall | undefined, { id, function: called, custom }: PartialCall) =>
  Boolean(id && call?.id && id !== call.id && (called?.name || custom?.name));

/** Converts arguments that a provider sends as an object to JSON text, and null to an empty text. */
function withTextArguments(call: PartialCall): PartialCall {
  const { arguments: value } = (call.function ?? {}) as { arguments?: unknown };
  if (value === undefined || typeof value === "string") return call;
  return { ...call, function: { ...call.function, arguments: value === null ? "" : JSON.stringify(value) } };
}

/** Returns the first delta of a call with an id, which some providers omit: clients need it to send the result. */
const withId = (call: PartialCall): PartialCall => (call.id ? call : { ...call, id: `call_${newId()}` });

/** Collects the tool calls of an answer and redacts their arguments. */
export class AnswerCalls {
  readonly #policy: GuardrailPolicy | null;
  readonly #calls: PartialCall[] = [];
  /** Positions in `#calls`, by the index that the provider sends with a call. */
  readonly #positions = new Map<number, number>();
  readonly #payloads: RedactedArguments[] = [];
  readonly #sentIds = new Set<string>();

  /** @param policy policy of the redaction; null for calls that the caller does not receive, which are not redacted */
  constructor(policy: GuardrailPolicy | null) {
    this.#policy = policy;
  }

  get length(): number {
    return this.#calls.length;
  }

  /** Arguments and input texts of all calls received so far. */
  get text(): string {
    return this.#calls.map((call) => payloadOf(call) ?? "").join("");
  }

  /** Findings that were redacted so far. */
  get findings() {
    return this.#payloads.flatMap(({ findings }) => findings);
  }

  /**
   * Adds the deltas of a chunk and returns the deltas to send, grouped by call, because some clients read only one call
   * of a chunk. When a new call starts, the held-back rest of complete calls is sent first, because some clients append
   * arguments to the latest call and ignore the index.
   */
  take(received: readonly PartialCall[]): PartialCall[][] {
    const deltas = received.flatMap((delta) => {
      const known = this.#calls.length;
      const sent = this.#takeOne(withTextArguments(delta));
      return this.#calls.length > known ? [...this.#endComplete(known), sent] : [sent];
    });
    const lists: PartialCall[][] = [];
    for (const delta of deltas) {
      if (!this.#isNews(delta)) continue;
      const last = lists.at(-1);
      if (last && last[0]?.index === delta.index) last.push(delta);
      else lists.push([delta]);
    }
    return lists;
  }

  /**
   * Returns true if a delta contains a new id, a name or a payload. All others are not sent, because some clients start
   * another call for an empty delta.
   */
  #isNews({ id, function: called, custom }: PartialCall): boolean {
    const isNewId = id !== undefined && id !== null && !this.#sentIds.has(id);
    if (isNewId) this.#sentIds.add(id);
    return isNewId || Boolean(called?.name || called?.arguments || custom?.name || custom?.input);
  }

  #takeOne(received: PartialCall): PartialCall {
    const index = this.#positionOf(received);
    const delta = this.#calls[index] ? received : withId(received);
    const call = mergeDelta(this.#calls[index] ?? {}, delta) as PartialCall;
    const typed = call.id && call.function && call.type === undefined ? { ...call, type: "function" } : call;
    this.#calls[index] = typed;
    const added = payloadOf(delta);
    if (typeof added !== "string" || !this.#policy) return { ...delta, index };
    this.#payloads[index] ??= new RedactedArguments(this.#policy, { isJson: !call.custom });
    const emitted = this.#payloads[index].push(added);
    this.#setPayload(index, this.#payloads[index].text);
    return { ...delta, ...withPayload(delta, emitted), index };
  }

  /**
   * Ends the payloads of those of the first `count` calls that are complete JSON, and returns deltas with their
   * held-back rest.
   */
  #endComplete(count: number): PartialCall[] {
    return this.#payloads.slice(0, count).flatMap((payload, index) => {
      const rest = payload?.endIfComplete() ?? "";
      if (rest === "") return [];
      this.#setPayload(index, payload.text);
      return [{ index, function: { arguments: rest } }];
    });
  }

  #positionOf(delta: PartialCall): number {
    const next = this.#calls.length;
    // Some providers omit the index of a call; another id then starts a new one.
    if (typeof delta.index !== "number") {
      const isNew = delta.id !== undefined && delta.id !== this.#calls[next - 1]?.id;
      return isNew || next === 0 ? next : next - 1;
    }
    const position = this.#positions.get(delta.index);
    if (position !== undefined && !startsAnotherCall(this.#calls[position], delta)) return position;
    this.#positions.set(delta.index, next);
    return next;
  }

  #setPayload(index: number, payload: string): void {
    const call = this.#calls[index] ?? {};
    this.#calls[index] = { ...call, ...withPayload(call, payload) };
  }

  /**
   * Ends all calls, and returns deltas with the rest that was held back by the redaction.
   * @param isCut true if the answer ended early; otherwise a function call without arguments gets an empty object
   */
  end(isCut: boolean): PartialCall[] {
    const held = this.#payloads.flatMap((payload, index) => {
      const rest = payload.end();
      if (!rest) return [];
      this.#setPayload(index, payload.text);
      return [{ index, ...withPayload(this.#calls[index]?.custom ? { custom: {} } : {}, rest) }];
    });
    if (isCut) return held;
    const filled = this.#calls.flatMap((call, index) => {
      if (!call.function || call.function.arguments) return [];
      this.#setPayload(index, "{}");
      return [{ index, function: { arguments: "{}" } }];
    });
    return [...held, ...filled];
  }

  clear(): void {
    this.#calls.length = this.#payloads.length = 0;
  }

  list(): object[] {
    return this.#calls.map(({ index: _, ...call }) => call);
  }
}
