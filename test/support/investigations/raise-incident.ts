import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "#test/support/client.ts";
import { hmacHex } from "#test/support/webhooks/channel.ts";

/** Posts an alert that starts an investigation. @returns the id of the investigation */
export async function raiseIncident(owner: Client, channel: string, secret: string, persona: string): Promise<string> {
  await owner.patch(`/v1/webhooks/${channel}`, { investigate: { persona } });
  const body = JSON.stringify({ severity: "critical", description: "A secret incident" });
  const headers = { "content-type": "application/json", "x-webhook-signature": hmacHex(secret, body) };
  await owner.fetch(`/v1/webhooks/${channel}`, { method: "POST", headers, body });
  for (let attempt = 0; attempt < 200; attempt++) {
    const [investigation] = (await owner.get("/v1/investigations")).body.investigations;
    if (investigation) return investigation.id;
    await sleep(100);
  }
  throw new Error("No investigation started within 20 s");
}
