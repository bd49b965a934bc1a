import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Turn } from "#shared/chat/turn.ts";
import type { StoredMessage } from "#shared/conversations/message-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import type { Write } from "#shared/dynamodb/table.ts";
import type { RunEvent } from "#shared/runs/events.ts";
import { type Frame, isTerminal } from "#shared/runs/events.ts";
import type { FrameSource } from "#shared/runs/frame-feed.ts";
import type { StoredRun } from "#shared/runs/run-store.ts";
import type { WatchedRun } from "#shared/runs/run-watchdog.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";
import { beginTurnIn, createConversation, requester, startTurn, tenant } from "#test/support/chat/turns.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { SimulatedTable } from "#test/support/simulation/simulated-table.ts";
import { type SimulatedProcess, VirtualWorld } from "#test/support/simulation/virtual-world.ts";

/** Number of schedules, and the seed of the first; `SIMULATION_SEED` repeats a single schedule. */
const scheduleCount = sized({ usual: 700, full: 2_500, soak: 100_000 });
const singleSeed = process.env.SIMULATION_SEED;

/** World and table of the schedule that is being simulated; the mocked modules refer to it. */
const current = vi.hoisted(() => ({
  world: null as unknown as VirtualWorld,
  table: null as unknown as SimulatedTable,
  queue: [] as ((body: string, delaySeconds: number) => void)[],
  script: null as unknown as {
    readonly words: readonly string[];
    readonly delayMs: () => number;
    readonly fails: boolean;
  },
}));

vi.mock("node:timers/promises", () => ({ setTimeout: (delayMs: number) => current.world.sleep(delayMs) }));
vi.mock("#shared/dynamodb/dynamodb-client.ts", () => ({
  dynamodbClient: () => ({
    call: (operation: never, input: object) => current.table.client.call(operation, input),
  }),
}));
// Coalesced reads would be shared between simulated processes, which have no common memory in reality.
vi.mock("#shared/lib/request-coalescer.ts", () => ({
  coalesceRequests:
    (work: (requests: unknown[]) => Promise<unknown[]>) =>
    async (request: unknown): Promise<unknown> =>
      (await work([request]))[0],
}));
vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async (_url: string, body: string, delaySeconds = 0) => current.queue[0]?.(body, delaySeconds),
}));
vi.mock("#shared/chat/phases/generation.ts", () => ({
  generation: {
    name: "generation",
    async *run(turn: Turn): AsyncGenerator<RunEvent, void> {
      for (const word of current.script.words) {
        await current.world.sleep(current.script.delayMs());
        turn.signal.throwIfAborted();
        turn.answer.text += word;
        const data = { message_id: turn.run.message_id, content: word, final: false as const };
        yield { type: "assistant_message", data };
      }
      if (current.script.fails) throw new Error("simulated provider failure");
    },
  },
}));

const realTimers = { setTimeout, clearTimeout, setInterval, clearInterval };
const realNow = Date.now;
const realWrite = process.stdout.write;

/**
 * Replaces the timers and the clock of this process with those of the current world. Spies would record every call and
 * need too much memory.
 */
function useVirtualTime(): void {
  const cancellations = new WeakMap<object, () => void>();
  const timer = () => ({ unref: () => timer, ref: () => timer });
  const setVirtualTimeout = (run: () => void, delayMs = 0) => {
    const handle = timer();
    cancellations.set(handle, current.world.schedule(delayMs, run));
    return handle;
  };
  const clear = (handle: object) => cancellations.get(handle)?.();
  const setVirtualInterval = (run: () => void, delayMs: number) => {
    const handle = timer();
    const repeat = () => {
      cancellations.set(handle, current.world.schedule(delayMs, repeat));
      run();
    };
    cancellations.set(handle, current.world.schedule(delayMs, repeat));
    return handle;
  };
  Object.assign(globalThis, {
    setTimeout: setVirtualTimeout,
    clearTimeout: clear,
    setInterval: setVirtualInterval,
    clearInterval: clear,
  });
  Date.now = () => Math.floor(current.world.now);
  process.stdout.write = () => true;
}

