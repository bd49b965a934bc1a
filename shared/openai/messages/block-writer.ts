import type { MessageRequest } from "../../api/openai/message-requests.ts";
import type { ChatToolCallDelta, ChunkChoice } from "../../models/chat-chunk.ts";
import type { Completion } from "../completions/complete.ts";
import type { ContentBlock } from "./message-object.ts";
import { findThinking, showsThinking } from "./thinking.ts";

interface OpenBlock {
  readonly key: string;
  /** Block as `content_block_start` sends it; null for a call whose name has not arrived yet. */
  block: ContentBlock | null;
  /** Deltas that wait until this block is the open one. */
  readonly pending: Readonly<Record<string, unknown>>[];
  isStarted: boolean;
  /**
   * Arguments of a call received so far; for thinking, the name of the provider's field, which becomes the signature.
   */
  json: string;
}

export const formatEvent = (type: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Converts the chunks of one completion to Anthropic's content blocks. Only one block is open at a time, as Anthropic's
 * clients expect. Chunks of parallel calls may alternate, so deltas of later blocks wait until the open block is
 * complete.
 */
export class BlockWriter {
  readonly #request: MessageRequest;
  readonly #completion: Completion;
  /** Blocks that have not ended, in order. Only the first one is sent. */
  #open: OpenBlock[] = [];
  readonly #callIds = new Map<number, string>();
  #endedCount = 0;

  constructor(request: MessageRequest, completion: Completion) {
    this.#request = request;
    this.#completion = completion;
  }

  /** Adds a choice of a chunk and yields its events. */
  *take({ delta }: ChunkChoice): Generator<string, void> {
    const thinking = showsThinking(this.#request) ? findThinking(delta) : null;
    if (thinking) {
      const block = this.#blockOf("thinking", { type: "thinking", thinking: "", signature: "" });
      if (block.json === "") block.json = thinking.field;
      block.pending.push({ type: "thinking_delta", thinking: thinking.text });
    }
    const text = delta.content || delta.refusal;
    if (typeof text === "string" && text) {
      const block = this.#blockOf("text", { type: "text", text: "" });
      block.pending.push({ type: "text_delta", text });
    }
    for (const call of (delta.tool_calls ?? []) as readonly ChatToolCallDelta[]) this.#takeCall(call);
    yield* this.#send(false);
  }

  /** Yields all waiting deltas and ends all blocks. */
  *end(): Generator<string, void> {
    yield* this.#send(true);
  }

  #blockOf(key: string, block: ContentBlock | null): OpenBlock {
    const known = this.#open.find((open) => open.key === key);
    if (known) return known;
    const added: OpenBlock = { key, block, pending: [], isStarted: false, json: "" };
    this.#open.push(added);
    return added;
  }

  #takeCall({ index, id, function: called }: ChatToolCallDelta): void {
    const open = this.#blockOf(`call ${index}`, null);
    if (id) this.#callIds.set(index, id);
    if (called?.name) {
      open.block ??= { type: "tool_use", id: this.#callIds.get(index) ?? "", name: called.name, input: {} };
    }
    if (!called?.arguments) return;
    open.json += called.arguments;
    open.pending.push({ type: "input_json_delta", partial_json: called.arguments });
  }

  *#send(isEnd: boolean): Generator<string, void> {
    for (let open = this.#open[0]; open; open = this.#open[0]) {
      const { block, pending, key } = open;
      const index = this.#endedCount;
      if (block && !open.isStarted) {
        open.isStarted = true;
        yield formatEvent("content_block_start", { index, content_block: block });
      }
      if (block) for (const delta of pending.splice(0)) yield formatEvent("content_block_delta", { index, delta });
      if (!isEnd && (this.#open.length === 1 || !this.#isComplete(open))) return;
      this.#open.shift();
      if (!block) continue;
      if (key === "thinking") {
        const delta = { type: "signature_delta", signature: open.json };
        yield formatEvent("content_block_delta", { index, delta });
      }
      yield formatEvent("content_block_stop", { index });
      this.#endedCount += 1;
    }
  }

  /**
   * Returns true if no more deltas of a block are expected. Called for an open block when deltas of a later block wait.
   */
  #isComplete({ key, json }: OpenBlock): boolean {
    if (key === "text") return !this.#completion.hasHeldText?.();
    return key === "thinking" || isJson(json);
  }
}
