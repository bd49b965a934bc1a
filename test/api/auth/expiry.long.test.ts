import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Client, newIdentity, readFrames, readResponse } from "#test/support/client.ts";
import { shiftedClock } from "#test/support/shifted-clock.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

const HOUR_MS = 3_600_000;
const browserHeaders = { accept: "text/html,application/xhtml+xml" };

/** Starts an instance on existing state with a clock in the future. */
const startLater = (stateDir: string, offsetMs: number) =>
  startSwitchboard({ stateDir, nodeOptions: [shiftedClock(offsetMs)] });

it("share links, API keys, approvals and run logs stop working exactly at their expiry time", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const identity = newIdentity();
  try {
    const first = await startSwitchboard({ stateDir });
    const client = new Client(identity, first.baseUrl);
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content: "Hello" });
    const { message_id } = frames[0]?.data ?? {};
    const tokens: Record<string, string> = {};
    for (const expires_in of ["1h", "24h", "7d", "30d"]) {
      tokens[expires_in] = (await client.post(`/v1/chat/${id}/share-link`, { expires_in })).body.token;
    }
    const expires_at = new Date(Date.now() + 2 * HOUR_MS).toISOString();
    const { body: key } = await client.post(
      "/v1/tenant/api-keys",
      { description: "k", scopes: ["models.read"], expires_at },
      { "idempotency-key": randomUUID() },
    );
    const launch = { type: "tool_execution", action: { operation: "launch", params: {} } };
    const { body: approval } = await client.post("/v1/approvals", launch);
    await first.stop();

    const validByHours: Record<number, string[]> = {};
    for (const hours of [0.9, 1.1, 23, 25, 24 * 8, 24 * 31]) {
      const later = await startLater(stateDir, hours * HOUR_MS);
      const laterClient = new Client(identity, later.baseUrl);
      const validItems: string[] = [];
      for (const [name, token] of Object.entries(tokens)) {
        const { status } = await laterClient.get(`/v1/shared/${token}`);
        expect([200, 410], `${name} after ${hours} hours`).toContain(status);
        if (status === 200) validItems.push(name);
        else expect((await laterClient.get(`/v1/shared/${token}`, browserHeaders)).text).toContain("<h1>");
      }
      const models = await fetch(`${later.baseUrl}/openai/v1/models`, {
        headers: { authorization: `Bearer ${key.key}` },
      });
      if (models.status === 200) validItems.push("key");
      else expect(models.status).toBe(401);
      if ((await laterClient.get(`/v1/approvals/${approval.id}`)).body.status === "pending")
        validItems.push("approval");
      const log = await laterClient.fetch(`/v1/runtime/chat/${message_id}/stream`);
      if (log.status === 200) validItems.push("log");
      else expect([log.status, ((await log.json()) as { code: string }).code]).toEqual([410, "run_expired"]);
      if (log.status === 200) expect(await Array.fromAsync(readFrames(log))).toEqual(frames);
      // Messages do not expire with the log.
      expect((await laterClient.get(`/v1/conversations/${id}/messages`)).body.messages).toHaveLength(2);
      validByHours[hours] = validItems;
      await later.stop();
    }
    expect(validByHours).toEqual({
      0.9: ["1h", "24h", "7d", "30d", "key", "approval", "log"],
      1.1: ["24h", "7d", "30d", "key", "approval", "log"],
      23: ["24h", "7d", "30d", "log"],
      25: ["7d", "30d"],
      192: ["30d"],
      744: [],
    });
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});

it("expired record that is still stored does not block a new record with the same key", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const identity = newIdentity();
  const retry = { "idempotency-key": "the-same" };
  try {
    const first = await startSwitchboard({ stateDir });
    const client = new Client(identity, first.baseUrl);
    const conversation_id = await client.createConversation();
    const { body: channel } = await client.post("/v1/webhooks/register", { channel_id: randomUUID(), conversation_id });
    const deliver = async (baseUrl: string, payload: object) => {
      const body = JSON.stringify(payload);
      const signature = createHmac("sha256", channel.secret).update(body).digest("hex");
      const headers = { "content-type": "application/json", "x-webhook-signature": signature };
      return readResponse(await fetch(baseUrl + channel.webhook_url, { method: "POST", headers, body }));
    };
    const alerts = [
      { severity: "low", description: "The disk is full", alert_id: "disk" },
      { event: { id: "event", data: { id: "incident", title: "The disk is full" } } },
    ];
    const firstDeliveries = await Promise.all(alerts.map((alert) => deliver(first.baseUrl, alert)));
    const { body: created } = await client.post("/v1/groups", { name: "Ops" }, retry);
    await first.stop();

    const later = await startLater(stateDir, 24 * 91 * HOUR_MS);
    const laterClient = new Client(identity, later.baseUrl);
    const otherResponse = await laterClient.post("/v1/groups", { name: "Other" }, retry);
    expect([otherResponse.status, otherResponse.body.id === created.id]).toEqual([201, false]);
    for (const [index, alert] of alerts.entries()) {
      const secondResponse = await deliver(later.baseUrl, alert);
      expect([
        secondResponse.status,
        secondResponse.body.message_id === firstDeliveries[index]?.body.message_id,
      ]).toEqual([200, false]);
    }
    await later.stop();
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});
