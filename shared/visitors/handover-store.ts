import * as v from "valibot";
import { VisitorEntries } from "../api/embed/visitor-form.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import {
  absent,
  allOf,
  anyOf,
  atMost,
  type Condition,
  ConditionFailed,
  equals,
  exists,
  type Item,
  type Write,
} from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, requireFound, ServiceError } from "../lib/errors.ts";
import { truncate } from "../lib/truncate.ts";
import type { StoredEmbedSession } from "./embed-session-store.ts";
import { isOpenAt } from "./opening-hours.ts";

const StoredHandover = v.object({
  conversation_id: v.string(),
  key_id: v.string(),
  /** Name of the embed key at the request. */
  site: v.string(),
  persona_id: v.nullable(v.string()),
  status: v.picklist(["waiting", "claimed", "returned", "closed"]),
  reason: v.picklist(["visitor", "assistant", "word", "unanswered"]),
  question: v.optional(v.string(), ""),
  visitor: v.nullable(v.object({ id: v.string(), email: v.nullable(v.string()) })),
  form: v.nullable(VisitorEntries),
  contact_email: v.optional(v.nullable(v.string()), null),
  person_id: v.optional(v.nullable(v.string()), null),
  person_name: v.optional(v.nullable(v.string()), null),
  note: v.optional(v.string(), ""),
  outcome: v.optional(v.nullable(v.string()), null),
  last_message_id: v.optional(v.nullable(v.string()), null),
  /** Epoch milliseconds until which the visitor sees that the person is typing. */
  typing_until: v.optional(v.number(), 0),
  /** Session at the request. */
  session: v.object({ created_at: v.string(), messages_sent: v.number() }),
  requested_at: v.string(),
  /** ISO 8601. From then on, a session that still waits is with the assistant. */
  waits_until: v.string(),
  claimed_at: v.optional(v.nullable(v.string()), null),
  ended_at: v.optional(v.nullable(v.string()), null),
});
/** Latest hand-over of a visitor's session to a person. */
export type StoredHandover = v.InferOutput<typeof StoredHandover>;

export const readHandover = itemReader(StoredHandover);

/** Maximum length of the visitor's latest message in the list, in UTF-16 code units. */
export const MAX_QUESTION_LENGTH = 200;

export const toHandoverKey = (scope: TenantScope, conversationId: string) =>
  keys.handover(scope.tenantId, conversationId);

/** Tells whether the visitor has waited until the end of the time for it, without an answer of a person. */
export const isMissed = ({ status, waits_until }: StoredHandover): boolean =>
  status === "waiting" && Date.parse(waits_until) <= now();

/** Tells whether a session is not with the assistant, so that messages of its visitor are stored for a person. */
export const isHeld = (handover: StoredHandover | undefined): handover is StoredHandover =>
  handover !== undefined && (handover.status === "claimed" || (handover.status === "waiting" && !isMissed(handover)));

/** Condition that a session is with the assistant. */
const withAssistant = (onConditionFailed?: Condition["onConditionFailed"]) =>
  anyOf(
    [
      absent(),
      equals({ status: "returned" }),
      equals({ status: "closed" }),
      allOf([equals({ status: "waiting" }), atMost({ waits_until: timestamp() })]),
    ],
    onConditionFailed,
  );

/** Thrown if a session was handed over while a message of its visitor was on the way to the assistant, or was returned on the way to a person. */
export class HandoverChanged extends Error {}

/** Returns the check, for the transaction that starts an answer, that the session is with the assistant. It throws `HandoverChanged`. */
export const withAssistantCheck = (scope: TenantScope, { conversation_id }: StoredEmbedSession): Write => ({
  check: toHandoverKey(scope, conversation_id),
  condition: withAssistant(() => new HandoverChanged()),
});

export async function findHandover(
  scope: TenantScope,
  conversationId: string,
  { consistent = true } = {},
): Promise<StoredHandover | undefined> {
  const item = await tenantTable(scope).get(toHandoverKey(scope, conversationId), { consistent });
  return item && readHandover(item);
}

