import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, newIdentity } from "../../support/client.ts";
import type { SlackStub } from "../../support/slack/slack-stub.ts";
import { activityOf, type TeamsStub } from "../../support/teams/teams-stub.ts";
import { createChannel, hmacHex } from "../../support/webhooks/channel.ts";

/** Receiver of events and of updates, which accepts everything. */
export async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end(request.method === "GET" ? JSON.stringify({ notes: [] }) : "{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Channel of a tenant of its own, so that its settings change no other operation. */
async function createOwnChannel(baseUrl: string) {
  const client = new Client(newIdentity(), baseUrl);
  const channel = await createChannel({}, client);
  const post = (body: object) => {
    const raw = JSON.stringify(body);
    return channel.post(raw, { "x-webhook-signature": hmacHex(String(channel.registration.secret), raw) });
  };
  const deliver = () => post({ severity: "high", description: "Disk full", alert_id: randomUUID() });
  return { client, channel, post, deliver };
}

/** Alerts that an event endpoint receives. */
export async function prepareEvents(baseUrl: string, url: string) {
  const { client, deliver } = await createOwnChannel(baseUrl);
  const { status } = await client.post("/v1/event-endpoints", { url, types: ["alert.received"] });
  if (status !== 201) throw new Error(`event endpoint failed with ${status}`);
  return deliver;
}

/** Alerts that are posted to a channel of Slack. */
export async function prepareSlackPosts(baseUrl: string, slack: SlackStub) {
  const { client, channel, deliver } = await createOwnChannel(baseUrl);
  const { body } = await client.post("/v1/messengers/slack/workspaces", { name: "Cost", ...slack.createApp("T-COST") });
  const { status } = await client.patch(`/v1/webhooks/${channel.id}`, {
    slack: { workspace_id: body.id, channel: "C1" },
  });
  if (status !== 200) throw new Error(`channel of Slack failed with ${status}`);
  return deliver;
}

/** Alerts that are posted to a channel of Teams. */
export async function prepareTeamsPosts(baseUrl: string, teams: TeamsStub) {
  const { client, channel, deliver } = await createOwnChannel(baseUrl);
  const [id, secret, organization, person] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  teams.createApp(id, secret);
  const { body } = await client.post("/v1/messengers/teams/workspaces", { name: "Cost", app: { id, secret } });
  const { body: connection } = await client.post(`/v1/messengers/teams/workspaces/${body.id}/codes`, undefined);
  const place = { conversation: `a:29:${person}`, type: "personal" } as const;
  const message = { id: "1600000000000", text: `connect ${connection.code}` };
  await fetch(baseUrl + new URL(body.request_url).pathname, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${await teams.sign(id)}` },
    body: JSON.stringify(activityOf(teams, id, { organization, id: person }, place, message)),
  });
  const { status } = await client.patch(`/v1/webhooks/${channel.id}`, {
    teams: { workspace_id: body.id, channel: "19:ops@thread.tacv2" },
  });
  if (status !== 200) throw new Error(`channel of Teams failed with ${status}`);
  return deliver;
}

/** Alerts that are investigated, and updates of one of their incidents. */
export async function prepareInvestigations(baseUrl: string, url: string) {
  const { client, channel, post } = await createOwnChannel(baseUrl);
  const { body: persona } = await client.post("/v1/personas", { name: "On call" });
  const budget = { tokens_per_day: 10_000_000, tokens_per_run: 10_000 };
  const write_back = { provider: "pagerduty", url, from: "ann@example.com", secret: "s", actions: { note: "auto" } };
  const settings = { investigate: { persona: persona.id, budget }, write_back };
  const changed = await client.patch(`/v1/webhooks/${channel.id}`, settings);
  if (changed.status !== 200) throw new Error(`channel with investigations failed with ${changed.status}`);
  let raised = 0;
  const listAll = async () => (await client.get("/v1/investigations?limit=100")).body.investigations;
  return {
    raise() {
      const id = `Q${++raised}`;
      const data = { id, type: "incident", title: `Down ${id}`, status: "triggered", urgency: "high" };
      const service = { summary: `service-${raised}` };
      return post({ event: { id: `e-${id}`, event_type: "incident.triggered", data: { ...data, service } } });
    },
    async untilEnded() {
      for (;;) {
        const ended = (await listAll()).filter(({ ended_at }: { ended_at: string | null }) => ended_at !== null);
        if (ended.length >= raised) return;
        await sleep(1_000);
      }
    },
    async note() {
      const [{ id }] = await listAll();
      return () => client.post(`/v1/investigations/${id}/updates`, { action: "note", text: "It was DNS" });
    },
  };
}
