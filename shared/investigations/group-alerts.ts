import type { Severity } from "../api/webhooks/investigate.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, anyOf, atMost, type Condition, type Item, lessThan, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import { isAtLeast, severityRanks } from "../webhooks/alert-facts.ts";
import type { InvestigationRef } from "./investigation-store.ts";

/** Investigation that the alerts of an incident or service join, with the severity of the alert that started it. */
interface AlertGroup extends InvestigationRef {
  readonly severity: Severity;
}

/** Hashes that identify the groups of an alert: its incident and, if known, its service. */
export interface GroupNames {
  readonly incident: string;
  readonly service: string | null;
}

const toGroup = (item: Item | undefined): AlertGroup | null =>
  item
    ? {
        id: String(item.investigation_id),
        conversation_id: String(item.conversation_id),
        severity: item.severity as Severity,
      }
    : null;

const readGroup = (scope: TenantScope, hash: string) =>
  tenantTable(scope).get(keys.investigationGroup(scope.tenantId, hash), { consistent: true });

/**
 * Returns the latest investigation of an incident, also after the time in which alerts join it; null if there is none.
 */
export async function findLatestOfIncident(scope: TenantScope, { incident }: GroupNames): Promise<AlertGroup | null> {
  return toGroup(await readGroup(scope, incident));
}

/**
 * Returns the current investigation that an alert joins: that of its incident, or that of its service if the latter was
 * started by an alert at least as severe. Null if the alert needs its own.
 */
export async function findAlertGroup(
  scope: TenantScope,
  { incident, service }: GroupNames,
  severity: Severity,
): Promise<{ readonly group: AlertGroup; readonly isSameIncident: boolean } | null> {
  const items = await Promise.all([
    readGroup(scope, incident),
    service === null ? undefined : readGroup(scope, service),
  ]);
  const [own, related] = items.map((item) => toGroup(Number(item?.until) > currentSecond() ? item : undefined));
  if (own) return { group: own, isSameIncident: true };
  return related && isAtLeast(related.severity, severity) ? { group: related, isSameIncident: false } : null;
}

/**
 * Time after the last alert of an incident for which its investigation is still found, so that it learns when the
 * incident is resolved.
 */
const RETENTION_SECONDS = 30 * 24 * 3_600;

const currentSecond = () => Math.floor(now() / 1_000);
const inMinutes = (minutes: number) => ({
  until: currentSecond() + minutes * 60,
  ttl: expiresAfter(RETENTION_SECONDS),
});

/**
 * Returns the condition that a group has no current investigation or, for a service, only one with a lower severity.
 */
const isFree = (severity?: Severity): Condition =>
  anyOf([
    absent(),
    atMost({ until: currentSecond() }),
    ...(severity ? [lessThan({ rank: severityRanks.indexOf(severity) })] : []),
  ]);

/**
 * Returns the writes that make an investigation the current one of its groups for a number of minutes. They fail if
 * another investigation was faster.
 */
export function groupWrites(
  scope: TenantScope,
  { incident, service }: GroupNames,
  { id, conversation_id, severity }: AlertGroup,
  windowMinutes: number,
): Write[] {
  const put = (hash: string): Item => ({
    ...keys.investigationGroup(scope.tenantId, hash),
    discriminator: "investigation-group",
    ...inMinutes(windowMinutes),
    investigation_id: id,
    conversation_id,
    severity,
    rank: severityRanks.indexOf(severity),
  });
  return [
    { put: put(incident), condition: isFree() },
    ...(service === null ? [] : [{ put: put(service), condition: isFree(severity) }]),
  ];
}

/** Returns the write that removes the group of an incident. */
export const removeGroupWrite = (scope: TenantScope, incident: string): Write => ({
  delete: keys.investigationGroup(scope.tenantId, incident),
});

/**
 * Extends the time in which alerts of an incident join its investigation, so that an incident that opens and closes
 * repeatedly starts only one.
 */
export async function extendGroup(scope: TenantScope, incident: string, windowMinutes: number): Promise<void> {
  await tenantTable(scope).write({
    update: keys.investigationGroup(scope.tenantId, incident),
    set: inMinutes(windowMinutes),
  });
}
