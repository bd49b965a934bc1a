import type { StreamMediaType } from "../../api/conversations/stream-media-types.ts";
import {
  type ConnectionEvent,
  type Frame,
  formatConnectionEvent,
  formatFrame,
  frameId,
  isTerminal,
  type PublicEvent,
  type RunEvent,
} from "../events.ts";
import { AgUiParts } from "./ag-ui-parts.ts";
import { AiSdkParts } from "./ai-sdk-parts.ts";
import { type PartWriter, writeParts } from "./ui-parts.ts";

/** Text of the events of one stream. */
interface FrameFormat {
  frame(frame: Frame<RunEvent | PublicEvent>): string;
  connectionEvent(event: ConnectionEvent): string;
}

export interface StreamStart {
  readonly messageId: string;
  /** Id of the conversation for the client. */
  readonly threadId: string;
  /** `seq` of the last frame that the client has received; 0 for none. */
  readonly afterSeq: number;
}

const toLines = (part: object) => `data: ${JSON.stringify(part)}\n\n`;

/** Writes events as the parts of a protocol. The last part of an event has its id, from which a client can resume. */
function partsFormat({ messageId }: StreamStart, writer: PartWriter): FrameFormat {
  return {
    frame(frame) {
      writer.seq = frame.seq;
      writeParts(frame.event, writer);
      const lines = writer.take().map(toLines);
      const id = `id: ${frameId(messageId, frame)}\n`;
      const last = lines.pop() ?? "\n";
      return lines.join("") + id + last + (isTerminal(frame.event) ? writer.end : "");
    },
    connectionEvent(event) {
      writeParts(event, writer);
      return writer.take().map(toLines).join("");
    },
  };
}

const aiSdkFormat = (start: StreamStart, isVersion5: boolean) =>
  partsFormat(start, new AiSdkParts(start.messageId, start.afterSeq === 0, isVersion5));

/** Formats of a run's stream by media type. */
const formats: Readonly<Record<StreamMediaType, (start: StreamStart) => FrameFormat>> = {
  "text/event-stream": ({ messageId }) => ({
    frame: (frame) => formatFrame(messageId, frame),
    connectionEvent: formatConnectionEvent,
  }),
  "text/event-stream;protocol=ai-sdk": (start) => aiSdkFormat(start, false),
  "text/event-stream;protocol=ai-sdk-5": (start) => aiSdkFormat(start, true),
  "text/event-stream;protocol=ag-ui": (start) => partsFormat(start, new AgUiParts(start.messageId, start.threadId)),
};

/** Returns the format of a stream that starts after a frame. */
export const streamFormat = (mediaType: StreamMediaType, start: StreamStart): FrameFormat => formats[mediaType](start);

/** Returns the headers of a stream by which clients recognize its protocol. */
export const streamHeaders = (mediaType: StreamMediaType): Readonly<Record<string, string>> =>
  mediaType.includes("ai-sdk") ? { "x-vercel-ai-ui-message-stream": "v1" } : {};
