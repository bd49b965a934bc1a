import { setTimeout as sleep } from "node:timers/promises";
import { routes } from "#shared/api/routes.ts";
import { Client, newIdentity } from "../client.ts";
import { startEmbeddingServer } from "../knowledge/embedding-server.ts";
import { startScriptedService } from "../scripted-service.ts";
import { startSlackStub } from "../slack/slack-stub.ts";
import { startTeamsStub } from "../teams/teams-stub.ts";
import { Operator, readDeploymentKey } from "../tenancy/deployment-key.ts";
import { callEveryOperation } from "./every-operation.ts";
import { isWrite, startTableProxy, type TableCall } from "./table-proxy.ts";

/** Table calls and capacity units of one request, without those of stream processors and jobs. */
export interface OperationUnits {
  /** Number of calls that were made one after the other. */
  readonly roundTrips: number;
  readonly calls: number;
  readonly read: number;
  readonly written: number;
}

/** Units of the first request in a new instance of an operation's function, and of the next request. */
export type UnitsOfTwoRequests = readonly [first: OperationUnits, next: OperationUnits];

export interface MeasuredOperations {
  /** Units by operation id, in alphabetical order of the ids. */
  readonly units: ReadonlyMap<string, UnitsOfTwoRequests>;
  /** Maximum number of items that a caller writes in one request or delivery, by partition pattern and caller. */
  readonly writesByPartition: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Time that a table call takes, so that calls sent together overlap. */
const CALL_DELAY_MS = 8;

/** Time that a call of the stream processor takes, so that operations do not find its work done. */
const CASCADE_DELAY_MS = 1_000;

/** Time to wait after a response, in which all work of its function ends. */
const SETTLE_MS = 60;

/** Returns the length of the longest chain of calls each of which started after the one before had ended. */
function countRoundTrips(calls: readonly TableCall[]): number {
  let endedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const call of calls.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (call.startedAt < endedAt) continue;
    endedAt = call.endedAt;
    count++;
  }
  return count;
}

/** DynamoDB also charges for writes whose condition fails, at least one unit. */
const REJECTED_WRITE_UNITS = 1;

function sumUnits(calls: readonly TableCall[]): OperationUnits {
  const unitsOf = ({ operation, isAccepted, units }: TableCall) =>
    isAccepted || !isWrite(operation) ? units : REJECTED_WRITE_UNITS;
  const sum = (selected: readonly TableCall[]) => selected.reduce((total, call) => total + unitsOf(call), 0);
  return {
    roundTrips: countRoundTrips(calls),
    calls: calls.length,
    read: sum(calls.filter(({ operation }) => !isWrite(operation))),
    written: sum(calls.filter(({ operation }) => isWrite(operation))),
  };
}

const toKebabCase = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Calls every operation of an instance twice and returns the capacity units that its function and its authorizer
 * consumed.
 * @throws Error if a request fails or an operation is missing
 */
export async function measureOperations(): Promise<MeasuredOperations> {
  const table = await startTableProxy();
  const embeddings = await startEmbeddingServer();
  const [slack, teams] = await Promise.all([startSlackStub(), startTeamsStub()]);
  const service = await startScriptedService({
    env: {
      DYNAMODB_ENDPOINT: table.endpoint,
      EMBEDDING_PROVIDER: "openai-compatible",
      EMBEDDING_BASE_URL: embeddings.baseUrl,
      EMBEDDING_ID: "bench",
      ...slack.settings,
      ...teams.settings,
      // One instance of each function serves both requests.
      LOCAL_WORKERS: "1000",
    },
  });
  const calls: TableCall[] = [];
  const measured = new Map<string, UnitsOfTwoRequests>();
  try {
    table.delayOf = (caller) => (caller.endsWith("-changes-cascade") ? CASCADE_DELAY_MS : CALL_DELAY_MS);
    table.onCall = (call) => calls.push(call);
    const client = new Client(newIdentity(), service.baseUrl);
    await client.get("/v1/me");
    const operator = new Operator(readDeploymentKey(service), service.baseUrl);
    await callEveryOperation(
      { client, upstream: service.upstream, operator, slack, teams },
      async (operation, request) => {
        const callers = new RegExp(`[-_](${toKebabCase(operation)}|authorizer-[a-z-]+)$`);
        const measure = async (turn: 0 | 1) => {
          const startedAt = performance.now();
          const { status, text, body } = await request(turn);
          if (status >= 400 && !operation.startsWith("refuse")) throw new Error(`${operation}: ${status} ${text}`);
          await sleep(SETTLE_MS);
          const own = calls.filter((call) => call.startedAt >= startedAt && callers.test(call.caller));
          return { body, units: sumUnits(own) };
        };
        const [first, next] = [await measure(0), await measure(1)];
        // The first calls of an operation of several messengers are those of a new instance.
        if (!measured.has(operation)) measured.set(operation, [first.units, next.units]);
        return [first.body, next.body];
      },
    );
  } finally {
    await service.stop();
    embeddings.close();
    await Promise.all([slack.stop(), teams.stop()]);
    await table.stop();
  }
  const missing = routes.filter(({ id }) => !measured.has(id)).map(({ id }) => id);
  if (missing.length > 0) throw new Error(`Not called: ${missing}`);
  const units = [...measured].sort(([one], [other]) => (one < other ? -1 : 1));
  return { units: new Map(units), writesByPartition: countWrites(calls) };
}

