import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunControl } from "#shared/runs/run-control-store.ts";
import { findEndReason } from "#shared/runs/run-controller.ts";
import { startRunHeartbeat } from "#shared/runs/run-heartbeat.ts";
import { RunLog } from "#shared/runs/run-log.ts";

const control = vi.hoisted(() => ({ reads: 0, item: {} as RunControl }));

vi.mock("#shared/runs/run-control-store.ts", () => ({
  readRunControl: async () => {
    control.reads++;
    return control.item;
  },
  writeRunControl: async () => {},
}));
vi.mock("#shared/runs/run-log-store.ts", async (original) => ({
  ...(await original<object>()),
  appendToRunLog: async () => {},
}));

let seq = 0;
let heartbeat: ReturnType<typeof startRunHeartbeat> | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv("RUN_CHECKPOINT_MS", "4000");
  Object.assign(control, { reads: 0, item: {} });
});

afterEach(() => {
  heartbeat?.stop();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Starts a run that writes text in its first `writingMs`. */
function start(writingMs: number): AbortController {
  const controller = new AbortController();
  const log = new RunLog({ tenantId: "t" }, "m");
  heartbeat = startRunHeartbeat({ tenantId: "t" }, "m", log, controller);
  const data = { message_id: "m", content: "word ", final: false as const };
  const writer = setInterval(() => log.add({ seq: ++seq, event: { type: "assistant_message", data } }), 100);
  setTimeout(() => clearInterval(writer), writingMs);
  return controller;
}

it.each([1_000, 5_000, 60_000])(
  "startRunHeartbeat() stops a writing model within 800 ms if the stop request comes after %d ms",
  async (age) => {
    const { signal } = start(120_000);
    await vi.advanceTimersByTimeAsync(age);
    control.item = { stop: true };
    await vi.advanceTimersByTimeAsync(800);
    expect(findEndReason(signal)).toBe("stopped");
  },
);

it("startRunHeartbeat() stops a silent model within 800 ms of the stop request", async () => {
  const { signal } = start(0);
  await vi.advanceTimersByTimeAsync(10_000);
  control.item = { stop: true };
  await vi.advanceTimersByTimeAsync(800);
  expect(findEndReason(signal)).toBe("stopped");
});

it("startRunHeartbeat() reads the control item of a run every 800 ms", async () => {
  start(8_000);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(control.reads).toBe(10);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(control.reads).toBe(20);
});
