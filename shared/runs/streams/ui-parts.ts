import type { Block } from "../../api/blocks.ts";
import type { EmbedBlock } from "../../api/embed/embed-message.ts";
import type { ConnectionEvent, PendingCall, PublicEvent, RunEvent, RunPayloads } from "../events.ts";

/** Event that a stream carries. */
export type StreamEvent = RunEvent | PublicEvent | ConnectionEvent;

/** Title of the steps that show a model's reasoning. */
export const REASONING_TITLE = "Reasoning";

type AnswerBlock = Block | EmbedBlock;

/**
 * Writer of the parts that a user interface shows. Each protocol for user interfaces has one, which opens and closes what the
 * protocol needs. A writer knows only its own stream: after a lost connection, the next stream has another one.
 */
export interface PartWriter {
  /** Position of the event that is being written. */
  seq: number;
  /** True after a check has withheld the answer, until text follows. */
  isWithheld: boolean;
  /** Text at the end of a finished stream. */
  readonly end: string;
  /** Returns the parts that were written since the last call. */
  take(): object[];
  text(delta: string): void;
  reasoning(text: string): void;
  /** Closes open text and reasoning. */
  close(): void;
  requestConsent(approvalId: string, call: PendingCall): void;
  startCall(call: PendingCall): void;
  endCall(call: RunPayloads["tool_call"]): void;
  cite(citation: Extract<AnswerBlock, { type: "citation" }>): void;
  /** Writes facts about the answer. */
  metadata(event: string, facts: object): void;
  /** Writes an event that has no part of its own, with the payload of its frame. */
  data(event: string, payload: object, options?: { readonly isTransient?: boolean }): void;
  finish(reason: "stop" | "length" | "other"): void;
  fail(error: RunPayloads["error"]): void;
}

type Rows = {
  readonly [Type in StreamEvent["type"]]: (event: Extract<StreamEvent, { type: Type }>, to: PartWriter) => void;
};

/** Writes an event about the connection, after which the client continues in another stream. */
const endConnection = ({ type, data }: ConnectionEvent, to: PartWriter): void => {
  to.close();
  to.data(type, data, { isTransient: true });
};

/** Writes the text of an answer that replaces what was withheld after a part of it had been sent. */
function writeReplacement(content: readonly AnswerBlock[], to: PartWriter): void {
  for (const block of content) if (block.type === "text") to.text(block.text);
}

/** Parts of each event, in all protocols for user interfaces. */
const rows: Rows = {
  metadata: ({ type, data }, to) => to.metadata(type, data),
  preflight_warning({ type, data, call }, to) {
    to.data(type, call ? { ...data, call } : data);
    if (call && data.approval_id !== undefined) to.requestConsent(data.approval_id, call);
  },
  guardrail_result({ type, data }, to) {
    to.data(type, data);
    to.isWithheld = data.stage === "output" && data.action === "block";
  },
  thinking_step({ type, data, call }, to) {
    if (data.title === REASONING_TITLE) to.reasoning(data.detail);
    else to.data(type, data);
    if (call) to.startCall(call);
  },
  thinking_complete: ({ type, data }, to) => to.data(type, data, { isTransient: true }),
  tool_call({ data }, to) {
    // A call that was declined has not started, and counts as denied at the end.
    if (data.status === "running") to.startCall(data);
    else if (data.status !== "declined") to.endCall(data);
  },
  tool_card: ({ type, data }, to) => to.data(type, data),
  search_transparency: ({ type, data }, to) => to.data(type, data),
  assistant_message({ type, data }, to) {
    if (!data.final) {
      to.isWithheld = false;
      // The first event that visitors receive has no text.
      if (data.content !== "") to.text(data.content);
      return;
    }
    if (to.isWithheld) writeReplacement(data.content, to);
    to.close();
    for (const block of data.content) if (block.type === "citation") to.cite(block);
    to.data(type, data);
  },
  memory_proposal: ({ type, data }, to) => to.data(type, data),
  phase_latency: ({ type, data }, to) => to.data(type, data, { isTransient: true }),
  swtoken_update: ({ type, data }, to) => to.metadata(type, { usage: data }),
  execution_trace: ({ type, data }, to) => to.data(type, data, { isTransient: true }),
  done({ data }, to) {
    to.close();
    to.finish(data.finish_reason ?? "stop");
  },
  interrupted({ type, data }, to) {
    to.close();
    to.data(type, data);
    to.finish(data.reason === "length" ? "length" : "other");
  },
  error({ type, data }, to) {
    to.close();
    to.data(type, data);
    to.fail(data);
  },
  token_expired: endConnection,
  stream_expired: endConnection,
  reconnect: endConnection,
};

/** Writes an event as parts. */
export function writeParts(event: StreamEvent, to: PartWriter): void {
  const write = rows[event.type] as (event: StreamEvent, to: PartWriter) => void;
  write(event, to);
}
