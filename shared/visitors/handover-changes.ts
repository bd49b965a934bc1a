import { indexKeys } from "../dynamodb/keys.ts";
import { allOf, anyOf, ConditionFailed, differs, equals, exists, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { truncate } from "../lib/truncate.ts";
import type { StoredEmbedSession } from "./embed-session-store.ts";
import {
  HandoverChanged,
  MAX_QUESTION_LENGTH,
  readHandover,
  type StoredHandover,
  toHandoverKey,
} from "./handover-store.ts";

/** Condition that a session waits for a person, or is with one. */
const heldByPerson = (onConditionFailed?: () => Error) =>
  anyOf([equals({ status: "waiting" }), equals({ status: "claimed" })], onConditionFailed);

interface Person {
  readonly userId: string;
  readonly name: string | null;
}

const heldByOther = (existing: Item | undefined) => {
  if (!existing) return notFound();
  const { person_id, person_name } = readHandover(existing);
  return new ServiceError("conflict", `${person_name ?? person_id ?? "Another person"} has this session.`);
};

/**
 * Returns the change with which a person takes a session.
 * @param from person who has the session until now
 */
const claimChange = (person: Person, from: string | undefined) => ({
  set: {
    status: "claimed",
    person_id: person.userId,
    person_name: person.name,
    claimed_at: timestamp(),
    ended_at: null,
  },
  condition: allOf(
    [exists(), anyOf([differs({ status: "claimed" }), equals({ person_id: from ?? person.userId })])],
    heldByOther,
  ),
});

const endChange = (status: "returned" | "closed", outcome: string | null) => ({
  set: { status, outcome, ended_at: timestamp(), typing_until: 0 },
  remove: ["gsi1pk", "gsi1sk"],
});

/** Changes that a person makes to a hand-over. */
interface HandoverChanges {
  readonly status?: "claimed" | "returned" | "closed" | undefined;
  readonly take_over_from?: string | undefined;
  readonly outcome?: string | undefined;
  readonly note?: string | undefined;
  readonly is_typing?: true | undefined;
}

/** Time for which a visitor sees that a person is typing. */
const TYPING_MS = 6_000;

/**
 * Claims, returns or closes a session, or changes its note.
 * @throws ServiceError `not_found`; `conflict` if another person has the session
 */
export async function updateHandover(
  scope: TenantScope,
  { conversation_id, requested_at }: StoredHandover,
  person: Person,
  { status, take_over_from, outcome, note, is_typing }: HandoverChanges,
): Promise<StoredHandover> {
  const ownOrFree = allOf(
    [exists(), anyOf([differs({ status: "claimed" }), equals({ person_id: person.userId })])],
    heldByOther,
  );
  const change =
    status === "claimed"
      ? claimChange(person, take_over_from)
      : { condition: ownOrFree, ...(status !== undefined && endChange(status, outcome ?? null)) };
  const item = await tenantTable(scope).write({
    update: toHandoverKey(scope, conversation_id),
    ...change,
    set: {
      timestamp: now(),
      ...("set" in change && change.set),
      // A session that was returned is in the list again.
      ...(status === "claimed" && indexKeys.openHandover(scope.tenantId, requested_at, conversation_id)),
      ...(note !== undefined && { note }),
      ...(is_typing && { typing_until: now() + TYPING_MS }),
    },
  });
  return readHandover(item as Item);
}

/** Ends a hand-over for the visitor. Does nothing if the session is with the assistant. */
export async function endHandover(scope: TenantScope, conversationId: string): Promise<void> {
  const update = {
    update: toHandoverKey(scope, conversationId),
    ...endChange("returned", null),
    condition: heldByPerson(),
  };
  await tenantTable(scope)
    .write({ ...update, set: { ...update.set, timestamp: now() } })
    .catch((error) => {
      if (!(error instanceof ConditionFailed)) throw error;
    });
}

/**
 * Returns the write that records a message of the visitor for the person. It throws `HandoverChanged` if the session is with the
 * assistant again.
 */
export const visitorMessageWrite = (
  scope: TenantScope,
  { conversation_id, deleted_at }: StoredEmbedSession,
  { messageId, text }: { readonly messageId: string; readonly text: string },
): Write => ({
  update: toHandoverKey(scope, conversation_id),
  set: {
    last_message_id: messageId,
    question: truncate(text, MAX_QUESTION_LENGTH),
    ttl: Math.ceil(Date.parse(deleted_at) / 1_000),
    timestamp: now(),
  },
  condition: heldByPerson(() => new HandoverChanged()),
});

/** Returns the write that records a message of a person, who must have the session. It throws ServiceError `conflict`. */
export const personMessageWrite = (
  scope: TenantScope,
  conversationId: string,
  personId: string,
  messageId: string,
): Write => ({
  update: toHandoverKey(scope, conversationId),
  set: { last_message_id: messageId, typing_until: 0, timestamp: now() },
  condition: equals({ status: "claimed", person_id: personId }, (existing) =>
    existing && readHandover(existing).status === "claimed"
      ? heldByOther(existing)
      : new ServiceError("conflict", "Claim the session before you answer."),
  ),
});
