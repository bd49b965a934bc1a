import * as v from "valibot";
import { Observation } from "../api/investigations/investigations.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../lib/clock.ts";
import { sha256 } from "../lib/hash.ts";
import { FindingsReport } from "./findings.ts";

/** Retention of the records of an investigation: 90 days. */
const RETENTION_SECONDS = 90 * 24 * 3_600;

/** Maximum length in characters of a stored observation. */
export const MAX_OBSERVATION_CHARACTERS = 20_000;

/** Observation with the text that the model has read. */
export const RecordedObservation = v.object({
  ...Observation.entries,
  text: v.string(),
  /** Name of the tool, hash of its input, and the truncated input. */
  tool: v.optional(v.string()),
  input_hash: v.optional(v.string()),
  input: v.optional(v.string()),
  is_failed: v.boolean(),
});
export type RecordedObservation = v.InferOutput<typeof RecordedObservation>;

const Reported = v.object({ report: FindingsReport, at: v.string() });

const JoinedAlert = v.object({ message_id: v.string(), at: v.string() });

const readObservation = itemReader(RecordedObservation);
const readReport = itemReader(Reported);
const readAlert = itemReader(JoinedAlert);

/** Records of an investigation. Observations are in the order of their ids. */
export interface InvestigationRecords {
  readonly observations: readonly RecordedObservation[];
  /** Latest report of the model, or null. */
  readonly report: FindingsReport | null;
  readonly reportCount: number;
  /** Alerts that have joined the investigation. */
  readonly alerts: readonly v.InferOutput<typeof JoinedAlert>[];
  /** Runbook that was found at the start, or null. */
  readonly runbook: StoredRunbook | null;
}

export const StoredRunbook = v.object({
  document_id: v.string(),
  title: v.string(),
  matched_by: v.picklist(["match", "search"]),
  text: v.string(),
});
export type StoredRunbook = v.InferOutput<typeof StoredRunbook>;
const readRunbook = itemReader(StoredRunbook);

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, entry]) => [name, canonical(entry)]),
        )
      : value;

/** Returns a hash of a tool's input that does not depend on the order of object keys. */
export const hashInput = (input: unknown): string => sha256(JSON.stringify(canonical(input)) ?? "").slice(0, 32);

function recordWrite(scope: TenantScope, id: string, record: string, attributes: object): Write {
  return {
    put: {
      ...keys.investigationRecord(scope.tenantId, id, record),
      discriminator: "investigation-record",
      ttl: expiresAfter(RETENTION_SECONDS),
      ...attributes,
    },
    condition: absent(),
  };
}

/** Stores an observation. Does nothing if one with its id exists. */
export async function recordObservation(
  scope: TenantScope,
  investigationId: string,
  observation: RecordedObservation,
): Promise<void> {
  const { kind, id } = observation;
  const position = `observation#${kind === "tool" ? "2" : "1"}#${id.slice(0, 1)}${id.slice(1).padStart(4, "0")}`;
  const write = recordWrite(scope, investigationId, position, observation);
  await tenantTable(scope).write(write).catch(ignoreConditionFailed);
}

export async function recordReport(
  scope: TenantScope,
  investigationId: string,
  report: FindingsReport,
  at: string,
): Promise<void> {
  const write = recordWrite(scope, investigationId, `report#${at}`, { report, at });
  await tenantTable(scope).write(write).catch(ignoreConditionFailed);
}

export async function recordRunbook(
  scope: TenantScope,
  investigationId: string,
  runbook: StoredRunbook,
): Promise<void> {
  await tenantTable(scope)
    .write(recordWrite(scope, investigationId, "runbook", runbook))
    .catch(ignoreConditionFailed);
}

/** Returns the write that adds an alert to an investigation. It fails if the alert was already added. */
export const joinedAlertWrite = (scope: TenantScope, investigationId: string, messageId: string, at: string): Write =>
  recordWrite(scope, investigationId, `alert#${messageId}`, { message_id: messageId, at });

export async function readRecords(scope: TenantScope, investigationId: string): Promise<InvestigationRecords> {
  const { pk } = keys.investigationRecord(scope.tenantId, investigationId, "");
  const items = await tenantTable(scope).query({ pk, consistent: true });
  const ofKind = (kind: string) => items.filter(({ sk }) => sk === kind || sk.startsWith(`${kind}#`));
  const reports = ofKind("report");
  const last = reports.at(-1);
  const [runbook] = ofKind("runbook");
  return {
    observations: ofKind("observation").map(readObservation),
    report: last ? readReport(last).report : null,
    reportCount: reports.length,
    alerts: ofKind("alert").map(readAlert),
    runbook: runbook ? readRunbook(runbook) : null,
  };
}