function useRealTime(): void {
  Object.assign(globalThis, realTimers);
  Date.now = realNow;
  process.stdout.write = realWrite;
}

beforeAll(() => {
  const environment = {
    TABLE_NAME: "t",
    MODEL_PROVIDER: "openai-compatible",
    MODELS: "",
    MODEL_ID: "",
    MODEL_ID_QUICK: "",
    MODEL_FALLBACK: "",
    MODEL_BASE_URL: "",
    MODEL_API_KEY: "",
    GUARDRAIL_PROVIDER: "none",
    RUN_CHECKPOINT_MS: "4000",
    LOG_LEVEL: "error",
    WATCH_RUN_QUEUE_URL: "watch",
    APP_SECRET: "secret",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});

afterAll(() => {
  useRealTime();
  vi.unstubAllEnvs();
});

/** Client that reads a run, with everything that it was shown. */
interface Reader {
  readonly name: string;
  text: string;
  lastSeq: number;
  end: Frame | null;
  hasEnded: boolean;
}

const newReader = (name: string): Reader => ({ name, text: "", lastSeq: 0, end: null, hasEnded: false });

/** Reads frames until the run ends, reconnecting after errors of the table like a client. */
async function readToEnd(reader: Reader, open: () => FrameSource): Promise<void> {
  for (;;) {
    try {
      const source = open();
      for (;;) {
        const frames = await source.next(reader.lastSeq, 10_000);
        for (const frame of frames ?? []) {
          reader.lastSeq = Math.max(reader.lastSeq, frame.seq);
          const { event } = frame;
          if (event.type === "assistant_message" && !event.data.final) reader.text += event.data.content;
          if (isTerminal(event)) reader.end = frame;
        }
        if (frames === null || reader.end) {
          reader.hasEnded = true;
          return;
        }
      }
    } catch {
      await current.world.sleep(1_000);
    }
  }
}

const MINUTE_MS = 60_000;
const firstStartMs = Date.UTC(2026, 0, 1);

/** Delivers a message to the watchdog of a simulated world after a delay, until it succeeds. */
async function startWatchdog(world: VirtualWorld): Promise<(body: string, delaySeconds: number) => void> {
  const { checkRun } = await import("#shared/runs/run-watchdog.ts");
  const watch = (body: string, delaySeconds: number) => {
    const watchdog = world.createProcess("watchdog");
    const check = () =>
      void world.spawn(watchdog, async () => {
        try {
          await checkRun(JSON.parse(body) as WatchedRun);
        } catch {
          // SQS delivers a failed message again.
          watch(body, 30);
        }
      });
    void world.spawn(watchdog, async () => void world.schedule(delaySeconds * 1_000, check));
  };
  current.queue[0] = watch;
  return watch;
}

/** Schedules after which a reservation is left whose function died, or lost its requests, before it stored a run. */
let leftReservations = 0;

/** Tenant with a budget that is near its end, so that the estimate of each run is reserved. */
const budgeted = {
  ...tenant,
  budgets: [{ unit: "tokens" as const, limit: 50_000, window: "total" as const, time_zone: "UTC" }],
};

/** Settles the stored answers, twice, as the change feed does. @returns what is wrong with the ledger of the budget */
async function findLedgerProblems(world: VirtualWorld, table: SimulatedTable): Promise<string[]> {
  const { countUsage } = await import("#shared/governance/usage/count-usage.ts");
  const { listReservations } = await import("#shared/governance/budgets/ledger-store.ts");
  const ofType = (type: string) => [...table.items.values()].filter(({ discriminator }) => discriminator === type);
  const answers = ofType("message").filter(({ charges }) => charges !== undefined) as unknown as StoredMessage[];
  const none = { model: "", input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };
  const events = answers.map(({ message_id, usage, charges }) => ({
    ...{
      id: message_id,
      day: "2026-01-01",
      user_id: "asker",
      key_id: null,
      persona_id: null,
      persona_version: null,
      model: "m",
    },
    ...{ requests: 1, runs: 1, usage: usage ?? none, charges, rules: [], duration_ms: 0 },
  }));
  table.faults = { stalls: [], lossRate: 0, maxLatencyMs: 1 };
  for (let delivery = 0; delivery < 2; delivery++) {
    void world.spawn(world.createProcess("feed"), () => countUsage(requester, events));
    await world.run(world.now + 5_000);
  }
  const [ledger] = ofType("budget-ledger");
  const numberOf = (prefix: string) =>
    Number(Object.entries(ledger ?? {}).find(([name]) => name.startsWith(prefix))?.[1] ?? 0);
  const used = answers.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
  const reservations = ledger ? listReservations(ledger as never) : [];
  const reserved = reservations.flatMap(({ amounts }) => Object.values(amounts)).reduce((sum, n) => sum + n, 0);
  const runIds = new Set(ofType("run").map(({ message_id }) => message_id));
  const problems: string[] = [];
  if (numberOf("u_") !== used) problems.push(`${numberOf("u_")} tokens are settled, ${used} were used`);
  if (numberOf("t_") - reserved !== used) problems.push("a reservation is lost or returned twice");
  if (reservations.length > 0) leftReservations++;
  if (reservations.some(({ runId }) => runIds.has(runId))) problems.push("a reservation of a run that ended is left");
  return problems;
}

/** Simulates one schedule of faults. @returns what is wrong at its end; empty if all invariants hold */
async function simulate(seed: number): Promise<string[]> {
  const { launchTurn } = await import("#shared/chat/launch-turn.ts");
  const { findMessage } = await import("#shared/conversations/message-store.ts");
  const { tenantTable } = await import("#shared/dynamodb/tenant-scope.ts");
  const { LogFollower } = await import("#shared/runs/log-follower.ts");
  const { RunController } = await import("#shared/runs/run-controller.ts");
  const { readRunLog } = await import("#shared/runs/run-log-store.ts");
  const { stopRun } = await import("#shared/runs/stop-run.ts");

  const random = seededRandom(seed);
  const chance = (probability: number) => random() < probability;
  const between = (from: number, to: number) => from + random() * (to - from);
  const world = new VirtualWorld(firstStartMs);
  const table = new SimulatedTable(world, random);
  current.world = world;
  current.table = table;
  const words = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, n) => `word${n} `);
  const pauseMs = between(20, 3_000);
  current.script = { words, delayMs: () => random() * pauseMs, fails: chance(0.1) };

  const watch = await startWatchdog(world);
  const first = newReader("first");
  const resumed = newReader("resumed");
  const late = newReader("late");
  let run: StoredRun | undefined;
  let wasKilled = false;
  let wasStarted = false;
  const chatFunction = world.createProcess("chat");
  void world.spawn(chatFunction, async () => {
    const turn = await startTurn("QUICK", 0, budgeted);
    run = turn.run;
    const controller = new RunController(15 * MINUTE_MS);
    const started = launchTurn({ ...turn, signal: controller.signal }, controller, { isDurable: chance(0.15) });
    wasStarted = true;
    void readToEnd(first, () => started.feed);
  });
  // The run starts before the first fault.
  await world.run(firstStartMs + 1_000);
  if (!run || !wasStarted) return ["the run did not start"];
  const { message_id: messageId, conversation_id: conversationId } = run;
  const storedRun = run;
  watch(JSON.stringify({ tenantId: requester.tenantId, messageId }), 20);
  table.faults = {
    stalls: chance(0.4) ? [[world.now + between(0, 60_000), world.now + between(60_000, 180_000)]] : [],
    lossRate: chance(0.5) ? 0.1 : 0,
    maxLatencyMs: chance(0.3) ? 1_500 : 30,
  };
  const follow = (process: SimulatedProcess, reader: Reader) =>
    void world.spawn(process, () => readToEnd(reader, () => new LogFollower(requester, storedRun)));
  world.schedule(between(0, 90_000), () => follow(world.createProcess("late"), late));
  if (chance(0.4)) {
    world.schedule(between(0, 90_000), () => {
      chatFunction.stalledUntil = world.now + between(5_000, 120_000);
    });
  }
  if (chance(0.4)) {
    world.schedule(between(0, 90_000), () => {
      wasKilled = !first.hasEnded;
      chatFunction.isAlive = false;
      Object.assign(resumed, { lastSeq: first.lastSeq, text: first.text });
      follow(world.createProcess("resumed"), resumed);
    });
  } else resumed.hasEnded = true;
  if (chance(0.3)) {
    const stopper = world.createProcess("stop");
    world.schedule(between(0, 60_000), () => {
      const write = (result: never, change: never) =>
        tenantTable(requester)
          .write(change)
          .then(() => result);
      void world.spawn(stopper, () => stopRun(requester, storedRun, write as never).catch(() => {}));
    });
  }
  await world.run(firstStartMs + 30 * MINUTE_MS);

  let message: StoredMessage | undefined;
  let frames: readonly Frame[] = [];
  table.faults = { stalls: [], lossRate: 0, maxLatencyMs: 1 };
  void world.spawn(world.createProcess("inspector"), async () => {
    message = await findMessage(requester, conversationId, messageId);
    ({ frames } = await readRunLog(requester, messageId));
  });
  await world.run(firstStartMs + 31 * MINUTE_MS);

  const problems: string[] = [];
  const storedText = (message?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
  const normalize = (text: string) => text.trim();
  if (!message) return ["no answer is stored"];
  if (message.status === "streaming") problems.push("the answer is still streaming");
  if (message.status === "complete" && normalize(storedText) !== normalize(words.join("")))
    problems.push("a complete answer lacks text");
  const terminalFrames = frames.filter(({ event }) => isTerminal(event));
  if (terminalFrames.length !== 1) problems.push(`the log has ${terminalFrames.length} ends`);
  if (!isTerminal((frames.at(-1) as Frame | undefined)?.event ?? { type: "none" })) problems.push("the log has no end");
  if (!frames.every(({ seq }, index) => seq === index + 1)) problems.push("the log has gaps");
  for (const reader of [first, resumed, late]) {
    if (reader === first && !chatFunction.isAlive) continue;
    if (!reader.hasEnded) problems.push(`the ${reader.name} reader never ended`);
  }
  for (const reader of [first, late]) {
    if (normalize(storedText).startsWith(normalize(reader.text))) continue;
    // If the function was killed, a client that received more text than was stored must be told the last stored event.
    const end = resumed.end?.event;
    const isTold = wasKilled && reader === first && end?.type === "interrupted" && end.data.last_event_id !== undefined;
    if (!isTold) problems.push(`the ${reader.name} reader was shown text that is not stored`);
  }
  if (message.status !== "failed" && storedText.length > 0 && message.usage === null)
    problems.push("no usage is counted");
  if (message.status === "failed" && storedText.length > 0) problems.push("a failed answer has text");
  return [...problems, ...(await findLedgerProblems(world, table))];
}

