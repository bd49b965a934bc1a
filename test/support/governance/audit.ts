import { expect, vi } from "vitest";
import type { AuditEvent } from "#shared/api/governance/audit.ts";
import type { Client } from "../client.ts";

/** Lists audit events of a client's tenant, newest first. */
export const listAuditEvents = async (client: Client, query = ""): Promise<AuditEvent[]> =>
  (await client.get(`/v1/audit-events?limit=100&${query}`)).body.audit_events;

/** Polls until the audit trail has events of these actions for a target, in any order. */
export const waitForAuditEvents = (client: Client, target: string, actions: readonly string[]): Promise<AuditEvent[]> =>
  vi.waitFor(
    async () => {
      const events = await listAuditEvents(client, `target=${encodeURIComponent(target)}`);
      expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining([...actions]));
      return events;
    },
    { timeout: 180_000, interval: 50 },
  );
