import { expect, vi } from "vitest";
import type { AuditEvent } from "#shared/api/governance/audit.ts";
import type { Client } from "../client.ts";

/** Events of a client's tenant, newest first. */
export const auditEvents = async (client: Client, query = ""): Promise<AuditEvent[]> =>
  (await client.get(`/v1/audit-events?limit=100&${query}`)).body.audit_events;

/** Waits until the trail has events of these actions about a target, in any order. */
export const untilNoted = (client: Client, target: string, actions: readonly string[]): Promise<AuditEvent[]> =>
  vi.waitFor(
    async () => {
      const events = await auditEvents(client, `target=${encodeURIComponent(target)}`);
      expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining([...actions]));
      return events;
    },
    { timeout: 15_000, interval: 50 },
  );
