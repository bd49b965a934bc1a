import type { KeyKind } from "../auth/credentials.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Key, type Table } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import { coalesceRequests } from "../lib/request-coalescer.ts";

/** What is left of an allowance after a request drew on it. */
export interface Allowance {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the allowance is whole again. */
  readonly resetAt: number;
}

/** Requests a minute above which a counter is split, so that no partition takes more than 100 writes a second. */
const perShard = 6_000;

const minuteNow = () => Math.floor(now() / 60_000);

/** A key that was used. */
interface UsedKey {
  readonly kind: KeyKind;
  readonly id: string;
}

/** What a fresh counter says of itself. Those that tell of a key are told apart: their appearance says that it is in use. */
type Note = { discriminator: "rate" } | { discriminator: "key-rate"; key_kind: KeyKind; key_id: string };

function noteOf(key: UsedKey | undefined): Note {
  return key ? { discriminator: "key-rate", key_kind: key.kind, key_id: key.id } : { discriminator: "rate" };
}

/** How long a counter is kept, in seconds: those of days a day longer than a day, those of minutes two minutes. */
const kept = { minute: 120, day: 2 * 86_400 } as const;

/** What is drawn on a counter; by default one request, on that of a minute. */
interface Draw {
  readonly limit: number;
  readonly requests?: number;
  readonly note?: Note;
  readonly window?: keyof typeof kept;
}

/** Draws on a counter, unless that is too full. @returns what is counted with this, or null when it is too full */
async function draw(
  table: Table,
  key: Key,
  { limit, requests = 1, note = noteOf(undefined), window = "minute" }: Draw,
): Promise<number | null> {
  if (requests > limit) return null;
  try {
    const counted = await table.write({
      update: key,
      add: { requests },
      setIfAbsent: { ttl: expiresAfter(kept[window]), ...note },
      condition: { where: "attribute_not_exists(#requests) OR #requests <= :room", values: { room: limit - requests } },
    });
    return counted?.requests as number;
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

function allowance(limit: number, minute: number, counted: number | null, shards: number): Allowance {
  const remaining = counted === null ? 0 : Math.max(0, limit - counted * shards);
  return { admitted: counted !== null, limit, remaining, resetAt: (minute + 1) * 60 };
}

/** A request that draws on an allowance of this minute. */
interface Drawing {
  readonly scope: TenantScope;
  readonly owner: string;
  readonly limit: number;
  readonly key: UsedKey | undefined;
}

/** Draws several requests on one allowance, all of them or none. @returns the last one's allowance */
async function drawAtOnce({ scope, owner, limit, key }: Drawing, requests: number): Promise<Allowance> {
  const minute = minuteNow();
  const shards = Math.max(1, Math.ceil(limit / perShard));
  const first = Math.floor(Math.random() * shards);
  let counted: number | null = null;
  // A full shard does not mean a full allowance: look at a second one before refusing.
  for (let attempt = 0; attempt < Math.min(2, shards) && counted === null; attempt++) {
    const shard = (first + attempt) % shards;
    const share = Math.floor(limit / shards) + (shard < limit % shards ? 1 : 0);
    const counter = keys.rate(scope.tenantId, owner, shard, minute);
    counted = await draw(tenantTable(scope), counter, { limit: share, requests, note: noteOf(key) });
  }
  return allowance(limit, minute, counted, shards);
}

async function drawEach(drawings: readonly [Drawing, ...Drawing[]]): Promise<Allowance[]> {
  const last = await drawAtOnce(drawings[0], drawings.length);
  if (last.admitted || drawings.length === 1) {
    return drawings.map((_, place) => ({ ...last, remaining: last.remaining + drawings.length - 1 - place }));
  }
  // There is not room for all of them; there may be for some.
  const allowances: Allowance[] = [];
  for (const drawing of drawings) allowances.push(await drawAtOnce(drawing, 1));
  return allowances;
}

/** Requests that come while the counter is being written are counted by one write. */
const drawTogether = coalesceRequests<Drawing, Allowance>((drawings) => drawEach(drawings as [Drawing, ...Drawing[]]), {
  groupBy: ({ scope, owner, limit }) => `${scope.tenantId}#${owner}#${limit}`,
});

/**
 * Draws one request on an allowance of this minute; one conditional write.
 * @param owner whose allowance it is within the tenant: `tenant`, `api-key#<id>`, …
 * @param key the key that the request came with, where its use is to be noted
 */
export function drawOn(scope: TenantScope, owner: string, limit: number, key?: UsedKey): Promise<Allowance> {
  return drawTogether({ scope, owner, limit, key });
}

/** Draws one on an allowance of this day (UTC). */
export async function drawOnDay(scope: TenantScope, owner: string, limit: number): Promise<Allowance> {
  const day = Math.floor(now() / 86_400_000);
  const key = keys.rate(scope.tenantId, `${owner}#day`, 0, day);
  const counted = await draw(tenantTable(scope), key, { limit, window: "day" });
  const remaining = counted === null ? 0 : Math.max(0, limit - counted);
  return { admitted: counted !== null, limit, remaining, resetAt: (day + 1) * 86_400 };
}

/**
 * Draws one request on an allowance of those who are nobody in particular.
 * @param kind of what the allowance is
 * @param hash of whose it is: a client address, the token of a shared link
 */
export async function drawOnOpen(kind: string, hash: string, limit: number): Promise<Allowance> {
  const minute = minuteNow();
  const counted = await draw(systemTable(), keys.openRate(kind, hash, minute), { limit });
  return allowance(limit, minute, counted, 1);
}