type Key = { readonly pk?: { readonly S: string } };
type Write = {
  readonly Item?: Key & { readonly gsi1pk?: { readonly S: string } };
  readonly Key?: Key;
  readonly Put?: Write;
  readonly Update?: Write;
  readonly Delete?: Write;
  readonly PutRequest?: Write;
  readonly DeleteRequest?: Write;
  readonly TransactItems?: readonly Write[];
  readonly RequestItems?: Readonly<Record<string, readonly Write[]>>;
};

/** Returns the partition keys of all items that a request writes. */
function writtenPartitions(write: Write): string[] {
  const { Item, Key, Put, Update, Delete, PutRequest, DeleteRequest, TransactItems = [], RequestItems = {} } = write;
  const nested = [
    Put,
    Update,
    Delete,
    PutRequest,
    DeleteRequest,
    ...TransactItems,
    ...Object.values(RequestItems).flat(),
  ];
  return [
    ...[Item?.pk?.S, Key?.pk?.S, Item?.gsi1pk?.S].filter((key) => key !== undefined),
    ...nested.flatMap((part) => (part ? writtenPartitions(part) : [])),
  ];
}

/** Replaces the tenant by `T`, numbers by `<n>`, and ids, slugs, hashes and terms by `<id>`. */
function toPattern(partition: string): string {
  const [first = "", ...parts] = partition.split("#");
  const replace = (part: string, index: number) => {
    if (/^\d{1,12}$/.test(part)) return "<n>";
    return first !== "~slug" && /^[a-z-]+$/.test(part) && index < 2 ? part : "<id>";
  };
  return [first.startsWith("~") ? first : "T", ...parts.map(replace)].join("#");
}

function countWrites(calls: readonly TableCall[]): Map<string, Map<string, number>> {
  const byPartition = new Map<string, Map<string, number>>();
  for (const { caller, operation, request, isAccepted } of calls) {
    if (!isAccepted || !isWrite(operation)) continue;
    const counts = Map.groupBy(writtenPartitions(request as Write).map(toPattern), (pattern) => pattern);
    for (const [pattern, { length }] of counts) {
      const byCaller = byPartition.get(pattern) ?? new Map<string, number>();
      byPartition.set(pattern, byCaller);
      const name = caller.replace(/^switchboard-local[-_]/, "");
      byCaller.set(name, Math.max(length, byCaller.get(name) ?? 0));
    }
  }
  return byPartition;
}

/**
 * Operations whose units grow with what the tenant has stored, such as the audit events of all earlier calls, and
 * `createExport`, which creates nothing while an earlier export is being built.
 */
export const dataDependentOperations: ReadonlySet<string> = new Set([
  "createExport",
  "downloadExport",
  "listAuditEvents",
  "verifyAuditEvents",
]);

const columns = ["roundTrips", "calls", "read", "written"] as const;

/** Returns the table row of an operation, with each quantity of the first and of the next request. */
export function toRow(operation: string, [first, next]: UnitsOfTwoRequests): string {
  return `| ${[operation, ...columns.map((name) => `${first[name]} / ${next[name]}`)].join(" | ")} |`;
}

/** Returns the table of all operations as Markdown. */
function operationTable({ units }: MeasuredOperations): string {
  const rows = Array.from(units, ([operation, measured]) => toRow(operation, measured));
  return ["| operation | round trips | calls | read units | write units |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

/** Maximum number of callers that a row names. A row with more callers states only their number. */
const NAMED_CALLERS = 6;

/** Returns the table of the partitions that all users of a tenant share. */
function partitionTable({ writesByPartition }: MeasuredOperations): string {
  const shared = [...writesByPartition].filter(([pattern]) => !pattern.includes("<id>"));
  const rows = shared
    .map(([pattern, byCaller]) => {
      const names =
        byCaller.size > NAMED_CALLERS ? `${byCaller.size} functions` : [...byCaller.keys()].sort().join(", ");
      return `| \`${pattern}\` | ${Math.max(...byCaller.values())} | ${names} |`;
    })
    .sort();
  return ["| partition | items | written by |", "|---|---|---|", ...rows].join("\n");
}

/** Returns the page with current tables between its markers. */
export function withDataTables(page: string, measured: MeasuredOperations): string {
  const tables = { partitions: partitionTable(measured), operations: operationTable(measured) };
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n?<!-- end -->)`),
        (_, start, end) => `${start}${table}${end.startsWith("\n") ? end : `\n${end}`}`,
      ),
    page,
  );
}
