import * as v from "valibot";
import { sha256 } from "../../lib/hash.ts";
import { ToolServerError } from "../tool-server-error.ts";
import type { CallResumption } from "./mcp-target.ts";
import { type CallResult, type RpcMessage, rpcCodes } from "./protocol.ts";

const STATE_PREFIX = "call:";

/**
 * Stream of a call that waits for a user's answer. The server resumes it when a client names the last event that it has
 * received.
 */
const WaitingStream = v.object({
  version: v.string(),
  session: v.string(),
  call_id: v.number(),
  last_event_id: v.string(),
  request_id: v.union([v.string(), v.number()]),
});
export type WaitingStream = v.InferOutput<typeof WaitingStream>;

/** State of a call that a question of its server has interrupted, in the protocol revisions with sessions. */
const CallState = v.object({
  /** Answers to earlier questions of the call, by the question's key. */
  answers: v.record(v.string(), v.looseObject({ action: v.string() })),
  /** Null if the call has ended and must be repeated with the answers. */
  stream: v.nullable(WaitingStream),
});
type CallState = v.InferOutput<typeof CallState>;

function parseState({ requestState = "", inputResponses }: CallResumption): CallState | null {
  if (!requestState.startsWith(STATE_PREFIX)) return null;
  const state = v.parse(CallState, JSON.parse(requestState.slice(STATE_PREFIX.length)));
  return { ...state, answers: { ...state.answers, ...(inputResponses as CallState["answers"]) } };
}

/** Thrown to stop reading a stream that is resumed after the user's answer. */
export class QuestionAsked extends ToolServerError {}

const UrlElicitations = v.object({
  elicitations: v.pipe(v.array(v.looseObject({ mode: v.literal("url") })), v.minLength(1)),
});

/**
 * Returns the key of a question: a hash of its content, because a repeated call asks the same question with another id.
 */
const keyOf = (params: unknown) => sha256(JSON.stringify(params) ?? "").slice(0, 22);

const cancel = { action: "cancel" };

/**
 * Questions of a server during one call, in the protocol revisions with sessions, where they are requests on the call's
 * stream. The user answers later, in another function. If the stream can be resumed, the call then continues.
 * Otherwise, the question is answered with `cancel`, and the call is repeated with the user's answer.
 */
export class CallQuestions {
  readonly #state: CallState;
  #asked: Record<string, unknown> = {};
  #stream: WaitingStream | null = null;

  private constructor(state: CallState) {
    this.#state = state;
  }

  /**
   * Creates the questions of a call.
   * @returns null if no user can answer, and if the call resumes one of a server without sessions
   */
  static of({ canAsk, resumption }: { canAsk?: boolean | undefined; resumption?: CallResumption | undefined }) {
    const state = resumption ? parseState(resumption) : { answers: {}, stream: null };
    return canAsk && state ? new CallQuestions(state) : null;
  }

  /** Stream to resume with the answers; null if the call is sent, for the first time or again. */
  get waitingStream(): WaitingStream | null {
    return this.#state.stream;
  }

  /** Answer with which the waiting stream continues. */
  get lastAnswer(): object {
    return Object.values(this.#state.answers).at(-1) ?? cancel;
  }

  /**
   * Returns the user's answer to a question if it is known; otherwise notes the question and returns `cancel`.
   * @param stream position from which the call can be resumed; null if it cannot
   * @throws QuestionAsked for an unanswered question if the call can be resumed
   */
  answer({ params }: RpcMessage, stream: WaitingStream | null): object {
    const key = keyOf(params);
    const known = this.#state.answers[key];
    if (known) return known;
    this.#asked[key] = { method: "elicitation/create", params };
    this.#stream = stream;
    if (stream) throw new QuestionAsked("The server asks a question.");
    return cancel;
  }

  /** Notes the URLs that a server wants the user to open before the call is repeated (error -32042). */
  addFromError(error: unknown): void {
    if (!(error instanceof ToolServerError) || error.rpcCode !== rpcCodes.urlElicitationRequired) return;
    const parsed = v.safeParse(UrlElicitations, error.rpcData);
    for (const params of parsed.success ? parsed.output.elicitations : []) {
      const key = keyOf(params);
      // A server that the user has not left repeats the error, and is asked about again; one that was refused fails.
      const isRefused = (this.#state.answers[key] ?? { action: "accept" }).action !== "accept";
      if (!isRefused) this.#asked[key] = { method: "elicitation/create", params };
    }
  }

  /** Returns the noted questions in the form of the protocol revision without sessions; null if there are none. */
  toResult(): CallResult | null {
    if (Object.keys(this.#asked).length === 0) return null;
    const state: CallState = { answers: this.#state.answers, stream: this.#stream };
    return {
      content: [],
      isError: false,
      resultType: "input_required",
      inputRequests: this.#asked,
      requestState: STATE_PREFIX + JSON.stringify(state),
    };
  }
}
