import * as v from "valibot";
import { toIdentityValue } from "../api/user-ids.ts";
import { StoredVisitorQuestion } from "../conversations/visitor-fields.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { toHandover } from "../visitors/describe-handover.ts";
import type { StoredEmbedSession } from "../visitors/embed-session-store.ts";
import { findHandovers, type StoredHandover } from "../visitors/handover-store.ts";
import { countRatings, findRatings } from "./visitor-sessions.ts";

/** Attributes of messages that the figures of a session are made from. */
const Figures = v.object({
  created_at: v.string(),
  usage: v.nullable(v.object({ cost_usd: v.nullable(v.number()) })),
  visitor_question: v.optional(StoredVisitorQuestion),
});
const readFigures = itemReader(Figures);

/** Number of messages that one query reads. */
const BATCH_SIZE = 200;

const MICRO_USD_PER_USD = 1_000_000;

/** Sums up the messages of a session, which are read in batches without their content. */
async function sumMessages(scope: TenantScope, { conversation_id }: StoredEmbedSession) {
  const { pk } = keys.message(scope.tenantId, conversation_id, "");
  const range = { pk, prefix: keyPrefixes.message, attributes: ["sk", ...Object.keys(Figures.entries)] };
  let [unanswered, costMicroUsd] = [0, 0];
  let lastAt: string | null = null;
  let after: string | undefined;
  do {
    const items = await tenantTable(scope).query({ ...range, limit: BATCH_SIZE, after });
    for (const { created_at, usage, visitor_question } of items.map(readFigures)) {
      if (visitor_question?.gap) unanswered += 1;
      costMicroUsd += Math.round((usage?.cost_usd ?? 0) * MICRO_USD_PER_USD);
      lastAt = created_at;
    }
    after = items.length < BATCH_SIZE ? undefined : String(items.at(-1)?.sk);
  } while (after !== undefined);
  return { unanswered, cost_usd: costMicroUsd / MICRO_USD_PER_USD, last_message_at: lastAt };
}

/** Returns for how long a visitor waited for a person, in seconds, until one came or the wait ended. */
function toWaitingSeconds({ requested_at, claimed_at, ended_at, waits_until }: StoredHandover): number {
  const end = claimed_at ?? ended_at;
  const endedAt = end === null ? Math.min(now(), Date.parse(waits_until)) : Date.parse(end);
  return Math.max(0, Math.round((endedAt - Date.parse(requested_at)) / 1_000));
}

/** Columns of a file of sessions, in order. */
export const sessionColumns = [
  ...["session_id", "visitor_id", "is_identified", "form", "page", "started_at", "last_message_at", "messages"],
  ...["handover", "waiting_seconds", "answered_by", "unanswered", "ratings_up", "ratings_down", "cost_usd", "outcome"],
] as const;

async function toRow(scope: TenantScope, session: StoredEmbedSession, handover: StoredHandover | undefined) {
  const { conversation_id, visitor_id, identified_as, form, origin, page, created_at, messages_sent } = session;
  const [ratings, { unanswered, cost_usd, last_message_at }] = await Promise.all([
    findRatings(scope, session),
    sumMessages(scope, session),
  ]);
  const { up, down } = countRatings(ratings);
  const { status = null, person = null, outcome = null } = handover ? toHandover(handover) : {};
  return {
    ...{ session_id: conversation_id, visitor_id, is_identified: identified_as !== null },
    form: form?.map(({ label, value }) => `${label}: ${value}`).join("; ") ?? null,
    ...{ page: page ?? origin, started_at: created_at, last_message_at, messages: messages_sent },
    ...{ handover: status, waiting_seconds: handover ? toWaitingSeconds(handover) : null },
    answered_by: person && (person.name ?? toIdentityValue(person.user_id)),
    ...{ unanswered, ratings_up: up, ratings_down: down, cost_usd, outcome },
  } satisfies Record<(typeof sessionColumns)[number], unknown>;
}

/** Maximum number of sessions whose messages are read concurrently. */
const CONCURRENCY = 10;

/** Returns the rows of sessions for a file: two queries for each, and one read for the hand-overs of all. */
export async function toSessionRows(scope: TenantScope, sessions: readonly StoredEmbedSession[]) {
  const handovers = await findHandovers(
    scope,
    sessions.map(({ conversation_id }) => conversation_id),
  );
  return mapConcurrent(
    sessions,
    (session) => toRow(scope, session, handovers.get(session.conversation_id)),
    CONCURRENCY,
  );
}
