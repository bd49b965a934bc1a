import { vi } from "vitest";
import type { Approval } from "#shared/api/governance/approvals.ts";
import type { Answer, Client } from "../client.ts";

/** Decides an approval. */
export const decide = (client: Client, id: string, decision: string, more: object = {}): Promise<Answer> =>
  client.post(`/v1/approvals/${id}/decide`, { decision, ...more });

/** An approval once its action was carried out, as this person gets to read it for the first time since. */
export function carriedOut(client: Client, id: string): Promise<Approval & { result: Record<string, unknown> }> {
  return vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/approvals/${id}`);
      if (!body.result) throw new Error(`No result yet: ${JSON.stringify(body)}`);
      return body;
    },
    { timeout: 15_000, interval: 50 },
  );
}