/** Returns the latest hand-over of each of the sessions that has one, by id of its conversation. */
export async function findHandovers(
  scope: TenantScope,
  conversationIds: readonly string[],
): Promise<ReadonlyMap<string, StoredHandover>> {
  const handoverKeys = conversationIds.map((id) => toHandoverKey(scope, id));
  const items = await batchGetAll(tenantTable(scope), handoverKeys);
  return new Map(items.map(readHandover).map((handover) => [handover.conversation_id, handover]));
}

/** @throws ServiceError `not_found` */
export const getHandover = async (scope: TenantScope, conversationId: string): Promise<StoredHandover> =>
  requireFound(await findHandover(scope, conversationId));

/** Lists the sessions that wait for a person or are with one, oldest request first. @throws ServiceError `invalid_cursor` */
export async function listOpenHandovers(scope: TenantScope, request: PageRequest): Promise<Page<StoredHandover>> {
  const { gsi1pk: pk } = indexKeys.openHandover(scope.tenantId, "", "");
  return mapPage(await listPage(scope, { list: "handovers", filters: {}, index: "gsi1", pk }, request), readHandover);
}

/** Number of open hand-overs that are read to find a place in the queue. */
const MAX_QUEUE = 50;

/** Returns the place of a waiting session in the queue of its website, from 1; null beyond the first 50 of the tenant. */
export async function findPlace(scope: TenantScope, handover: StoredHandover): Promise<number | null> {
  const { entries } = await listOpenHandovers(scope, { limit: MAX_QUEUE });
  const queue = entries.filter(
    (each) => each.key_id === handover.key_id && each.status === "waiting" && !isMissed(each),
  );
  const index = queue.findIndex(({ conversation_id }) => conversation_id === handover.conversation_id);
  return index === -1 ? null : index + 1;
}

type HandoverReason = StoredHandover["reason"];

/**
 * Asks for a person. Outside of the opening hours, the hand-over is missed at once. Does nothing if the session waits or is with a
 * person already.
 * @throws ServiceError `forbidden` if the embed key has no `handover`
 */
export async function requestHandover(
  scope: TenantScope,
  { id: key_id, name: site, handover: settings }: Pick<EmbedKey, "id" | "name" | "handover">,
  { conversation_id, persona_id, visitor, form, created_at, messages_sent, deleted_at }: StoredEmbedSession,
  { reason, question }: { readonly reason: HandoverReason; readonly question?: string },
): Promise<StoredHandover> {
  if (!settings) throw new ServiceError("forbidden", "Persons do not answer visitors of this website.");
  const requested_at = timestamp();
  const waitMs = isOpenAt(settings.hours, now()) ? settings.wait_minutes * 60_000 : 0;
  const update: Write = {
    update: toHandoverKey(scope, conversation_id),
    set: {
      ...indexKeys.openHandover(scope.tenantId, requested_at, conversation_id),
      discriminator: "handover",
      timestamp: now(),
      ttl: Math.ceil(Date.parse(deleted_at) / 1_000),
      ...{ conversation_id, key_id, site, persona_id, status: "waiting", reason, requested_at },
      waits_until: timestamp(now() + waitMs),
      session: { created_at, messages_sent },
      form,
      visitor: visitor && { id: visitor.sub, email: visitor.email },
      ...(question !== undefined && { question: truncate(question, MAX_QUESTION_LENGTH) }),
      ...{ person_id: null, person_name: null, claimed_at: null, ended_at: null, outcome: null },
    },
    condition: withAssistant(),
  };
  try {
    return readHandover((await tenantTable(scope).write(update)) as Item);
  } catch (error) {
    if (error instanceof ConditionFailed && error.item) return readHandover(error.item);
    throw error;
  }
}

/** Stores the address that a visitor leaves for an answer. @throws ServiceError `not_found` */
export async function setContact(
  scope: TenantScope,
  conversationId: string,
  contact_email: string,
): Promise<StoredHandover> {
  const item = await tenantTable(scope).write({
    update: toHandoverKey(scope, conversationId),
    set: { contact_email, timestamp: now() },
    condition: exists(notFound),
  });
  return readHandover(item as Item);
}
