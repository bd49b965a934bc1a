import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Client, newIdentity, readFrames, readResponse } from "#test/support/client.ts";
import { startUpstream, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { shiftedClock } from "#test/support/shifted-clock.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

it("chat run that waits for an approval is interrupted when the approval expires", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const upstream = await startUpstream();
  const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl };
  const identity = newIdentity();
  try {
    const first = await startSwitchboard({ stateDir, env });
    const before = new Client(identity, first.baseUrl);
    const { body: policy, headers } = await before.get("/v1/policy");
    const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
    const approvals = { ...rules.approvals, tool_execution: "always" };
    await before.put("/v1/policy", { ...rules, approvals }, { "if-match": headers.get("etag") ?? "" });
    const scripts = [streamText(["note"]), streamToolCalls(["create_note", '{"title":"Never"}'])];
    upstream.script = (response, request) => (scripts.shift() ?? streamText(["Enough."]))(response, request);
    const conversation_id = await before.createConversation();
    const response = await before.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conversation_id, content: "Note this", tier: "THOUGHT_PARTNER" }),
    });
    let approvalId: string | undefined;
    let lastId = "";
    for await (const { id = "", data } of readFrames(response)) {
      [lastId, approvalId] = [id, data.approval_id];
      if (approvalId) break;
    }
    const [messageId = "", lastSeq] = [lastId.split(":")[0], Number(lastId.split(":")[1])];
    await first.stop();

    const later = await startSwitchboard({ stateDir, env, nodeOptions: [shiftedClock(13 * 3_600_000)] });
    const after = new Client(identity, later.baseUrl);
    await vi.waitFor(
      async () => {
        const { body } = await after.get(`/v1/conversations/${conversation_id}/messages`);
        expect(body.messages.at(-1)).toMatchObject({ role: "assistant", status: "interrupted" });
      },
      { timeout: 180_000, interval: 500 },
    );
    expect((await after.get(`/v1/approvals/${approvalId}`)).body.status).toBe("expired");
    expect((await after.get("/v1/notes")).body.notes).toEqual([]);
    await later.stop();

    const nextDay = await startSwitchboard({ stateDir, env, nodeOptions: [shiftedClock(25 * 3_600_000)] });
    const nextDayClient = new Client(identity, nextDay.baseUrl);
    const stream = (lastEventId: string) =>
      nextDayClient.fetch(`/v1/runtime/chat/${messageId}/stream`, { headers: { "last-event-id": lastEventId } });
    // The start of the log has expired, the end has not: only clients that miss just the end can still resume.
    expect(await readResponse(await stream(""))).toMatchObject({ status: 410, body: { code: "run_expired" } });
    const rest = await Array.fromAsync(readFrames(await stream(`${messageId}:${lastSeq}`)));
    expect(rest.map(({ event, id }) => [event, id])).toEqual([["interrupted", `${messageId}:${lastSeq + 1}:end`]]);
    await nextDay.stop();
  } finally {
    await upstream.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
});
