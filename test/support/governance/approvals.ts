import { vi } from "vitest";
import type { Approval } from "#shared/api/governance/approvals.ts";
import type { ApiResponse, Client } from "../client.ts";

export const decideApproval = (
  client: Client,
  id: string,
  decision: string,
  fields: object = {},
): Promise<ApiResponse> => client.post(`/v1/approvals/${id}/decide`, { decision, ...fields });

/** Polls an approval until its action has a result, and returns the first response that contains it. */
export function waitForResult(client: Client, id: string): Promise<Approval & { result: Record<string, unknown> }> {
  return vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/approvals/${id}`);
      if (!body.result) throw new Error(`No result yet: ${JSON.stringify(body)}`);
      return body;
    },
    { timeout: 180_000, interval: 50 },
  );
}
