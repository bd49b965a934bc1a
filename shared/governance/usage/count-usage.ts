import {
  absent,
  allOf,
  anyOf,
  atMost,
  ConditionFailed,
  type Item,
  lacksAttribute,
  TransactionFailed,
  type Write,
} from "../../dynamodb/table.ts";
import { MAX_TRANSACTION_WRITES } from "../../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { sha256 } from "../../lib/hash.ts";
import { consumptionWrites, settleAnswer } from "../budgets/consumption.ts";
import { countedMarkerWrite } from "./counted-store.ts";
import { addUsageWrite, toSubjectKey, type UsageEvent } from "./usage-store.ts";

/** Maximum number of ledgers in one transaction, which also writes the marker and the daily record of an event. */
const MAX_LEDGERS = MAX_TRANSACTION_WRITES - 2;

/** Usage event, or a part of one that is charged to more budgets than one transaction can update. Is counted once. */
interface Part {
  /** Id of the marker by which the part is recognized as counted. */
  readonly id: string;
  readonly event: UsageEvent;
  /** True for the first part of an event, which is counted in the daily record. */
  readonly isRecorded: boolean;
}

/**
 * Splits an event into parts if it is charged to more ledgers than one transaction can write, for example because its
 * user has many groups.
 */
function toParts(event: UsageEvent): Part[] {
  const { id, charges } = event;
  const ledgers = Object.entries(charges?.counters ?? {});
  if (!charges || ledgers.length <= MAX_LEDGERS) return [{ id, event, isRecorded: true }];
  return Array.from({ length: Math.ceil(ledgers.length / MAX_LEDGERS) }, (_, index) => {
    const counters = Object.fromEntries(ledgers.slice(index * MAX_LEDGERS, (index + 1) * MAX_LEDGERS));
    const part = { ...event, charges: { ...charges, counters } };
    return { id: index === 0 ? id : `${id}#${index}`, event: part, isRecorded: index === 0 };
  });
}

/**
 * Groups parts into transactions of at most 100 writes: a marker for each part, and their daily records and ledgers.
 */
function toTransactions(parts: readonly Part[]): Part[][] {
  const transactions: Part[][] = [];
  let targets = new Set<string>();
  for (const part of parts) {
    const own = [toSubjectKey(part.event), ...Object.keys(part.event.charges?.counters ?? {})];
    const transaction = transactions.at(-1);
    const all = new Set([...targets, ...own]);
    if (transaction && transaction.length + 1 + all.size <= MAX_TRANSACTION_WRITES) {
      transaction.push(part);
      targets = all;
    } else {
      transactions.push([part]);
      targets = new Set(own);
    }
  }
  return transactions;
}

/** Prefix of attributes in a daily record that mark parts as counted. The hash of the part's id follows. */
const MARK_PREFIX = "c_";

/**
 * Maximum number of marks in a daily record. With them, it stays below 1 KB, so that counting an answer costs one write
 * unit.
 */
const MAX_MARKS = 24;

const toMark = (id: string) => MARK_PREFIX + sha256(id).slice(0, 11).replaceAll("-", "_");

/** Maximum number of full records that one execution environment remembers. */
const MAX_FULL_RECORDS = 10_000;

/** Daily records without room for further marks, so that this is not found out by a failed write each time. */
const fullRecords = new Set<string>();

const toRecordId = ({ tenantId }: TenantScope, subjectKey: string) => `${tenantId}#${subjectKey}`;

/** Parts to add to the daily record of their subject. */
interface RecordWrite {
  readonly subjectKey: string;
  readonly parts: readonly Part[];
  /** True if marks in the daily record prevent counting twice; otherwise separate marker items do. */
  readonly isMarking: boolean;
}

/**
 * Returns the write that adds parts to a daily record. With `isMarking`, it adds a mark for each part. Otherwise it
 * sets the number of marks to the maximum, so that later parts use marker items as well. It fails if the record has a
 * mark of one of the parts.
 */
