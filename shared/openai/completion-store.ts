import type { Usage } from "../api/conversations/messages.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../lib/clock.ts";
import { coalesceRequests } from "../lib/request-coalescer.ts";
import { splitUtf8 } from "../lib/split-utf8.ts";

/** What a call of the OpenAI-compatible surface took; what was said in it is not kept. */
export interface CompletionRecord {
  /** Of the call; of the first one, where several are noted together. */
  readonly id: string;
  readonly key_id: string;
  readonly persona_id: string;
  readonly usage: Usage;
}

/** How long single calls are known, in seconds; what is added up of them stays. */
const kept = 90 * 24 * 3_600;

function recordWrite({ tenantId }: TenantScope, record: CompletionRecord, calls = 1): Write {
  return {
    put: {
      ...keys.completion(tenantId, record.id),
      discriminator: "completion",
      timestamp: now(),
      ttl: expiresAfter(kept),
      created_at: timestamp(),
      calls,
      ...record,
    },
  };
}

interface Noted {
  readonly scope: TenantScope;
  readonly record: CompletionRecord;
}

/** In millionths of a dollar, each rounded by itself: so the sum is the same as if the calls were noted apart. */
const micros = ({ cost_usd }: Usage) => Math.round(cost_usd * 1_000_000);

function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, usage) => ({
    model: usage.model,
    input_tokens: sum.input_tokens + usage.input_tokens,
    output_tokens: sum.output_tokens + usage.output_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    cost_usd: (micros(sum) + micros(usage)) / 1_000_000,
  }));
}

/** Calls of one key to one model that end while a note is being written share the next one. */
const noteTogether = coalesceRequests<Noted, void>(
  async (noted) => {
    const [{ scope, record }] = noted as [Noted, ...Noted[]];
    const usage = sumOf(noted.map((each) => each.record.usage));
    await tenantTable(scope).write(recordWrite(scope, { ...record, usage }, noted.length));
    return [];
  },
  {
    groupBy: ({ scope, record: { key_id, persona_id, usage } }) =>
      [scope.tenantId, key_id, persona_id, usage.model].join("#"),
  },
);

/** Notes what a call took, once. */
export function recordCompletion(scope: TenantScope, record: CompletionRecord): Promise<void> {
  return noteTogether({ scope, record });
}

/** A request with an `Idempotency-Key`: who used which key where, and a hash of the request itself. */
export interface RetryableRequest {
  readonly id: string;
  readonly fingerprint: string;
}

/** How long a claim holds without being renewed, in milliseconds, and how long an answer is kept for retries, in seconds. */
export const claimLasts = 30_000;
const answerKept = 24 * 3_600;

/** What a claim came to: it is ours, somebody else's, or there is an answer already. */
export type Claim =
  | { readonly state: "claimed" }
  | { readonly state: "running"; readonly fingerprint: string }
  | { readonly state: "done"; readonly fingerprint: string; readonly answer: string };

const claimKey = ({ tenantId }: TenantScope, { id }: RetryableRequest) => keys.idempotency(tenantId, id);
const stillOurs = (owner: string) => ({ where: "#owner = :owner", values: { owner } });

async function answerOf(scope: TenantScope, request: RetryableRequest, { pieces, answer }: Item): Promise<string> {
  const count = Number(pieces);
  if (count === 1) return String(answer);
  const further = Array.from({ length: count - 1 }, (_, n) => keys.idempotencyPart(scope.tenantId, request.id, n + 1));
  const items = await tenantTable(scope).getMany(further, { consistent: true });
  const texts = items.sort((a, b) => (a.sk < b.sk ? -1 : 1)).map(({ text }) => text);
  return [answer, ...texts].join("");
}

/** Claims the making of an answer, unless it was made or is being made; a claim that nobody renews lapses. One write. */
export async function claimCompletion(scope: TenantScope, request: RetryableRequest, owner: string): Promise<Claim> {
  const item = {
    ...claimKey(scope, request),
    discriminator: "idempotency",
    ttl: expiresAfter(answerKept),
    fingerprint: request.fingerprint,
    state: "running",
    owner,
    claimed_until: now() + claimLasts,
  };
  const lapsed = "#ttl < :second OR (#state = :running AND #claimed_until < :now)";
  const values = { second: Math.floor(now() / 1_000), now: now(), running: "running" };
  try {
    await tenantTable(scope).write({
      put: item,
      condition: { where: `attribute_not_exists(#pk) OR ${lapsed}`, values },
    });
    return { state: "claimed" };
  } catch (error) {
    if (!(error instanceof ConditionFailed) || !error.item) throw error;
    const fingerprint = String(error.item.fingerprint);
    if (error.item.state === "running") return { state: "running", fingerprint };
    return { state: "done", fingerprint, answer: await answerOf(scope, request, error.item) };
  }
}

/** Says that the answer is still being made. @throws ConditionFailed when the claim is not ours any more */
export async function renewClaim(scope: TenantScope, request: RetryableRequest, owner: string): Promise<void> {
  const key = claimKey(scope, request);
  const set = { claimed_until: now() + claimLasts };
  await tenantTable(scope).write({ update: key, set, condition: stillOurs(owner) });
}

/**
 * Keeps an answer for retries and notes what it took: both or neither.
 * @throws ConditionFailed (as part of a transaction) when the claim is not ours any more
 */
export async function keepCompletion(
  scope: TenantScope,
  request: RetryableRequest,
  owner: string,
  answer: string,
  record: CompletionRecord,
): Promise<void> {
  const [first = "", ...further] = splitUtf8(answer);
  await tenantTable(scope).transact([
    {
      update: claimKey(scope, request),
      set: { state: "done", answer: first, pieces: 1 + further.length },
      condition: stillOurs(owner),
    },
    ...further.map((text, n) => ({
      put: {
        ...keys.idempotencyPart(scope.tenantId, request.id, n + 1),
        discriminator: "idempotency",
        ttl: expiresAfter(answerKept),
        text,
      },
    })),
    recordWrite(scope, record),
  ]);
}

/** Gives a claim back: there is no answer, and a retry may make one. */
export async function releaseClaim(scope: TenantScope, request: RetryableRequest, owner: string): Promise<void> {
  try {
    await tenantTable(scope).write({ delete: claimKey(scope, request), condition: stillOurs(owner) });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
