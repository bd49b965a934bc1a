import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { indexKeys, keys } from "#shared/dynamodb/keys.ts";
import { startDueSchedules } from "#shared/schedules/start-due-schedules.ts";
import { sized } from "#test/support/run-size.ts";
import { randomPattern, timesOf, toCron, zones } from "#test/support/schedules/expected-times.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { SimulatedTable } from "#test/support/simulation/simulated-table.ts";
import { VirtualWorld } from "#test/support/simulation/virtual-world.ts";

const MINUTE_MS = 60_000;
const [yearStart, yearEnd] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
const scheduleCount = sized({ usual: 100, full: 5_000 });
const GRACE_MINUTES = 60;

const current = vi.hoisted(() => ({
  world: null as unknown as VirtualWorld,
  table: null as unknown as SimulatedTable,
}));

vi.mock("node:timers/promises", () => ({ setTimeout: (delayMs: number) => current.world.sleep(delayMs) }));
vi.mock("#shared/dynamodb/dynamodb-client.ts", () => ({
  dynamodbClient: () => ({
    call: (operation: never, input: object) => current.table.client.call(operation, input),
  }),
}));

const random = seededRandom(63);
const patterns = new Map(Array.from({ length: scheduleCount }, (_, n) => [`s${n}`, randomPattern(random)]));

/** Days with two outages of the service, of which one is longer than the grace period. */
const outages = Array.from({ length: 40 }, () => {
  const from = yearStart + Math.floor(random() * (yearEnd - yearStart));
  return [from, from + (random() < 0.5 ? 30 : 400) * MINUTE_MS] as const;
});

const realNow = Date.now;

beforeAll(() => {
  for (const [name, value] of Object.entries({ TABLE_NAME: "t", LOG_LEVEL: "error" })) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  current.world = new VirtualWorld(yearStart);
  current.table = new SimulatedTable(current.world, random);
  Date.now = () => Math.floor(current.world.now);
});

afterAll(() => {
  Date.now = realNow;
  vi.unstubAllEnvs();
});

function storeSchedules(): void {
  for (const [id, pattern] of patterns) {
    const next_run_at = new Date(timesOf(pattern)[0] ?? 0).toISOString();
    const key = keys.schedule("t1", "u1", id);
    current.table.items.set(`${key.pk}\n${key.sk}`, {
      ...key,
      ...indexKeys.dueSchedule("t1", id, next_run_at),
      ...{ discriminator: "schedule", id, owner_id: "u1", name: id, question: "?", cron: toCron(pattern) },
      ...{ time_zone: pattern.timeZone, skip_dates: pattern.skipDates, starts_at: null, ends_at: null },
      ...{ set_id: null, persona_id: null, conversation: "new", conversation_id: null, documents: [], enabled: true },
      ...{ grace_minutes: GRACE_MINUTES, max_retries: 2, pause_after: 5, disabled_reason: null, failures: 0 },
      ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", next_run_at },
    });
  }
}

/** Runs that were recorded, with their states and delays, by schedule and time. */
const recorded = new Map<string, { readonly status: unknown; readonly delayMs: number }>();
const doubled: string[] = [];

/** Takes the new runs out of the table, so that a second one of the same time is noticed. */
function collectRuns(): void {
  for (const [key, item] of current.table.items) {
    if (item.discriminator !== "schedule-run") continue;
    const time = `${item.schedule_id} ${item.scheduled_at}`;
    if (recorded.has(time)) doubled.push(time);
    recorded.set(time, {
      status: item.status,
      delayMs: Number(item.timestamp) - Date.parse(String(item.scheduled_at)),
    });
    current.table.items.delete(key);
  }
}

/** Calls the function as each minute does: sometimes twice, sometimes killed in the middle, on a table that loses requests. */
async function tick(world: VirtualWorld): Promise<void> {
  const isRough = random() < 0.3;
  current.table.faults = { stalls: [], lossRate: isRough ? 0.3 : 0, maxLatencyMs: 40 };
  for (let call = random() < 0.2 ? 2 : 1; call > 0; call--) {
    const lambda = world.createProcess("tick");
    void world.spawn(lambda, () => startDueSchedules().catch(() => {}));
    if (random() < 0.1) world.schedule(random() * 200, () => Object.assign(lambda, { isAlive: false }));
  }
  await world.run(world.now + 50_000);
  collectRuns();
}

const nextDue = () =>
  Math.min(
    ...[...current.table.items.values()].map(({ next_run_at }) =>
      next_run_at ? Date.parse(String(next_run_at)) : yearEnd,
    ),
  );

it(`runs of ${scheduleCount} schedules in ${zones.length} time zones are neither lost nor doubled in a year of crashes, throttling and outages`, async () => {
  const { world } = current;
  storeSchedules();
  while (world.now < yearEnd) {
    const due = Math.max(nextDue(), world.now + 1);
    if (due >= yearEnd) break;
    const minute = Math.ceil(due / MINUTE_MS) * MINUTE_MS;
    const outage = outages.find(([from, to]) => from <= minute && minute < to);
    world.now = outage ? Math.ceil(outage[1] / MINUTE_MS) * MINUTE_MS : minute;
    await tick(world);
  }
  const expected = [...patterns].flatMap(([id, pattern]) =>
    timesOf(pattern).map((time) => `${id} ${new Date(time).toISOString()}`),
  );
  expect(doubled).toEqual([]);
  expect(
    expected.filter((time) => !recorded.has(time) && Date.parse(time.split(" ")[1] ?? "") < world.now - 600_000),
  ).toEqual([]);
  const all = new Set(expected);
  expect(
    [...recorded.keys()].filter((time) => !all.has(time) && Date.parse(time.split(" ")[1] ?? "") < yearEnd),
  ).toEqual([]);
  const states = Map.groupBy(recorded.values(), ({ status }) => status);
  const late = states.get("pending")?.filter(({ delayMs }) => delayMs > GRACE_MINUTES * MINUTE_MS);
  expect(late).toEqual([]);
  expect(states.get("missed")?.length).toBeGreaterThan(0);
  expect(states.get("pending")?.length).toBeGreaterThan(expected.length * 0.9);
}, 3_600_000);
