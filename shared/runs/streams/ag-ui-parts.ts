import { eventId, type PendingCall } from "../events.ts";
import type { PartWriter } from "./ui-parts.ts";

/**
 * Writer of the events of the Agent-User Interaction protocol. Events without one of their own are `CUSTOM`, with their name. All
 * text of an answer is one message, with the id of the answer, which a client can continue in another stream.
 * @see https://docs.ag-ui.com/concepts/events
 */
export class AgUiParts implements PartWriter {
  seq = 0;
  isWithheld = false;
  readonly end = "";
  readonly #messageId: string;
  readonly #run: { readonly threadId: string; readonly runId: string };
  readonly #parts: object[] = [];
  readonly #startedCalls = new Set<string>();
  #hasOpenText = false;
  #reasoningId: string | null = null;

  /** @param threadId id of the conversation */
  constructor(messageId: string, threadId: string) {
    this.#messageId = messageId;
    this.#run = { threadId, runId: messageId };
    this.#parts.push({ type: "RUN_STARTED", ...this.#run });
  }

  take(): object[] {
    return this.#parts.splice(0);
  }

  text(delta: string): void {
    this.#closeReasoning();
    const messageId = this.#messageId;
    if (!this.#hasOpenText) this.#parts.push({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    this.#hasOpenText = true;
    this.#parts.push({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  }

  reasoning(text: string): void {
    if (this.#reasoningId === null) {
      this.#reasoningId = eventId(this.#messageId, this.seq);
      this.#parts.push({ type: "REASONING_START", messageId: this.#reasoningId });
      this.#parts.push({ type: "REASONING_MESSAGE_START", messageId: this.#reasoningId, role: "reasoning" });
    }
    this.#parts.push({ type: "REASONING_MESSAGE_CONTENT", messageId: this.#reasoningId, delta: `${text}\n\n` });
  }

  close(): void {
    this.#closeReasoning();
    if (this.#hasOpenText) this.#parts.push({ type: "TEXT_MESSAGE_END", messageId: this.#messageId });
    this.#hasOpenText = false;
  }

  /** Writes nothing: the event with the call is `CUSTOM`, and the call starts after the consent. */
  requestConsent(): void {}

  startCall({ call_id: toolCallId, name, input }: PendingCall): void {
    this.#closeReasoning();
    // A call starts again after the user has answered its questions.
    if (this.#startedCalls.has(toolCallId)) return;
    this.#startedCalls.add(toolCallId);
    this.#parts.push({ type: "TOOL_CALL_START", toolCallId, toolCallName: name });
    if (input !== "") this.#parts.push({ type: "TOOL_CALL_ARGS", toolCallId, delta: input });
    this.#parts.push({ type: "TOOL_CALL_END", toolCallId });
  }

  endCall({ call_id: toolCallId, status, result }: Parameters<PartWriter["endCall"]>[0]): void {
    const content = result ?? status;
    this.#parts.push({
      type: "TOOL_CALL_RESULT",
      messageId: `${toolCallId}:result`,
      toolCallId,
      content,
      role: "tool",
    });
  }

  /** Writes nothing: the blocks of the answer, which are `CUSTOM`, have the citations. */
  cite(): void {}

  metadata(event: string, facts: object): void {
    this.data(event, facts);
  }

  data(name: string, value: object): void {
    this.#parts.push({ type: "CUSTOM", name, value });
  }

  finish(): void {
    this.#parts.push({ type: "RUN_FINISHED", ...this.#run });
  }

  fail({ code, message }: { readonly code: string; readonly message: string }): void {
    this.#parts.push({ type: "RUN_ERROR", code, message });
  }

  #closeReasoning(): void {
    const messageId = this.#reasoningId;
    if (messageId === null) return;
    this.#parts.push({ type: "REASONING_MESSAGE_END", messageId }, { type: "REASONING_END", messageId });
    this.#reasoningId = null;
  }
}
