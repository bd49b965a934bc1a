import type { Severity } from "../api/channels/investigate.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Condition, Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import { isAtLeast, severityRanks } from "./alert-facts.ts";
import type { InvestigationRef } from "./investigation-store.ts";

export const investigationGroupAccess = itemAccess("investigationGroup", "get", "put", "update");

/** Group of alerts with the investigation that they belong to. */
export interface AlertGroup extends InvestigationRef {
  readonly severity: Severity;
}

/** Names of an alert's groups. */
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

/** Finds the latest investigation of an incident, also after its window. */
export async function findLatestOfIncident(scope: TenantScope, { incident }: GroupNames): Promise<AlertGroup | null> {
  return toGroup(await readGroup(scope, incident));
}

/**
 * Finds the investigation that an alert joins: that of its incident, or that of its service if that was started for an alert
 * that is at least as severe.
 */
export async function findGroup(
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

/** Time after an incident's last alert for which its investigation is still found, to tell it that the incident is resolved. */
const RETENTION_SECONDS = 30 * 24 * 3_600;

const currentSecond = () => Math.floor(now() / 1_000);
const inMinutes = (minutes: number) => ({
  until: currentSecond() + minutes * 60,
  ttl: expiresAfter(RETENTION_SECONDS),
});

/** Condition that a group has no current investigation or, for a service, one of a less severe alert. */
const isFree = (severity?: Severity): Condition => ({
  where: `attribute_not_exists(#pk) OR #until <= :second${severity ? " OR #rank < :rank" : ""}`,
  values: { second: currentSecond(), ...(severity && { rank: severityRanks.indexOf(severity) }) },
});

/** Returns the writes that make an investigation the current one of its groups. They fail if another one became it first. */
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

/** Extends the window of an incident that opened again, so that an incident that flaps starts no other investigation. */
export async function extendGroup(scope: TenantScope, incident: string, windowMinutes: number): Promise<void> {
  await tenantTable(scope).write({
    update: keys.investigationGroup(scope.tenantId, incident),
    set: inMinutes(windowMinutes),
  });
}
