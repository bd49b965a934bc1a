import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Client, newIdentity, readFrames, readResponse } from "#test/support/client.ts";
import { shiftedClock } from "#test/support/shifted-clock.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

const hour = 3_600_000;
const browser = { accept: "text/html,application/xhtml+xml" };

/** An instance on that state whose clock is ahead. */
const startLater = (stateDir: string, milliseconds: number) =>
  startSwitchboard({ stateDir, nodeOptions: [shiftedClock(milliseconds)] });

it("links, keys, approvals and logs end when their time is over, and not before", { timeout: 120_000 }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const person = newIdentity();
  try {
    const first = await startSwitchboard({ stateDir });
    const client = new Client(person, first.baseUrl);
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content: "Hello" });
    const { message_id } = frames[0]?.data ?? {};
    const tokens: Record<string, string> = {};
    for (const expires_in of ["1h", "24h", "7d", "30d"]) {
      tokens[expires_in] = (await client.post(`/v1/chat/${id}/share-link`, { expires_in })).body.token;
    }
    const expires_at = new Date(Date.now() + 2 * hour).toISOString();
    const { body: key } = await client.post(
      "/v1/tenant/api-keys",
      { description: "k", scopes: ["models.read"], expires_at },
      { "idempotency-key": randomUUID() },
    );
    const launch = { type: "tool_execution", action: { operation: "launch", params: {} } };
    const { body: approval } = await client.post("/v1/approvals", launch);
    await first.stop();

    const alive: Record<number, string[]> = {};
    for (const hours of [0.9, 1.1, 23, 25, 24 * 8, 24 * 31]) {
      const later = await startLater(stateDir, hours * hour);
      const then = new Client(person, later.baseUrl);
      const found: string[] = [];
      for (const [name, token] of Object.entries(tokens)) {
        const { status } = await then.get(`/v1/shared/${token}`);
        expect([200, 410], `${name} after ${hours} hours`).toContain(status);
        if (status === 200) found.push(name);
        else expect((await then.get(`/v1/shared/${token}`, browser)).text).toContain("<h1>");
      }
      const models = await fetch(`${later.baseUrl}/openai/v1/models`, {
        headers: { authorization: `Bearer ${key.key}` },
      });
      if (models.status === 200) found.push("key");
      else expect(models.status).toBe(401);
      if ((await then.get(`/v1/approvals/${approval.id}`)).body.status === "pending") found.push("approval");
      const log = await then.fetch(`/v1/runtime/chat/${message_id}/stream`);
      if (log.status === 200) found.push("log");
      else expect([log.status, ((await log.json()) as { code: string }).code]).toEqual([410, "run_expired"]);
      if (log.status === 200) expect(await Array.fromAsync(readFrames(log))).toEqual(frames);
      // What was said stays.
      expect((await then.get(`/v1/conversations/${id}/messages`)).body.messages).toHaveLength(2);
      alive[hours] = found;
      await later.stop();
    }
    expect(alive).toEqual({
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

it("what has expired stands in nobody's way while it waits to be deleted", { timeout: 60_000 }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const person = newIdentity();
  const retry = { "idempotency-key": "the-same" };
  try {
    const first = await startSwitchboard({ stateDir });
    const client = new Client(person, first.baseUrl);
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
    const taken = await Promise.all(alerts.map((alert) => deliver(first.baseUrl, alert)));
    const { body: created } = await client.post("/v1/groups", { name: "Ops" }, retry);
    await first.stop();

    const later = await startLater(stateDir, 24 * 91 * hour);
    const then = new Client(person, later.baseUrl);
    const other = await then.post("/v1/groups", { name: "Other" }, retry);
    expect([other.status, other.body.id === created.id]).toEqual([201, false]);
    for (const [place, alert] of alerts.entries()) {
      const again = await deliver(later.baseUrl, alert);
      expect([again.status, again.body.message_id === taken[place]?.body.message_id]).toEqual([200, false]);
    }
    await later.stop();
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});
