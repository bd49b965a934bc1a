import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "#test/support/client.ts";
import { hmacHex } from "#test/support/webhooks/channel.ts";

const incident = { severity: "critical", description: "A secret incident" };

/** Posts an alert that starts an investigation. @returns the id of the investigation */
export async function raiseIncident(
  owner: Client,
  channel: string,
  secret: string,
  persona: string,
  alert: object = incident,
): Promise<string> {
  const list = async () => {
    const { investigations } = (await owner.get("/v1/investigations")).body;
    return investigations.map(({ id }: { id: string }) => id) as string[];
  };
  await owner.patch(`/v1/webhooks/${channel}`, { investigate: { persona } });
  const known = await list();
  const body = JSON.stringify(alert);
  const headers = { "content-type": "application/json", "x-webhook-signature": hmacHex(secret, body) };
  await owner.fetch(`/v1/webhooks/${channel}`, { method: "POST", headers, body });
  for (let attempt = 0; attempt < 200; attempt++) {
    const started = (await list()).find((id) => !known.includes(id));
    if (started) return started;
    await sleep(100);
  }
  throw new Error("No investigation started within 20 s");
}
