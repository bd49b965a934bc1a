import { createHash } from "node:crypto";
import type { Usage } from "../../api/conversations/messages.ts";
import { keys } from "../../dynamodb/keys.ts";
import { type Item, TransactionFailed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";

/** Whom usage is counted for. */
export interface UsageSubject {
  /** UTC, `2026-01-31`. */
  readonly day: string;
  /** Null for programs and visitors. */
  readonly user_id: string | null;
  readonly key_id: string | null;
  readonly persona_id: string | null;
  readonly model: string;
}

/** What one answer took. */
export interface Consumption extends UsageSubject {
  /** Of the message or completion. */
  readonly id: string;
  /** Requests that it stands for: programs' calls of the same moment are noted together. */
  readonly requests: number;
  readonly usage: Usage;
}

/** What was used by one subject in a day; money in millionths of a dollar, so that sums are exact. */
export interface UsageRecord extends UsageSubject {
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micro_usd: number;
}

/** A tenant's records lie in several partitions, so that a busy tenant does not make one of them hot. */
const shards = 4;

/** How long it is known that an answer was counted, in seconds: longer than the change feed keeps a change. */
const countedKept = 3 * 24 * 3_600;

/** Answers counted in one transaction, which holds a hundred writes. */
const atOnce = 99;

/** Records one request reads at most. */
const readAtMost = 20_000;

const placeOf = ({ day, user_id, key_id, persona_id, model }: UsageSubject) =>
  [day, user_id ?? "", key_id ?? "", persona_id ?? "", model].join("#");

/** The partition of a subject: the same one every day. */
const shardOf = (place: string) =>
  createHash("sha256")
    .update(place.slice(place.indexOf("#")))
    .digest()
    .readUInt8() % shards;

function additionWrite({ tenantId }: TenantScope, place: string, consumed: readonly Consumption[]): Write {
  const [{ day, user_id, key_id, persona_id, model }] = consumed as readonly [Consumption];
  const total = (amount: (usage: Usage) => number) => consumed.reduce((sum, { usage }) => sum + amount(usage), 0);
  return {
    update: keys.usage(tenantId, shardOf(place), place),
    setIfAbsent: { discriminator: "usage", day, user_id, key_id, persona_id, model },
    add: {
      requests: consumed.reduce((sum, { requests }) => sum + requests, 0),
      input_tokens: total(({ input_tokens }) => input_tokens),
      output_tokens: total(({ output_tokens }) => output_tokens),
      cost_micro_usd: total(({ cost_usd }) => Math.round(cost_usd * 1_000_000)),
    },
  };
}

/** Of an answer that is deleted not even the id stays behind. */
const traceOf = (id: string) => sha256(id);

const markerWrite = ({ tenantId }: TenantScope, { id }: Consumption): Write => ({
  put: { ...keys.counted(tenantId, traceOf(id)), discriminator: "counted", ttl: expiresAfter(countedKept) },
  condition: { where: "attribute_not_exists(#pk)" },
});

/** Counts what one subject used, leaving aside what was counted before. */
async function countOf(scope: TenantScope, place: string, consumed: readonly Consumption[]): Promise<void> {
  for (let fresh = consumed; fresh.length > 0; ) {
    try {
      await tenantTable(scope).transact([
        ...fresh.map((one) => markerWrite(scope, one)),
        additionWrite(scope, place, fresh),
      ]);
      return;
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      fresh = fresh.filter((_, index) => error.failures[index] === null);
    }
  }
}

/** Adds what answers took to the records of their days; each answer once, however often it is handed over. */
export async function countUsage(scope: TenantScope, consumed: readonly Consumption[]): Promise<void> {
  const distinct = new Map(consumed.map((one) => [one.id, one])).values();
  const byPlace = Map.groupBy(distinct, placeOf);
  await Promise.all(
    Array.from(byPlace, async ([place, all]) => {
      for (let from = 0; from < all.length; from += atOnce) {
        await countOf(scope, place, all.slice(from, from + atOnce));
      }
    }),
  );
}

/**
 * What was used in the days from one to another, both included.
 * @throws ServiceError `validation_failed` where that is too much for one answer
 */
export async function usageBetween(scope: TenantScope, from: string, to: string): Promise<UsageRecord[]> {
  const found = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      tenantTable(scope).query({
        pk: keys.usage(scope.tenantId, shard, "").pk,
        between: [from, `${to}\u{10ffff}`],
        limit: readAtMost / shards,
      }),
    ),
  );
  if (found.some(({ length }) => length >= readAtMost / shards)) {
    throw new ServiceError("validation_failed", "There is too much for one answer: ask for fewer days at a time.");
  }
  return found.flat().map((item: Item) => item as unknown as UsageRecord);
}
