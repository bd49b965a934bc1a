import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Tier } from "../api/tiers.ts";
import { findConversation, noteActivity, type StoredConversation } from "../conversations/conversation-store.ts";
import {
  answeredAgainWrite,
  findMessage,
  newMessageWrite,
  type StoredMessage,
} from "../conversations/message-store.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import type { Frame, RunEvent } from "./events.ts";

/** A run: the making of one answer, apart from any connection that shows it. */
export interface StoredRun {
  /** The answer's message id, which is the run's id too. */
  readonly message_id: string;
  readonly conversation_id: string;
  readonly user_message_id: string;
  readonly user_id: string;
  readonly request_id: string;
  readonly parent_id: string | null;
  readonly persona_id: string | null;
  readonly tier: Tier;
  readonly model: string;
  readonly created_at: string;
}

/** How long a run's log is kept, in seconds; run and message stay. */
const logKept = 24 * 3_600;

/**
 * Starts a run: the person's message (unless an earlier one is answered again) and the run, all or nothing, and then
 * the conversation's new activity: in the same transaction it would cost one write unit more, and turns of one
 * conversation would get in each other's way. Where the function dies in between, whoever closes the run catches up.
 * @param first writes that are to be the first to fail, such as the record of an idempotent request
 * @throws ServiceError `not_found` when the conversation is gone
 */
export async function startRun(
  scope: TenantScope,
  turn: { conversation: StoredConversation; question: StoredMessage; isNew: boolean; run: StoredRun },
  first: readonly Write[] = [],
): Promise<void> {
  const { conversation, question, isNew, run } = turn;
  await tenantTable(scope).transact([
    ...first,
    isNew
      ? newMessageWrite(scope, { ...question, reply_id: run.message_id })
      : answeredAgainWrite(scope, question, run.message_id),
    {
      put: { ...keys.run(scope.tenantId, run.message_id), discriminator: "run", timestamp: now(), ...run },
      condition: { where: "attribute_not_exists(#pk)" },
    },
  ]);
  try {
    await noteActivity(scope, conversation, isNew ? 2 : 1, { tier: run.tier });
  } catch (error) {
    // The conversation was deleted at the same moment, and its purge may have looked too early; or the table fails, and
    // a retry must not find recorded what nobody began.
    const written = [
      keys.run(scope.tenantId, run.message_id),
      ...first.flatMap((write) => ("put" in write ? [write.put] : [])),
    ];
    if (isNew) written.push(keys.message(scope.tenantId, conversation.id, question.message_id));
    await tenantTable(scope).deleteMany(written.map(({ pk, sk }) => ({ pk, sk })));
    throw error;
  }
}

/** Notes the activity of a run's beginning, where the function that began it died before it could. */
export async function catchUpActivity(scope: TenantScope, run: StoredRun): Promise<void> {
  const [conversation, question] = await Promise.all([
    findConversation(scope, run.conversation_id),
    findMessage(scope, run.conversation_id, run.user_message_id),
  ]);
  if (!conversation || !question) return;
  const latest = Date.parse(conversation.last_activity_at);
  if (latest >= Date.parse(run.created_at)) return;
  await noteActivity(scope, conversation, Date.parse(question.created_at) > latest ? 2 : 1, { tier: run.tier });
}

/** Removes a run and its answer, where the conversation was deleted before they were whole; `true` where it was. */
export async function removeOrphan(scope: TenantScope, { conversation_id, message_id }: StoredRun): Promise<boolean> {
  if (await findConversation(scope, conversation_id)) return false;
  const left = await tenantTable(scope).query({ pk: keys.run(scope.tenantId, message_id).pk, consistent: true });
  await tenantTable(scope).deleteMany([...left, keys.message(scope.tenantId, conversation_id, message_id)]);
  return true;
}

/** A run, or undefined. */
export async function findRun(scope: TenantScope, messageId: string): Promise<StoredRun | undefined> {
  const item = await tenantTable(scope).get(keys.run(scope.tenantId, messageId), { consistent: true });
  return item as unknown as StoredRun | undefined;
}

/** What is known of a run beyond its log. */
export interface RunControl {
  /** Somebody wants the run to end. */
  readonly stop?: boolean;
  /** Epoch milliseconds until which somebody follows the run through the table. */
  readonly followed_until?: number;
  /** Epoch milliseconds of the last sign of life. */
  readonly alive_at?: number;
  /** Epoch milliseconds until which the run waits for somebody's word; 0 once it does not any more. */
  readonly waits_until?: number;
}

