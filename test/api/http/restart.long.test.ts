import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

it("local instance keeps its data across a restart", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const identity = newIdentity();
  try {
    const first = await startSwitchboard({ stateDir });
    const before = new Client(identity, first.baseUrl);
    const id = await before.createConversation("Title");
    await before.chat({ conversation_id: id, content: "Remember this" });
    const { body: messages } = await before.get(`/v1/conversations/${id}/messages`);
    const { body: me } = await before.get("/v1/me");
    await first.stop();

    const second = await startSwitchboard({ stateDir });
    const after = new Client(identity, second.baseUrl);
    expect((await after.get(`/v1/conversations/${id}/messages`)).body).toEqual(messages);
    expect((await after.get("/v1/me")).body).toEqual(me);
    await second.stop();
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});