function toWrite(scope: TenantScope, { subjectKey, parts, isMarking }: RecordWrite): Write {
  const write = addUsageWrite(
    scope,
    subjectKey,
    parts.map(({ event }) => event),
  );
  const marks = parts.map(({ id }) => toMark(id));
  const unmarked = marks.map((mark) => lacksAttribute(mark));
  if (!isMarking) return { ...write, set: { marks: MAX_MARKS }, condition: allOf(unmarked) };
  return {
    ...write,
    set: Object.fromEntries(marks.map((mark) => [mark, true])),
    add: { ...write.add, marks: marks.length },
    condition: allOf([anyOf([absent(), atMost({ marks: MAX_MARKS - marks.length })]), ...unmarked]),
  };
}

/**
 * Returns the parts that a failed write found counted already. If there are none, the record is full, which is
 * remembered.
 */
function findCounted(
  scope: TenantScope,
  { subjectKey, parts, isMarking }: RecordWrite,
  record: Item = { pk: "", sk: "" },
) {
  const counted = parts.filter(({ id }) => record[toMark(id)] !== undefined);
  if (isMarking && counted.length === 0) {
    if (fullRecords.size >= MAX_FULL_RECORDS) fullRecords.clear();
    fullRecords.add(toRecordId(scope, subjectKey));
  }
  return counted;
}

/**
 * Counts parts of events in one transaction, or in a single write if that suffices. Parts that were counted before are
 * left out.
 */
async function countTogether(scope: TenantScope, parts: readonly Part[]): Promise<void> {
  for (let uncounted = parts; uncounted.length > 0; ) {
    const recorded = uncounted.filter(({ isRecorded }) => isRecorded);
    const records = Array.from(
      Map.groupBy(recorded, ({ event }) => toSubjectKey(event)),
      ([subjectKey, ofSubject]): RecordWrite => {
        const isMarking = ofSubject.length <= MAX_MARKS && !fullRecords.has(toRecordId(scope, subjectKey));
        return { subjectKey, parts: ofSubject, isMarking };
      },
    );
    const inRecords = new Set(records.filter(({ isMarking }) => isMarking).flatMap((record) => record.parts));
    const marked = uncounted.filter((part) => !inRecords.has(part));
    const events = uncounted.map(({ event }) => event);
    const writes = [
      ...records.map((record) => toWrite(scope, record)),
      ...marked.map(({ id }) => countedMarkerWrite(scope, id)),
      ...consumptionWrites(scope, events),
    ];
    try {
      const [first, ...others] = writes;
      await (first && others.length === 0 ? tenantTable(scope).write(first) : tenantTable(scope).transact(writes));
      return;
    } catch (error) {
      if (!(error instanceof TransactionFailed || error instanceof ConditionFailed)) throw error;
      const failures = error instanceof TransactionFailed ? error.failures : [error];
      const counted = new Set([
        ...records.flatMap((record, index) => {
          const failure = failures[index];
          return failure ? findCounted(scope, record, failure.item) : [];
        }),
        ...marked.filter((_, index) => failures[records.length + index]),
      ]);
      uncounted = uncounted.filter((part) => !counted.has(part));
    }
  }
}

async function countEvents(scope: TenantScope, events: readonly UsageEvent[]): Promise<void> {
  for (const parts of toTransactions(events.flatMap(toParts))) await countTogether(scope, parts);
}

/**
 * Adds events to the daily records and charges them to budgets. Each event is counted exactly once, even if called
 * repeatedly. Events of a tenant with budgets are counted in one transaction after another, because each transaction
 * locks the tenant's ledger.
 */
export async function countUsage(scope: TenantScope, events: readonly UsageEvent[]): Promise<void> {
  const distinctEvents = [...new Map(events.map((event) => [event.id, event])).values()];
  const charged = distinctEvents.filter(({ charges }) => charges);
  const uncharged = distinctEvents.filter(({ charges }) => !charges);
  await Promise.all([
    ...Array.from(Map.groupBy(uncharged, toSubjectKey).values(), (ofSubject) => countEvents(scope, ofSubject)),
    countEvents(scope, charged),
    ...charged.map((event) => settleAnswer(scope, event)),
  ]);
}
