import { randomUUID } from "node:crypto";
import { type ApiResponse, Client } from "./client.ts";

/** Creates another user in the client's tenant. A first request registers the user in the tenant. */
export async function createColleague(client: Client, roles = "member"): Promise<Client> {
  const colleague = new Client({ tenant: client.identity.tenant, user: `u-${randomUUID()}`, roles }, client.baseUrl);
  await colleague.get("/v1/me");
  return colleague;
}

export function shareConversation(
  owner: Client,
  id: string,
  to: Client,
  permission: "READ" | "WRITE",
): Promise<ApiResponse> {
  return owner.post(`/v1/chat/${id}/share`, { user_id: to.identity.user, permission });
}

/** Sends `count` requests concurrently and counts the responses by status. */
export async function countStatuses(
  count: number,
  request: (n: number) => Promise<ApiResponse>,
): Promise<Map<number, number>> {
  const responses = await Promise.all(Array.from({ length: count }, (_, n) => request(n)));
  const byStatus = Map.groupBy(responses, ({ status }) => status);
  return new Map([...byStatus].map(([status, all]) => [status, all.length]));
}
