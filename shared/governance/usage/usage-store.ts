import * as v from "valibot";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { USAGE_SHARD_COUNT } from "../../dynamodb/items/governance/usage.item.ts";
import { keys } from "../../dynamodb/keys.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { sha256Bytes } from "../../lib/hash.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import type { ChargedAnswer } from "../budgets/consumption.ts";
import { daysBefore, listDays } from "./usage-period.ts";

const UsageSubject = v.object({
  /** UTC date, such as `2026-01-31`. */
  day: v.string(),
  /** Null for calls of the OpenAI-compatible API and for widget visitors. */
  user_id: v.nullable(v.string()),
  key_id: v.nullable(v.string()),
  persona_id: v.nullable(v.string()),
  persona_version: v.nullable(v.number()),
  model: v.string(),
});
type UsageSubject = v.InferOutput<typeof UsageSubject>;

const figure = v.optional(v.number(), 0);

/** Figures of the visitors of a website, which are counted with the usage of its embed key. */
const VisitorFigures = v.object({
  /** Sessions, and those of them with a message of the visitor. */
  opens: figure,
  chats: figure,
  /** Sessions for which a person was asked for. */
  handed_over: figure,
  /** Hand-overs to which a person came, and the seconds until then. */
  claims: figure,
  waiting_seconds: figure,
  /** Answers that cite no source or say that they do not know. */
  unanswered: figure,
  rated_up: figure,
  rated_down: figure,
});
export type VisitorFigures = v.InferOutput<typeof VisitorFigures>;

/** Usage of one reply. */
export interface UsageEvent extends UsageSubject, ChargedAnswer {
  /** Processing time of the reply, in milliseconds. */
  readonly duration_ms: number;
  /** Guardrail rules that found something in the reply, its question or its sources. */
  readonly rules: readonly string[];
  readonly visitors?: Partial<VisitorFigures>;
}

/**
 * Usage of one combination of user, key, version of a persona and model on one day. Costs are integers in millionths of a US dollar,
 * so that sums are exact.
 */
const UsageRecord = v.object({
  ...UsageSubject.entries,
  requests: v.number(),
  input_tokens: v.number(),
  output_tokens: v.number(),
  cached_tokens: v.number(),
  runs: v.number(),
  duration_ms: v.number(),
  cost_micro_usd: v.number(),
});

/** Daily usage, with the number of replies in which each guardrail rule found something. */
export interface CountedUsage extends v.InferOutput<typeof UsageRecord> {
  readonly findings: Readonly<Record<string, number>>;
}

const readUsageRecord = itemReader(UsageRecord);

/**
 * Prefix of attributes that count the replies in which a rule found something. The name of the rule follows in
 * hexadecimal.
 */
const FINDINGS_PREFIX = "found_";

const toFindingsAttribute = (rule: string) => FINDINGS_PREFIX + Buffer.from(rule).toString("hex");

/** Returns the number of replies in which each rule found something. */
const readFindings = (item: Item): Record<string, number> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name.startsWith(FINDINGS_PREFIX))
      .map(([name, count]) => [Buffer.from(name.slice(FINDINGS_PREFIX.length), "hex").toString(), Number(count)]),
  );

/** Returns the number of events in which each rule found something, by attribute name. */
function countFindings(events: readonly UsageEvent[]): Record<string, number> {
  const rules = events.flatMap((event) => [...new Set(event.rules)]);
  return Object.fromEntries(
    Array.from(Map.groupBy(rules, toFindingsAttribute), ([name, found]) => [name, found.length]),
  );
}