/** Simulates all schedules. @returns the first failures */
async function simulateSchedules(simulateSchedule: (seed: number) => Promise<string[]>): Promise<string[]> {
  const seeds =
    singleSeed === undefined ? Array.from({ length: scheduleCount }, (_, n) => n + 1) : [Number(singleSeed)];
  const failures: string[] = [];
  useVirtualTime();
  try {
    for (const seed of seeds) {
      const problems = await simulateSchedule(seed);
      if (problems.length > 0) failures.push(`SIMULATION_SEED=${seed}: ${problems.join("; ")}`);
    }
  } finally {
    useRealTime();
  }
  return failures.slice(0, 20);
}

/** Simulates the start of a run under faults. @returns what is wrong at the end; empty if all invariants hold */
async function simulateStart(seed: number): Promise<string[]> {
  const { addMessage } = await import("#shared/conversations/message-store.ts");
  const { launchTurn } = await import("#shared/chat/launch-turn.ts");
  const { RunController } = await import("#shared/runs/run-controller.ts");
  const random = seededRandom(seed);
  const chance = (probability: number) => random() < probability;
  const between = (from: number, to: number) => from + random() * (to - from);
  // Activity timestamps never repeat in a process, so each schedule is later than the one before.
  const startMs = firstStartMs + seed * 60 * MINUTE_MS;
  const world = new VirtualWorld(startMs);
  const table = new SimulatedTable(world, random);
  current.world = world;
  current.table = table;
  current.script = { words: ["word "], delayMs: () => 100, fails: false };
  const watch = await startWatchdog(world);
  let conversationId = "";
  // Id of the answer to regenerate; null for a new message.
  let regeneratedId: string | null = null;
  const isRegeneration = chance(0.4);
  void world.spawn(world.createProcess("setup"), async () => {
    conversationId = await createConversation("QUICK");
    if (!isRegeneration) return;
    // As old as the activity of the conversation, which counts it.
    const question = { ...newUserMessage(conversationId, "Hello"), created_at: new Date(startMs).toISOString() };
    const answer = { ...newUserMessage(conversationId, "Hi"), question_id: question.message_id };
    await addMessage(requester, { ...question, reply_id: answer.message_id });
    await addMessage(requester, { ...answer, role: "assistant" });
    regeneratedId = answer.message_id;
  });
  await world.run(startMs + 1_000);
  const stallAt = world.now + between(0, 200);
  table.faults = {
    stalls: chance(0.4) ? [[stallAt, stallAt + between(0, 15_000)]] : [],
    lossRate: chance(0.5) ? 0.3 : 0,
    maxLatencyMs: 30,
  };
  world.schedule(15_000, () => {
    table.faults = { stalls: [], lossRate: 0, maxLatencyMs: 30 };
  });
  const record = (id: string): Write => ({ put: { ...keys.idempotency("t", id), discriminator: "idempotency" } });
  const recordStart = chance(0.3) ? record : () => null;
  let outcome = "none" as "none" | "started" | "rejected";
  const chatFunction = world.createProcess("chat");
  void world.spawn(chatFunction, async () => {
    try {
      const turn = await beginTurnIn(conversationId, "QUICK", recordStart, regeneratedId, budgeted);
      const controller = new RunController(15 * MINUTE_MS);
      launchTurn({ ...turn, signal: controller.signal }, controller);
      outcome = "started";
    } catch {
      outcome = "rejected";
    }
  });
  if (chance(0.5)) {
    world.schedule(between(0, 300), () => {
      chatFunction.isAlive = false;
    });
  }
  const isStalled = chance(0.2);
  if (isStalled) {
    world.schedule(between(0, 300), () => {
      chatFunction.stalledUntil = world.now + between(5_000, 90_000);
    });
  }
  // The stream delivers each insertion of a run. A retry of its write can insert it again after the watchdog removed it.
  let runIds: string[] = [];
  for (let second = 1; second <= 120; second++) {
    await world.run(startMs + second * 1_000);
    const runs = [...table.items.values()].filter(({ discriminator }) => discriminator === "run");
    const storedIds = runs.map(({ message_id }) => String(message_id));
    for (const messageId of storedIds.filter((id) => !runIds.includes(id))) {
      watch(JSON.stringify({ tenantId: requester.tenantId, messageId }), 20);
    }
    runIds = storedIds;
  }
  await world.run(startMs + 30 * MINUTE_MS);

  const items = [...table.items.values()];
  const ofType = (type: string) => items.filter(({ discriminator }) => discriminator === type);
  const answers = ofType("message").filter(
    ({ role, message_id }) => role === "assistant" && message_id !== regeneratedId,
  );
  // After a regeneration that was rolled back, the question may still refer to its answer, which is absent.
  const questions = ofType("message").filter(({ role, reply_id }) => {
    return role === "user" && (!isRegeneration || answers.some(({ message_id }) => message_id === reply_id));
  });
  const problems: string[] = [];
  if (outcome === "started" && questions.length !== 1) problems.push("a started run has no question");
  if (answers.length !== questions.length) problems.push(`${questions.length} questions, ${answers.length} answers`);
  if (ofType("run").length !== questions.length) problems.push("a run without a question is left");
  if (ofType("idempotency").length > questions.length) problems.push("a request that was not executed is recorded");
  const [conversation] = ofType("conversation");
  const messageCount = answers.length + (isRegeneration ? 0 : questions.length);
  // A request that is rolled back can have counted its messages in a write whose response was lost, or that was executed later;
  // its function can be killed before it rejects the request. A function that stalls before it counts them counts them again after
  // the reaper did.
  const isRolledBack = outcome !== "started" && answers.length === 0;
  if (outcome !== "rejected" && !isRolledBack && !isStalled && conversation?.message_count !== messageCount)
    problems.push(`${conversation?.message_count} messages are counted`);
  return [...problems, ...(await findLedgerProblems(world, table))];
}

