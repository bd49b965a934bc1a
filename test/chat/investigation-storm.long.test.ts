import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { type Script, startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { shiftedClock } from "#test/support/shifted-clock.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

/** Alerts of a storm, its incidents, and the time in which the alerts arrive. */
const [ALERTS, INCIDENTS, STORM_MS] = sized({ usual: [0, 0, 0], full: [400, 20, 24_000], soak: [1_000, 50, 60_000] });

/** Investigations during each of which the instance is killed. */
const KILLS = sized({ usual: 0, full: 12, soak: 50 });

/** Time after which the watchdog of a run notices that its function is dead, with a margin. */
const LATER_MS = 90_000;

interface Entry {
  readonly id: string;
  readonly status: string;
  readonly ended_at: string | null;
  readonly severity: string;
  readonly started_at: string | null;
}

let upstream: Upstream;
let open = 0;
let mostOpen = 0;

/** Model that takes a while and finds nothing. */
const slowModel: Script = async (response, request) => {
  if (!request.body.tools) return streamText([""])(response, request);
  mostOpen = Math.max(mostOpen, ++open);
  await sleep(150);
  open--;
  return streamText(["I find nothing."])(response, request);
};

beforeAll(async () => {
  upstream = await startUpstream(slowModel);
});
afterAll(() => upstream?.stop());

const settings = () => ({
  MODEL_PROVIDER: "openai-compatible",
  MODEL_BASE_URL: upstream.baseUrl,
  MODEL_ID: "gpt-4o",
  RATE_LIMIT_CHANNEL: "100000",
  RATE_LIMIT_TENANT: "100000",
});

/** Registers a channel whose alerts are investigated. */
async function createInvestigatedChannel(client: Client) {
  const { body: persona } = await client.post("/v1/personas", { name: "On call" });
  const channel = await createChannel({}, client);
  const investigate = { persona: persona.id, budget: { tokens_per_day: 10_000_000, tokens_per_run: 10_000 } };
  await client.patch(`/v1/webhooks/${channel.id}`, { investigate });
  return channel;
}

function toNotification(incident: number, event: number) {
  const severity = incident % 5 === 0 ? "critical" : "high";
  const labels = { alertname: `Incident ${incident}`, service: `storm-${incident}`, severity };
  const startsAt = new Date(Date.UTC(2026, 10, 25, 10) + event * 1_000).toISOString();
  const alert = { status: "firing", labels, annotations: {}, fingerprint: `f-${incident}`, startsAt };
  return JSON.stringify({ status: "firing", groupKey: `g-${incident}`, commonLabels: labels, alerts: [alert] });
}

async function postTo(baseUrl: string, channel: { id: string; registration: Record<string, unknown> }, raw: string) {
  const headers = { "x-webhook-signature": hmacHex(String(channel.registration.secret), raw) };
  return (await fetch(`${baseUrl}/v1/webhooks/${channel.id}`, { method: "POST", headers, body: raw })).status;
}

const list = async (client: Client): Promise<Entry[]> =>
  (await client.get("/v1/investigations?limit=100")).body.investigations;

async function listMessages(client: Client, conversation: string) {
  // biome-ignore lint/suspicious/noExplicitAny: messages of any shape
  const messages: any[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await client.get(`/v1/conversations/${conversation}/messages?limit=100${cursor}`);
    messages.push(...body.messages);
    if (!body.next_cursor) return messages;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

it.runIf(isFullRun)(
  `storm of ${ALERTS} alerts starts one run for each of ${INCIDENTS} incidents, three at a time`,
  async () => {
    const service = await startSwitchboard({ env: settings() });
    try {
      const client = new Client(newIdentity(), service.baseUrl);
      const channel = await createInvestigatedChannel(client);
      const startedAt = Date.now();
      const statuses = await mapConcurrent(
        Array.from({ length: ALERTS }, (_, index) => index),
        async (index) => {
          await sleep(Math.max(0, startedAt + (index * STORM_MS) / ALERTS - Date.now()));
          return postTo(service.baseUrl, channel, toNotification(index % INCIDENTS, index));
        },
        20,
      );
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      await expect
        .poll(async () => (await list(client)).filter(({ ended_at }) => ended_at).length, {
          timeout: 200_000,
          interval: 1_000,
        })
        .toBe(INCIDENTS);
      const entries = await list(client);
      const messages = await listMessages(client, channel.conversation_id);
      const alerts = messages.filter(({ role }) => role === "alert");
      const answers = messages.filter(({ role, investigation_id }) => role === "assistant" && investigation_id);
      console.log(
        `storm: ${alerts.length} alerts in ${seconds} s, ${entries.length} investigations, ${answers.length} answers, ${mostOpen} model calls at a time at most, ended after ${Math.round((Date.now() - startedAt) / 1_000)} s`,
      );
      expect([alerts.length, entries.length, answers.length]).toEqual([ALERTS, INCIDENTS, INCIDENTS]);
      expect(mostOpen).toBeLessThanOrEqual(3);
      expect(new Set(entries.map(({ status }) => status))).toEqual(new Set(["completed"]));
    } finally {
      await service.stop();
    }
  },
);

it.runIf(isFullRun)(`investigations end once although their instance is killed ${KILLS} times`, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const random = seededRandom(38);
  const identity = newIdentity();
  let service: Switchboard | undefined;
  try {
    service = await startSwitchboard({ stateDir, env: settings() });
    const channel = await createInvestigatedChannel(new Client(identity, service.baseUrl));
    for (let kill = 1; kill <= KILLS; kill++) {
      expect(await postTo(service.baseUrl, channel, toNotification(kill, kill))).toBe(200);
      await sleep(random() * 2_500);
      await service.stop("SIGKILL");
      const nodeOptions = [shiftedClock(LATER_MS * kill)];
      service = await startSwitchboard({ stateDir, env: settings(), nodeOptions });
    }
    const client = new Client(identity, service.baseUrl);
    await expect
      .poll(async () => (await list(client)).filter(({ ended_at }) => ended_at).length, {
        timeout: 240_000,
        interval: 2_000,
      })
      .toBe(KILLS);
    const entries = await list(client);
    const messages = await listMessages(client, channel.conversation_id);
    const answers = messages.filter(({ role, investigation_id }) => role === "assistant" && investigation_id);
    const byStatus = Object.groupBy(entries, ({ status }) => status);
    console.log(
      `kills: ${KILLS}, investigations: ${Object.entries(byStatus).map(([status, ended]) => `${ended?.length} ${status}`)}`,
    );
    expect(new Set(answers.map(({ investigation_id }) => investigation_id)).size).toBe(entries.length);
    expect(answers.length).toBe(entries.length);
  } finally {
    await service?.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
});
