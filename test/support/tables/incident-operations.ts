import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client.ts";
import { raiseIncident } from "../investigations/raise-incident.ts";
import { createChannel } from "../webhooks/channel.ts";
import type { CallTwice } from "./call-twice.ts";

/** Alert of PagerDuty, the service to which updates are written back. */
const alertOf = (id: string, title: string) => ({
  event: {
    id,
    event_type: "incident.triggered",
    data: { id, type: "incident", title, status: "triggered", urgency: "high" },
  },
});

/** Calls each operation of investigations twice, on the investigation of an alert. */
export async function callIncidentOperations(client: Client, persona: string, twice: CallTwice): Promise<void> {
  const channel = await createChannel({}, client);
  const secret = channel.registration.secret ?? "";
  const raise = (id: string, title: string) => raiseIncident(client, channel.id, secret, persona, alertOf(id, title));
  const id = await raise("Q1ABC", "Down");
  const path = `/v1/investigations/${id}`;
  while (["queued", "running"].includes((await client.get(path)).body.status)) await sleep(100);
  await twice("getInvestigation", () => client.get(path));
  await twice("listInvestigations", () => client.get("/v1/investigations"));
  await twice("acknowledgeInvestigation", () => client.post(`${path}/acknowledge`, undefined));
  await twice("getInvestigationReview", () => client.get(`${path}/review`));
  await twice("silenceInvestigation", () => client.post(`${path}/silence`, { minutes: 5 }));
  const other = `/v1/investigations/${await raise("Q2DEF", "Disk full")}`;
  await twice("mergeInvestigation", (turn) => client.post(`${other}/merge`, { into: turn === 0 ? id : null }));
  const write_back = { provider: "pagerduty", url: "http://127.0.0.1:1", secret: "key", from: "ann@example.com" };
  await client.patch(`/v1/webhooks/${channel.id}`, { write_back });
  await twice("createIncidentUpdate", () => client.post(`${path}/updates`, { action: "note", text: "Restarted" }));
  await twice("listIncidentUpdates", () => client.get(`${path}/updates`));
}
