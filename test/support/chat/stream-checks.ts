import { createParser } from "eventsource-parser";

/** Part of a stream for user interfaces: a part of the AI SDK, or an event of AG-UI. */
export interface UiPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Returns the parts of a stream as a client reads them, without its end `[DONE]`. */
export function readUiParts(text: string): UiPart[] {
  const parts: UiPart[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]") parts.push(JSON.parse(data));
    },
  });
  parser.feed(text);
  return parts;
}

/** Throws unless a condition holds. */
function check(condition: boolean, part: UiPart, reason: string): void {
  if (!condition) throw new Error(`${JSON.stringify(part)}: ${reason}`);
}

/**
 * Checks that the parts of one stream follow the rules of the AI SDK's UI message stream.
 * @param isFirst false for a stream that continues another one
 */
export function checkAiSdkParts(parts: readonly UiPart[], { isFirst = true, isFinished = true } = {}): void {
  const open = new Set<unknown>();
  const calls = new Set<unknown>();
  let isEnded = false;
  for (const [index, part] of parts.entries()) {
    const { type, id, toolCallId } = part;
    check(!isEnded, part, "follows the end");
    check((type === "start") === (isFirst && index === 0), part, "the first stream begins with its only start");
    const [kind, action] = type.split("-");
    if (kind === "text" || kind === "reasoning") {
      check(action === "start" ? !open.has(`${kind}-${id}`) : open.has(`${kind}-${id}`), part, "is in the wrong order");
      if (action === "start") open.add(`${kind}-${id}`);
      if (action === "end") open.delete(`${kind}-${id}`);
      if (action === "delta") check(part.delta !== "", part, "is empty");
    }
    if (type === "tool-input-available") calls.add(toolCallId);
    if (type.startsWith("tool-")) check(calls.has(toolCallId), part, "has no call");
    isEnded = type === "finish" || type === "error";
    if (isEnded) check(open.size === 0, part, "has open parts");
  }
  if (isEnded !== isFinished) throw new Error(`The stream is ${isEnded ? "" : "not "}finished`);
}

/** Checks that the events of one stream follow the rules of AG-UI. */
export function checkAgUiEvents(events: readonly UiPart[], { isFinished = true } = {}): void {
  const open = new Set<string>();
  let isEnded = false;
  for (const [index, event] of events.entries()) {
    const { type, messageId, toolCallId } = event;
    check(!isEnded, event, "follows the end");
    check((type === "RUN_STARTED") === (index === 0), event, "the stream begins with its only RUN_STARTED");
    const [, name = "", action = ""] = /^(TEXT_MESSAGE|REASONING_MESSAGE|REASONING|TOOL_CALL)_(\w+)$/.exec(type) ?? [];
    const key = `${name} ${messageId ?? toolCallId}`;
    if (action === "START") {
      check(!open.has(key), event, "is open");
      open.add(key);
    } else if (action !== "" && action !== "RESULT") {
      check(open.has(key), event, "is not open");
      if (action === "END") open.delete(key);
    }
    if (action === "CONTENT" || action === "ARGS") check(event.delta !== "", event, "is empty");
    isEnded = type === "RUN_FINISHED" || type === "RUN_ERROR";
    if (isEnded) check(open.size === 0, event, "has open parts");
  }
  if (isEnded !== isFinished) throw new Error(`The run is ${isEnded ? "" : "not "}finished`);
}
