import * as v from "valibot";
import type { Usage } from "../../api/conversations/messages.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { absentOrExpired, allOf, anyOf, ConditionFailed, equals, lessThan, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import type { Charges } from "../../lib/charges.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { coalesceRequests } from "../../lib/request-coalescer.ts";
import { splitUtf8 } from "../../lib/truncate.ts";
import { sumUsage } from "../../models/tokens.ts";

/** Stored usage of a call of the OpenAI-compatible API, without its messages. */
export interface CompletionRecord {
  /** Id of the call. A record that counts several calls has the id of the first. */
  readonly id: string;
  readonly key_id: string;
  /** Null for calls that address no persona, such as embeddings. */
  readonly persona_id: string | null;
  readonly persona_version: number | null;
  readonly usage: Usage;
  /** Processing time of the call, in milliseconds. */
  readonly duration_ms?: number;
  /** Budget counters to which the call is charged. */
  readonly charges?: Charges | undefined;
}

/** Retention of the records of single calls. The daily totals are kept longer. */
const RECORD_TTL_SECONDS = 90 * 24 * 3_600;

function recordWrite({ tenantId }: TenantScope, record: CompletionRecord, calls = 1): Write {
  return {
    put: {
      ...keys.completion(tenantId, record.id),
      discriminator: "completion",
      timestamp: now(),
      ttl: expiresAfter(RECORD_TTL_SECONDS),
      created_at: timestamp(),
      calls,
      ...record,
    },
  };
}

interface RecordRequest {
  readonly scope: TenantScope;
  readonly record: CompletionRecord;
}

/**
 * Writes usage records. Calls of the same key, version of a persona, model and budgets that end during a write share the next
 * record, which saves writes.
 */
const recordCoalesced = coalesceRequests<RecordRequest, void>(
  async (requests) => {
    const [{ scope, record }] = requests as [RecordRequest, ...RecordRequest[]];
    const usage = sumUsage(requests.map((request) => request.record.usage));
    const duration_ms = requests.reduce((sum, request) => sum + (request.record.duration_ms ?? 0), 0);
    await tenantTable(scope).write(recordWrite(scope, { ...record, usage, duration_ms }, requests.length));
    return [];
  },
  {
    // A reservation is settled by the id of its call.
    groupBy: ({ scope, record: { id, key_id, persona_id, persona_version, usage, charges } }) =>
      [
        ...[scope.tenantId, key_id, persona_id, persona_version, usage.model, JSON.stringify(charges?.counters)],
        charges && charges.reserved.length > 0 ? id : "",
      ].join("#"),
  },
);

/** Records the usage of a call. Calls with the same key, version of a persona, model and budgets may share one record. */
export function recordCompletion(scope: TenantScope, record: CompletionRecord): Promise<void> {
  return recordCoalesced({ scope, record });
}

/** Identity of a request with an `Idempotency-Key`. */
export interface RetryableRequest {
  /** Hash of caller, operation and key. */
  readonly id: string;
  /** Hash of the request body. */
  readonly fingerprint: string;
}

/** Time after which a claim expires unless its owner renews it. */
export const CLAIM_TTL_MS = 30_000;

/** Time for which a retry still receives the stored answer. */
const ANSWER_TTL_SECONDS = 24 * 3_600;

/** Result of claiming a request. `running`: another owner holds the claim. `done`: the request has a stored answer. */
type Claim =
  | { readonly state: "claimed" }
  | { readonly state: "running"; readonly fingerprint: string }
  | { readonly state: "done"; readonly fingerprint: string; readonly answer: string };

const claimKey = ({ tenantId }: TenantScope, { id }: RetryableRequest) => keys.idempotency(tenantId, id);
const isOwner = (owner: string) => equals({ owner });

const StoredClaim = v.object({
  fingerprint: v.string(),
  state: v.string(),
  /** Answer, or its first part if it exceeds one item; absent while the request is running. */
  answer: v.optional(v.string(), ""),
  /** Number of items that contain the answer. */
  pieces: v.optional(v.number(), 1),
});

const readClaim = itemReader(StoredClaim);
const readAnswerPart = itemReader(v.object({ sk: v.string(), text: v.string() }));

async function readAnswer(
  scope: TenantScope,
  request: RetryableRequest,
  { pieces, answer }: v.InferOutput<typeof StoredClaim>,
): Promise<string> {
  if (pieces === 1) return answer;
  const partKeys = Array.from({ length: pieces - 1 }, (_, n) =>
    keys.idempotencyPart(scope.tenantId, request.id, n + 1),
  );
  const items = await tenantTable(scope).getMany(partKeys, { consistent: true });
  const parts = items.map(readAnswerPart).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return [answer, ...parts.map(({ text }) => text)].join("");
}

/**
 * Claims a request with one conditional write. Fails to claim it if an answer is stored or another owner's claim has
 * not expired.
 */
export async function claimCompletion(scope: TenantScope, request: RetryableRequest, owner: string): Promise<Claim> {
  const item = {
    ...claimKey(scope, request),
    discriminator: "idempotency",
    ttl: expiresAfter(ANSWER_TTL_SECONDS),
    fingerprint: request.fingerprint,
    state: "running",
    owner,
    claimed_until: now() + CLAIM_TTL_MS,
  };
  const isExpired = allOf([equals({ state: "running" }), lessThan({ claimed_until: now() })]);
  try {
    await tenantTable(scope).write({
      put: item,
      condition: anyOf([absentOrExpired(), isExpired]),
    });
    return { state: "claimed" };
  } catch (error) {
    if (!(error instanceof ConditionFailed) || !error.item) throw error;
    const claim = readClaim(error.item);
    const { fingerprint } = claim;
    if (claim.state === "running") return { state: "running", fingerprint };
    return { state: "done", fingerprint, answer: await readAnswer(scope, request, claim) };
  }
}

/** Extends a claim by `CLAIM_TTL_MS`. */
export async function renewClaim(scope: TenantScope, request: RetryableRequest, owner: string): Promise<void> {
  const key = claimKey(scope, request);
  const set = { claimed_until: now() + CLAIM_TTL_MS };
  await tenantTable(scope).write({ update: key, set, condition: isOwner(owner) });
}

/**
 * Stores an answer for retries and records its usage, in one transaction.
 * @throws TransactionFailed if `owner` no longer holds the claim
 */
export async function storeCompletion(
  scope: TenantScope,
  request: RetryableRequest,
  owner: string,
  answer: string,
  record: CompletionRecord,
): Promise<void> {
  const [first = "", ...otherParts] = splitUtf8(answer);
  await tenantTable(scope).transact([
    {
      update: claimKey(scope, request),
      set: { state: "done", answer: first, pieces: 1 + otherParts.length },
      condition: isOwner(owner),
    },
    ...otherParts.map((text, n) => ({
      put: {
        ...keys.idempotencyPart(scope.tenantId, request.id, n + 1),
        discriminator: "idempotency",
        ttl: expiresAfter(ANSWER_TTL_SECONDS),
        text,
      },
    })),
    recordWrite(scope, record),
  ]);
}

/**
 * Deletes a claim without storing an answer, so that a retry can claim the request at once. Does nothing if `owner` no
 * longer holds the claim.
 */
export async function releaseClaim(scope: TenantScope, request: RetryableRequest, owner: string): Promise<void> {
  try {
    await tenantTable(scope).write({ delete: claimKey(scope, request), condition: isOwner(owner) });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
