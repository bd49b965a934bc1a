import { afterAll, beforeAll, expect, it } from "vitest";
import { countVisitors } from "#shared/embed/count-visitors.ts";
import { getVisitorStatistics } from "#shared/embed/visitor-statistics.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

const session = {
  ...{ discriminator: "embed-session", conversation_id: "c", key_id: "k", persona_id: null, visitor_id: "~v" },
  ...{
    identified_as: null,
    counted_for: "~v",
    messages_sent: 0,
    transcript: null,
    transcripts_requested: 0,
    origin: null,
    page: null,
  },
  ...{ created_at: "2026-05-03T23:50:00.000Z", expires_at: "2026-05-04T23:50:00.000Z" },
  deleted_at: "2026-05-04T23:50:00.000Z",
};
const handover = {
  ...{
    discriminator: "handover",
    conversation_id: "c",
    key_id: "k",
    site: "Shop",
    persona_id: null,
    status: "waiting",
  },
  ...{ reason: "visitor", visitor: null, form: null, session: { created_at: session.created_at, messages_sent: 1 } },
  ...{ requested_at: "2026-05-04T00:10:00.000Z", waits_until: "2026-05-04T00:20:00.000Z" },
};
const claimed = { ...handover, status: "claimed", claimed_at: "2026-05-04T00:11:30.000Z" };

/** Processes a change of an item; the tenant is part of its key. */
const process = (tenant: string, before: object | undefined, after: object) =>
  countVisitors({
    ...{ id: "1", type: "", timestamp: 0, before: before as Record<string, unknown> | undefined },
    after: { pk: `${tenant}#conversation#c`, sk: "", ...after },
  });

const read = async (tenantId: string) => {
  const key = { id: "k", created_at: "2026-05-01T00:00:00.000Z" };
  return (await getVisitorStatistics({ tenantId }, key, { from: "2026-05-03", to: "2026-05-04" })).days;
};

it("figures of visitors count each change once, the session and its hand-over on its first day and the wait when it ends", async () => {
  const changes = [
    [undefined, session],
    [session, { ...session, messages_sent: 1 }],
    [
      { ...session, messages_sent: 1 },
      { ...session, messages_sent: 2 },
    ],
    [undefined, handover],
    [handover, claimed],
    [claimed, { ...claimed, note: "A note." }],
    [claimed, { ...claimed, status: "returned" }],
    [
      { ...claimed, status: "returned" },
      { ...handover, requested_at: "2026-05-04T01:00:00.000Z" },
    ],
  ] as const;
  for (const [before, after] of [...changes, ...changes]) await process("t", before, after);
  const none = { unanswered: 0, ratings: { up: 0, down: 0 }, cost_usd: 0 };
  expect(await read("t")).toEqual([
    { day: "2026-05-03", opens: 1, chats: 1, handed_over: 1, resolved_alone: 0, waiting_seconds: null, ...none },
    { day: "2026-05-04", opens: 0, chats: 0, handed_over: 0, resolved_alone: 0, waiting_seconds: 90, ...none },
  ]);
});

it("figures of visitors stay right when a person is asked for without a message", async () => {
  await process("u", undefined, session);
  await process("u", undefined, { ...handover, session: { created_at: session.created_at, messages_sent: 0 } });
  const figures = { opens: 1, chats: 1, handed_over: 1, resolved_alone: 0 };
  expect((await read("u"))[0]).toMatchObject(figures);
  await process("u", session, { ...session, messages_sent: 1 });
  expect((await read("u"))[0]).toMatchObject(figures);
});

it("figures of visitors of a busy website take about two write units for each change", async () => {
  const started = Array.from({ length: 100 }, (_, index) => ({ ...session, conversation_id: `c${index}` }));
  const { written } = await table.measure(async () => {
    await Promise.all(started.map((each) => process("v", undefined, each)));
  });
  expect((await read("v"))[0]).toMatchObject({ opens: 100 });
  expect(written / started.length).toBeLessThan(2.5);
});
