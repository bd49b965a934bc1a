import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { startUpstream, streamText } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { shiftedClock } from "#test/support/shifted-clock.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

/** Number of concurrent runs, killed at different moments. */
const runs = sized({ usual: 8, full: 20, soak: 50 });

/** Time after which the watchdog of a run notices that its function is dead, with a margin. */
const LATER_MS = 60_000;

it(`run reaper ends ${runs} runs whose function was killed, and keeps their text`, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
  const upstream = await startUpstream(
    streamText(
      Array.from({ length: 900 }, (_, n) => `w${n} `),
      { pauseMs: 25 },
    ),
  );
  const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl };
  const identity = newIdentity();
  try {
    const first = await startSwitchboard({ stateDir, env });
    const before = new Client(identity, first.baseUrl);
    const ids = await Promise.all(Array.from({ length: runs }, () => before.createConversation()));
    const framesByRun: ReceivedFrame[][] = ids.map(() => []);
    const readers = ids.map(async (conversation_id, index) => {
      await sleep((index * 2_000) / runs);
      const response = await before.fetch("/v1/runtime/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ conversation_id, content: "Go" }),
      });
      for await (const frame of readFrames(response)) framesByRun[index]?.push(frame);
    });
    // Kills the instance while every run is streaming and has flushed a first log segment.
    while (framesByRun.some((frames) => streamedText(frames).length < 100)) await sleep(50);
    await sleep(4_000);
    await Promise.all([first.stop("SIGKILL"), Promise.allSettled(readers)]);

    const second = await startSwitchboard({ stateDir, env, nodeOptions: [shiftedClock(LATER_MS)] });
    const after = new Client(identity, second.baseUrl);
    let answers: { role: string; status: string; content: { text?: string }[] }[] = [];
    // No client reads at this time, so only the watchdog can detect the dead runs.
    await sleep(5_000);
    await expect
      .poll(
        async () => {
          answers = await Promise.all(
            ids.map(async (id) => (await after.get(`/v1/conversations/${id}/messages`)).body.messages.at(-1)),
          );
          return answers.map(({ role, status }) => `${role} ${status}`);
        },
        { interval: 1_000 },
      )
      .toEqual(ids.map(() => "assistant interrupted"));
    for (const [index, answer] of answers.entries()) {
      const streamedBefore = streamedText(framesByRun[index] ?? []);
      const storedText = answer.content[0]?.text ?? "";
      expect(storedText.length).toBeGreaterThan(0);
      expect(streamedBefore.startsWith(storedText) || storedText.startsWith(streamedBefore)).toBe(true);
    }
    const messageId = framesByRun[0]?.[0]?.data.message_id;
    const replayed = await Array.fromAsync(readFrames(await after.fetch(`/v1/runtime/chat/${messageId}/stream`)));
    const end = (index: number) => (index === replayed.length - 1 ? ":end" : "");
    expect(replayed.map(({ id }) => id)).toEqual(replayed.map((_, index) => `${messageId}:${index + 1}${end(index)}`));
    expect(replayed.at(-1)).toMatchObject({ event: "interrupted", data: { reason: "shutdown" } });
    // A client may have received frames that were never logged; it must still receive the end.
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