/** What others want of a run. */
export async function readControl(
  scope: TenantScope,
  messageId: string,
  { consistent = false } = {},
): Promise<RunControl> {
  const item = await tenantTable(scope).get(keys.runControl(scope.tenantId, messageId), { consistent });
  return (item ?? {}) as RunControl;
}

/** Lets a run know something; what was said before and is not contradicted stays. */
export async function writeControl(scope: TenantScope, messageId: string, control: RunControl): Promise<void> {
  await tenantTable(scope).write(controlWrite(scope, messageId, control));
}

/** The write that lets a run know something, as a part of a transaction. */
export function controlWrite(scope: TenantScope, messageId: string, control: RunControl): Write {
  return {
    update: keys.runControl(scope.tenantId, messageId),
    set: { ...control, ttl: expiresAfter(logKept) },
    setIfAbsent: { discriminator: "run-control" },
  };
}

/** Text of a piece of an answer is by far the most common event: it is kept as a bare string. */
type PackedFrame = string | RunEvent;

function pack({ event }: Frame): PackedFrame {
  return event.type === "assistant_message" && !event.data.final ? event.data.content : event;
}

function unpack(messageId: string, packed: PackedFrame): RunEvent {
  if (typeof packed !== "string") return packed;
  return { type: "assistant_message", data: { message_id: messageId, content: packed, final: false } };
}

/** Characters from which on a segment is compressed: shorter ones cost one write unit as they are. */
const worthSqueezing = 800;

const squeezed = (text: string) => (text.length > worthSqueezing ? deflateRawSync(text) : text);
const unsqueezed = (kept: unknown) => (kept instanceof Uint8Array ? String(inflateRawSync(kept)) : String(kept));

/** A run's log was continued by somebody else: whoever meant to write has lost the run. */
export class LogTaken extends Error {
  override name = "LogTaken";
}

/**
 * Appends frames to a run's log as one segment. The place of a segment can be taken once only, so of two that both
 * think the run is theirs one is told.
 * @throws LogTaken
 */
export async function appendToLog(scope: TenantScope, messageId: string, frames: readonly Frame[]): Promise<void> {
  const [first] = frames;
  if (!first) return;
  const packed = squeezed(JSON.stringify(frames.map(pack)));
  try {
    await tenantTable(scope).write({
      put: {
        ...keys.runLog(scope.tenantId, messageId, first.seq),
        discriminator: "run-log",
        ttl: expiresAfter(logKept),
        frames: packed,
        written_at: now(),
      },
      condition: {
        // A write whose answer was lost is tried again: the very same segment is no stranger's.
        where: "attribute_not_exists(#pk) OR #frames = :frames",
        values: { frames: packed },
      },
    });
  } catch (error) {
    throw error instanceof ConditionFailed ? new LogTaken("The run's log was continued by somebody else") : error;
  }
}

/** A part of a run's log. */
export interface LogPart {
  readonly frames: readonly Frame[];
  /** Where to read on. */
  readonly position: string | undefined;
}

/** The end of a run's log, as far as it was written. */
export interface LogEnd {
  readonly last: Frame | undefined;
  /** Epoch milliseconds of the last segment's writing; 0 without one. */
  readonly writtenAt: number;
}

const prefix = "log#";

function framesOf(messageId: string, segment: Item): Frame[] {
  const first = Number(segment.sk.slice(prefix.length));
  const packed = JSON.parse(unsqueezed(segment.frames)) as PackedFrame[];
  return packed.map((entry, index) => ({ seq: first + index, event: unpack(messageId, entry) }));
}

/** How far a run's log goes: its last segment, whatever lies before that. */
export async function readLogEnd(scope: TenantScope, messageId: string): Promise<LogEnd> {
  const { pk } = keys.run(scope.tenantId, messageId);
  const [segment] = await tenantTable(scope).query({ pk, prefix, limit: 1, descending: true, consistent: true });
  return {
    last: segment && framesOf(messageId, segment).at(-1),
    writtenAt: Number(segment?.written_at ?? 0),
  };
}

/** A run's log, from the beginning or from where an earlier part ended. */
export async function readLog(scope: TenantScope, messageId: string, position?: string): Promise<LogPart> {
  const { pk } = keys.run(scope.tenantId, messageId);
  const segments = await tenantTable(scope).query({ pk, prefix, after: position, consistent: true });
  return {
    frames: segments.flatMap((segment) => framesOf(messageId, segment)),
    position: segments.at(-1)?.sk ?? position,
  };
}
