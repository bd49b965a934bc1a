import type { Tier } from "../api/tiers.ts";
import type { Frame } from "../chat/events.ts";
import { expiry, now } from "../clock.ts";
import { notFound } from "../errors.ts";
import { activityWrite, type StoredConversation } from "./conversation-store.ts";
import { keys } from "./keys.ts";
import { newMessageWrite, type StoredMessage } from "./message-store.ts";
import { TransactionFailed } from "./table.ts";
import { type TenantScope, tableOf } from "./tenant-scope.ts";

/** A run: the making of one answer, apart from any connection that shows it. */
export interface StoredRun {
  /** The answer's message id, which is the run's id too. */
  readonly message_id: string;
  readonly conversation_id: string;
  readonly user_message_id: string;
  readonly user_id: string;
  readonly tier: Tier;
  readonly model: string;
  readonly created_at: string;
}

/** How long a run's log is kept, in seconds; the message stays. */
const logKept = 24 * 3_600;

/**
 * Starts a run: the person's message, the run and the conversation's new activity, all or nothing.
 * @throws ServiceError `not_found` when the conversation is gone
 */
export async function startRun(
  scope: TenantScope,
  conversation: StoredConversation,
  userMessage: StoredMessage,
  run: StoredRun,
): Promise<void> {
  try {
    await tableOf(scope).transact([
      activityWrite(scope, conversation, 2, { tier: run.tier }),
      newMessageWrite(scope, { ...userMessage, reply_id: run.message_id }),
      {
        put: {
          ...keys.run(scope.tenantId, run.message_id),
          discriminator: "run",
          timestamp: now(),
          ttl: expiry(logKept),
          ...run,
        },
        condition: { where: "attribute_not_exists(#pk)" },
      },
    ]);
  } catch (error) {
    if (error instanceof TransactionFailed && error.failures[0]) throw notFound();
    throw error;
  }
}

/** Text of a piece of an answer is by far the most common event: it is kept as a bare string. */
type PackedFrame = string | Frame["event"];

function pack({ event }: Frame): PackedFrame {
  return event.type === "assistant_message" && !event.data.final ? event.data.content : event;
}

function unpack(messageId: string, packed: PackedFrame): Frame["event"] {
  if (typeof packed !== "string") return packed;
  return { type: "assistant_message", data: { message_id: messageId, content: packed, final: false } };
}

/** Appends frames to a run's log as one segment; writing a segment again changes nothing. */
export async function appendToLog(scope: TenantScope, messageId: string, frames: readonly Frame[]): Promise<void> {
  const [first] = frames;
  if (!first) return;
  await tableOf(scope).write({
    put: {
      ...keys.runLog(scope.tenantId, messageId, first.seq),
      discriminator: "run-log",
      ttl: expiry(logKept),
      frames: JSON.stringify(frames.map(pack)),
    },
  });
}

/** Frames of a run from segment to segment, from the one that holds `afterSeq + 1` on. */
export async function readLog(scope: TenantScope, messageId: string, afterSeq: number): Promise<Frame[]> {
  const { pk } = keys.run(scope.tenantId, messageId);
  const segments = await tableOf(scope).query({ pk, prefix: "log#", consistent: true });
  return segments
    .flatMap((segment) => {
      const first = Number(segment.sk.slice("log#".length));
      const packed = JSON.parse(segment.frames as string) as PackedFrame[];
      return packed.map((entry, index) => ({ seq: first + index, event: unpack(messageId, entry) }));
    })
    .filter(({ seq }) => seq > afterSeq);
}

/** A run, or undefined where there is none or its time is over. */
export async function findRun(scope: TenantScope, messageId: string): Promise<StoredRun | undefined> {
  const item = await tableOf(scope).get(keys.run(scope.tenantId, messageId), { consistent: true });
  return item as unknown as StoredRun | undefined;
}
