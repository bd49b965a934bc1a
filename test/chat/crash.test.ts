import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { startUpstream, streamText } from "#test/support/models/upstream.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

/** Runs that are killed at different moments, all at once. */
const runs = process.env.SWITCHBOARD_FULL ? 50 : 8;

it(`finds ${runs} runs whose function was killed, keeps what they said and ends them within a minute`, {
  timeout: 180_000,
}, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const upstream = await startUpstream(
    streamText(
      Array.from({ length: 900 }, (_, n) => `w${n} `),
      { pauseMs: 25 },
    ),
  );
  const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl };
  const person = newIdentity();
  try {
    const first = await startSwitchboard({ stateDir, env });
    const before = new Client(person, first.baseUrl);
    const ids = await Promise.all(Array.from({ length: runs }, () => before.createConversation()));
    const seen: ReceivedFrame[][] = ids.map(() => []);
    const reading = ids.map(async (conversation_id, index) => {
      await sleep((index * 2_000) / runs);
      const response = await before.fetch("/v1/runtime/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ conversation_id, content: "Go" }),
      });
      for await (const frame of readFrames(response)) seen[index]?.push(frame);
    });
    // Killed while they speak: each said something, for longer than its log waits at first.
    while (seen.some((frames) => streamedText(frames).length < 100)) await sleep(50);
    await sleep(1_000);
    await Promise.all([first.stop("SIGKILL"), Promise.allSettled(reading)]);
    const killedAt = Date.now();

    const second = await startSwitchboard({ stateDir, env });
    // How long it takes to start says nothing of how long they are looked for.
    const upAt = Date.now();
    const after = new Client(person, second.baseUrl);
    // Nobody looks: the runs have to be found all the same.
    await sleep(40_000 - (Date.now() - killedAt));
    for (;;) {
      const lists = await Promise.all(
        ids.map(async (id) => (await after.get(`/v1/conversations/${id}/messages`)).body.messages),
      );
      const answers = lists.map((messages) => messages.at(-1));
      if (answers.every(({ role, status }) => role === "assistant" && status === "interrupted")) {
        for (const [index, answer] of answers.entries()) {
          const shown = streamedText(seen[index] ?? []);
          const kept = answer.content[0]?.text ?? "";
          expect(kept.length).toBeGreaterThan(0);
          expect(shown.startsWith(kept) || kept.startsWith(shown)).toBe(true);
        }
        break;
      }
      expect(Date.now() - upAt).toBeLessThan(60_000);
      await sleep(1_000);
    }
    const messageId = seen[0]?.[0]?.data.message_id;
    const replayed = await Array.fromAsync(readFrames(await after.fetch(`/v1/runtime/chat/${messageId}/stream`)));
    expect(replayed.map(({ id }) => id)).toEqual(replayed.map((_, index) => `${messageId}:${index + 1}`));
    expect(replayed.at(-1)).toMatchObject({ event: "interrupted", data: { reason: "shutdown" } });
    // A reader has seen what the function did not come to log: the end is told beyond it, too.
    for (const seq of [replayed.length, replayed.length + 3]) {
      const stream = await after.fetch(`/v1/runtime/chat/${messageId}/stream?cursor=${messageId}:${seq}`);
      expect(await Array.fromAsync(readFrames(stream))).toEqual(replayed.slice(-1));
    }
    await second.stop();
  } finally {
    await upstream.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
});
