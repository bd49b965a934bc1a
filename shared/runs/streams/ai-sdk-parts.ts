import { parseJson } from "../../lib/parse-json.ts";
import type { PendingCall } from "../events.ts";
import type { PartWriter } from "./ui-parts.ts";

/** Returns the arguments of a call; their text if they are truncated. */
const toInput = (text: string): unknown => parseJson(text) ?? text;

/**
 * Writer of the UI message stream of the AI SDK. Events without a part of their own are `data-<event>`.
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
export class AiSdkParts implements PartWriter {
  seq = 0;
  isWithheld = false;
  readonly end = "data: [DONE]\n\n";
  readonly #isVersion5: boolean;
  readonly #parts: object[] = [];
  #open: { readonly kind: "text" | "reasoning"; readonly id: string } | null = null;
  /** Calls without a result. */
  readonly #openCalls = new Map<string, "awaited" | "started">();

  /**
   * @param start false for a stream that continues a message: at a second `start`, version 7 drops the parts before it
   * @param isVersion5 true to leave out what version 5 refuses: requests for approval, and in its first releases titles of
   * calls and the reason of the end
   */
  constructor(messageId: string, start: boolean, isVersion5: boolean) {
    this.#isVersion5 = isVersion5;
    if (start) this.#parts.push({ type: "start", messageId });
  }

  take(): object[] {
    return this.#parts.splice(0);
  }

  text(delta: string): void {
    this.#append("text", delta);
  }

  reasoning(text: string): void {
    this.#append("reasoning", `${text}\n\n`);
  }

  close(): void {
    if (this.#open) this.#parts.push({ type: `${this.#open.kind}-end`, id: this.#open.id });
    this.#open = null;
  }

  requestConsent(approvalId: string, call: PendingCall): void {
    if (this.#isVersion5) return;
    this.startCall(call);
    this.#parts.push({ type: "tool-approval-request", approvalId, toolCallId: call.call_id });
    this.#openCalls.set(call.call_id, "awaited");
  }

  startCall({ call_id: toolCallId, name, title, input }: PendingCall): void {
    this.close();
    this.#openCalls.set(toolCallId, "started");
    this.#parts.push({
      type: "tool-input-available",
      toolCallId,
      toolName: name,
      ...(!this.#isVersion5 && { title }),
      input: toInput(input),
      // The page need not know the tool, and does not execute it.
      ...{ dynamic: true, providerExecuted: true },
    });
  }

  endCall(call: Parameters<PartWriter["endCall"]>[0]): void {
    // The call can have started in a stream before this one, and a part without its start is an error.
    this.startCall(call);
    this.#openCalls.delete(call.call_id);
    const { status, result } = call;
    if (status === "done") this.#output(call.call_id, result ?? null);
    else this.#outputError(call.call_id, result ?? status);
  }

  cite({ index, title, uri, quote }: Parameters<PartWriter["cite"]>[0]): void {
    const source = { sourceId: String(index), title, providerMetadata: { switchboard: { quote } } };
    const isWeb = uri !== null && /^https?:\/\//i.test(uri);
    this.#parts.push(
      isWeb
        ? { type: "source-url", ...source, url: uri }
        : { type: "source-document", ...source, mediaType: "text/plain" },
    );
  }

  metadata(_: string, messageMetadata: object): void {
    this.#parts.push({ type: "message-metadata", messageMetadata });
  }

  data(event: string, data: object, { isTransient = false } = {}): void {
    this.#parts.push({ type: `data-${event}`, data, ...(isTransient && { transient: true }) });
  }

  finish(finishReason: string): void {
    for (const [toolCallId, state] of this.#openCalls) {
      // A call that was not executed was denied, has expired, or was stopped with the answer.
      if (state === "awaited") this.#parts.push({ type: "tool-output-denied", toolCallId });
      else if (finishReason === "stop") this.#output(toolCallId, null);
      else this.#outputError(toolCallId, "interrupted");
    }
    this.#parts.push({ type: "finish", ...(!this.#isVersion5 && { finishReason }) });
  }

  fail({ message }: { readonly message: string }): void {
    this.#parts.push({ type: "error", errorText: message });
  }

  /** Adds the result of a call. Those of built-in tools are not shown. */
  #output(toolCallId: string, output: string | null): void {
    this.#parts.push({ type: "tool-output-available", toolCallId, output, dynamic: true, providerExecuted: true });
  }

  #outputError(toolCallId: string, errorText: string): void {
    this.#parts.push({ type: "tool-output-error", toolCallId, errorText, dynamic: true, providerExecuted: true });
  }

  /** Adds text to the open part of a kind, or to a new one. */
  #append(kind: "text" | "reasoning", delta: string): void {
    if (this.#open?.kind !== kind) {
      this.close();
      this.#open = { kind, id: `${kind}-${this.seq}` };
      this.#parts.push({ type: `${kind}-start`, id: this.#open.id });
    }
    this.#parts.push({ type: `${kind}-delta`, id: this.#open.id, delta });
  }
}