it("simulated start of a chat run stores a question that is answered or nothing, under delays, losses and kills", {
  timeout: 8 * 3_600_000,
}, async () => {
  expect(await simulateSchedules(simulateStart)).toEqual([]);
  // Most reservations without a run are returned at once, by the request or by the watchdog.
  expect(leftReservations).toBeLessThan(Math.max(2, scheduleCount * 0.025));
});

it("simulated chat run ends once and stores the text that readers saw, under random delays, losses, kills and stops", {
  timeout: 8 * 3_600_000,
}, async () => {
  expect(await simulateSchedules(simulate)).toEqual([]);
});

it("start of a chat run takes no additional round trip to the table for budgets, read for the first time or near their limit", async () => {
  const { newBudgetWrites } = await import("#shared/governance/budgets/budget-store.ts");
  const { tenantTable } = await import("#shared/dynamodb/tenant-scope.ts");
  const budget = { unit: "tokens" as const, limit: 50_000, window: "total" as const, time_zone: "UTC" };
  const stored = {
    ...{ id: "b", name: "B", scope: { type: "tenant" as const, id: null }, ...budget },
    ...{ source: "administrator" as const, created_at: "2026-01-01T00:00:00.000Z" },
  };

  /** Returns the virtual time in which a run starts, if each call of the table takes the same time. */
  async function measureStart(ofTenant: typeof tenant): Promise<number> {
    const world = new VirtualWorld(firstStartMs + 1_000_000 * MINUTE_MS);
    current.world = world;
    current.table = new SimulatedTable(world, () => 0.5);
    let [startedAt, durationMs] = [0, 0];
    void world.spawn(world.createProcess("chat"), async () => {
      const conversationId = await createConversation("QUICK");
      const [put] = newBudgetWrites(requester, stored);
      if (put) await tenantTable(requester).write(put);
      startedAt = world.now;
      await beginTurnIn(conversationId, "QUICK", () => null, null, ofTenant);
      durationMs = world.now - startedAt;
    });
    await world.run(world.now + MINUTE_MS);
    return durationMs;
  }

  useVirtualTime();
  try {
    const without = await measureStart(tenant);
    expect(without).toBeGreaterThan(0);
    expect(await measureStart({ ...tenant, budgets: [{ ...budget, limit: 1e9 }] })).toBe(without);
    expect(await measureStart({ ...tenant, budgets: [budget] })).toBe(without);
    expect(await measureStart({ ...tenant, budget_count: 1 })).toBe(without);
  } finally {
    useRealTime();
  }
});