/** Returns the sums of those figures of visitors that are not 0. */
function sumFigures(events: readonly UsageEvent[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of events.flatMap(({ visitors = {} }) => Object.entries(visitors))) {
    if (count !== 0) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** Maximum number of records that one request reads from all shards. */
const MAX_RECORDS = 20_000;
const MAX_RECORDS_PER_SHARD = MAX_RECORDS / USAGE_SHARD_COUNT;

/** Returns the sort key of a daily record. */
export const toSubjectKey = ({ day, user_id, key_id, persona_id, persona_version, model }: UsageSubject) =>
  [day, user_id ?? "", key_id ?? "", persona_id ?? "", persona_version ?? "", model].join("#");

/** Returns the shard of a daily record. It does not depend on the day. */
const getShard = (subjectKey: string) =>
  sha256Bytes(subjectKey.slice(subjectKey.indexOf("#"))).readUInt8() % USAGE_SHARD_COUNT;

/**
 * Returns the write that adds events to a daily record. All events must have the same day, user, key, version of a persona
 * and model.
 */
export function addUsageWrite({ tenantId }: TenantScope, subjectKey: string, events: readonly UsageEvent[]) {
  const [{ day, user_id, key_id, persona_id, persona_version, model }] = events as readonly [UsageEvent];
  const sumOf = (toAmount: (event: UsageEvent) => number) => events.reduce((sum, event) => sum + toAmount(event), 0);
  return {
    update: keys.usage(tenantId, getShard(subjectKey), subjectKey),
    setIfAbsent: { discriminator: "usage", day, user_id, key_id, persona_id, persona_version, model },
    add: {
      requests: sumOf(({ requests }) => requests),
      runs: sumOf(({ runs }) => runs),
      duration_ms: sumOf(({ duration_ms }) => duration_ms),
      input_tokens: sumOf(({ usage }) => usage.input_tokens),
      cached_tokens: sumOf(({ usage }) => usage.cached_tokens ?? 0),
      output_tokens: sumOf(({ usage }) => usage.output_tokens),
      cost_micro_usd: sumOf(({ usage }) => Math.round((usage.cost_usd ?? 0) * 1_000_000)),
      ...countFindings(events),
      ...sumFigures(events),
    },
  } satisfies Write;
}

/** Maximum number of days for the usage of one user or embed key, because each day takes one query per shard. */
const MAX_DAYS = 31;

/** Days whose usage is listed. */
interface Period {
  readonly from: string;
  readonly to: string;
  /** Day from which there can be usage; earlier days are not read. */
  readonly first?: string | undefined;
}

/**
 * Returns the items of daily records by the beginning of their sort keys after the day. The cost does not depend on other records.
 * @throws ServiceError `validation_failed` for more than `MAX_DAYS` days
 */
async function listRecords(scope: TenantScope, { from, to, first = from }: Period, prefix: string): Promise<Item[]> {
  if (to > daysBefore(from, 1 - MAX_DAYS)) {
    throw new ServiceError("validation_failed", `Request at most ${MAX_DAYS} days.`);
  }
  const places = listDays(from, to)
    .filter((day) => day >= first)
    .flatMap((day) => Array.from({ length: USAGE_SHARD_COUNT }, (_, shard) => ({ day, shard })));
  const items = await mapConcurrent(places, ({ day, shard }) =>
    tenantTable(scope).query({ pk: keys.usage(scope.tenantId, shard, "").pk, prefix: `${day}#${prefix}` }),
  );
  return items.flat();
}

/**
 * Lists the usage records of one user. The cost does not depend on other users.
 * @throws ServiceError `validation_failed` for more than 31 days
 */
export async function listUsageOf(scope: UserScope, period: Period): Promise<CountedUsage[]> {
  const items = await listRecords(scope, period, `${scope.userId}#`);
  return items.map((item) => ({ ...readUsageRecord(item), findings: readFindings(item) }));
}

const VisitorUsage = v.object({ day: v.string(), cost_micro_usd: v.number(), ...VisitorFigures.entries });
/** Cost and figures of the visitors of one website on one day; one of several records of the day. */
export type VisitorUsage = v.InferOutput<typeof VisitorUsage>;

const readVisitorUsage = itemReader(VisitorUsage);

/**
 * Lists what the visitors of one website did and cost.
 * @throws ServiceError `validation_failed` for more than 31 days
 */
export async function listUsageOfVisitors(scope: TenantScope, keyId: string, period: Period): Promise<VisitorUsage[]> {
  // Visitors are not counted by user.
  return (await listRecords(scope, period, `#${keyId}#`)).map(readVisitorUsage);
}

/**
 * Lists the usage records from `fromDay` to `toDay`.
 * @throws ServiceError `validation_failed` if there are too many for one response
 */
export async function listUsage(scope: TenantScope, fromDay: string, toDay: string): Promise<CountedUsage[]> {
  const shards = await Promise.all(
    Array.from({ length: USAGE_SHARD_COUNT }, (_, shard) =>
      tenantTable(scope).query({
        pk: keys.usage(scope.tenantId, shard, "").pk,
        between: [fromDay, `${toDay}\u{10ffff}`],
        limit: MAX_RECORDS_PER_SHARD,
      }),
    ),
  );
  if (shards.some(({ length }) => length >= MAX_RECORDS_PER_SHARD)) {
    throw new ServiceError("validation_failed", "The range contains too many records; request fewer days.");
  }
  return shards.flat().map((item) => ({ ...readUsageRecord(item), findings: readFindings(item) }));
}
