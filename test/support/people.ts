import { randomUUID } from "node:crypto";
import { type Answer, Client } from "./client.ts";

/** Somebody of the same tenant, whom the tenant knows. */
export async function colleagueOf(client: Client, roles = "member"): Promise<Client> {
  const colleague = new Client({ tenant: client.person.tenant, user: `u-${randomUUID()}`, roles }, client.baseUrl);
  await colleague.get("/v1/me");
  return colleague;
}

/** Shares a conversation with somebody. */
export function share(owner: Client, id: string, to: Client, permission: "READ" | "WRITE"): Promise<Answer> {
  return owner.post(`/v1/chat/${id}/share`, { user_id: to.person.user, permission });
}

/** Statuses of many requests made at once, each with how often it came. */
export async function statusesOf(count: number, request: (n: number) => Promise<Answer>): Promise<Map<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => request(n)));
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  return new Map([...byStatus].map(([status, all]) => [status, all.length]));
}
