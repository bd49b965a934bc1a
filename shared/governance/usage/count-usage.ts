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

/** Maximum number of ledgers that an event is charged to in one transaction, with its marker and its record. */
const MAX_LEDGERS = MAX_TRANSACTION_WRITES - 2;

/** Event, or a part of one, that is counted once. */
interface Part {
  /** Id that marks the part as counted. */
  readonly id: string;
  readonly event: UsageEvent;
  /** True for the part that is counted in the daily record. */
  readonly isRecorded: boolean;
}

/**
 * Splits an event that is charged to more ledgers than one transaction can write, for example because its user has many
 * groups.
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

/** Groups parts into transactions of at most 100 writes: a marker for each, their daily records and their ledgers. */
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

/** Prefix of the attributes of a record that mark parts as counted. The hash of an id follows. */
const MARK_PREFIX = "c_";

/** Maximum number of marks in a record, with which it stays below 1 KB, and so an answer takes one write unit. */
const MAX_MARKS = 24;

const toMark = (id: string) => MARK_PREFIX + sha256(id).slice(0, 11).replaceAll("-", "_");

/** Maximum number of full records that one execution environment remembers. */
const MAX_FULL_RECORDS = 10_000;

/** Records that have no room for further marks, so that no write has to find out again. */
const fullRecords = new Set<string>();

const toRecordId = ({ tenantId }: TenantScope, subjectKey: string) => `${tenantId}#${subjectKey}`;

/** Adds parts to the daily record of their subject. */
interface RecordWrite {
  readonly subjectKey: string;
  readonly parts: readonly Part[];
  /** True if the record marks the parts as counted; otherwise items of their own do. */
  readonly isMarking: boolean;
}

/**
 * Returns the write to a record. A write that cannot mark its parts closes the record for marks, so that a part always finds
 * its mark where it is looked for. Records of earlier releases are closed.
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

/** Returns which parts a failed write found counted. Remembers a record without room for marks. */
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

/** Counts parts of events in one transaction, or in one write if that suffices, without those that were counted before. */
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
 * Adds events to the daily records and charges them to budgets. Counts each event exactly once, even if called repeatedly. Events
 * of a tenant with budgets are counted one transaction after the other, because each locks the ledger of the tenant.
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
