/**
 * Measures whether the units and the latency of typical requests grow with what is stored, in this process against a metered
 * table: `node test/bench/growth.ts [messages|conversations|passages|tenants] [sizes…]`. The sizes take turns in each round, except
 * the numbers of tenants. Sizes up to 1,000,000 passages can be given; the default ends after five minutes.
 */
import { executeTurn } from "#shared/chat/pipeline.ts";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { listConversations } from "#shared/conversations/list-conversations.ts";
import { listMessages, newMessageWrite } from "#shared/conversations/message-store.ts";
import type { Write } from "#shared/dynamodb/table.ts";
import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { newUserMessage } from "../support/chat/messages.ts";
import { beginTurnIn, createConversation, requester } from "../support/chat/turns.ts";
import { setFunctionEnvironment } from "../support/handler-events.ts";
import { seedIndex } from "../support/knowledge/seed-index.ts";
import { seededRandom, topicalTexts } from "../support/knowledge/synthetic-text.ts";
import { startMeteredTable } from "../support/tables/metered-table.ts";

/** Requests by name. */
type Requests = Readonly<Record<string, () => Promise<unknown>>>;

interface Growth {
  readonly sizes: readonly number[];
  /** Stores what is needed and returns the requests to measure. */
  seed(size: number): Promise<Requests>;
  /** Sizes add up in one table, so that each is measured before the next is stored. */
  readonly isCumulative?: boolean;
}

interface Measurement {
  readonly ms: number;
  readonly read: number;
  readonly written: number;
  readonly calls: number;
}

const selected = process.argv.slice(2).filter((argument) => !/^\d+$/.test(argument));
const givenSizes = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const ROUNDS = 15;
const WORDS_PER_PASSAGE = 40;
const WARM_UP_ROUNDS = 3;

/** Time after which a request of one size is not measured again. */
const MAX_SPENT_MS = 4_000;

const PAGE = { limit: 50, cursor: undefined } as const;

/** Items in a transaction, at most 100 in DynamoDB. */
const TRANSACTION_SIZE = 100;

setFunctionEnvironment();
const table = await startMeteredTable();
const { randomTopic, textAbout } = topicalTexts(seededRandom(11));

/** Stores items in transactions. */
async function store(scope: TenantScope, count: number, newWrite: (index: number) => Write): Promise<void> {
  const starts = Array.from({ length: Math.ceil(count / TRANSACTION_SIZE) }, (_, index) => index * TRANSACTION_SIZE);
  await mapConcurrent(starts, (start) => {
    const size = Math.min(TRANSACTION_SIZE, count - start);
    return tenantTable(scope).transact(Array.from({ length: size }, (_, index) => newWrite(start + index)));
  });
}

const newPlans = (userId: string) =>
  newConversation(userId, { title: "Plans", tier: "QUICK", folder_id: null, persona_id: null });

async function chat(conversationId: string): Promise<void> {
  for await (const _ of executeTurn(await beginTurnIn(conversationId, "QUICK")));
}

/** Stores a conversation of `size` messages of the requester. */
async function seedConversation(size: number): Promise<Requests> {
  const id = await createConversation("QUICK");
  await store(requester, size, (index) =>
    newMessageWrite(requester, newUserMessage(id, `Message ${index} of the plans`)),
  );
  return {
    "list the latest 50 messages": () => listMessages(requester, id, { ...PAGE, order: "desc" }),
    "list the first 50 messages": () => listMessages(requester, id, { ...PAGE, order: "asc" }),
    "chat turn": () => chat(id),
  };
}

/** Stores a user of `size` conversations. */
async function seedUser(size: number): Promise<Requests> {
  const member = { ...requester, userId: `user-${size}` };
  await store(member, size, () => newConversationWrites(member, newPlans(member.userId))[0] as Write);
  return {
    "list 50 conversations": () => listConversations(member, { limit: 50 }),
    "find 50 conversations by title": () => listConversations(member, { limit: 50, q: "plan" }),
    "find no conversation by title": () => listConversations(member, { limit: 50, q: "absent" }),
    "create a conversation": () => tenantTable(member).transact(newConversationWrites(member, newPlans(member.userId))),
  };
}

/** Stores an index of `size` passages in a tenant. */
async function seedPassages(size: number): Promise<Requests> {
  const reader = { tenantId: `passages-${size}`, userId: "u" };
  const startedAt = performance.now();
  await seedIndex(reader, size, () => textAbout(randomTopic(), WORDS_PER_PASSAGE));
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${size.toLocaleString("en")} passages stored in ${seconds.toFixed(0)} s`);
  return {
    "search by words": async () => {
      const text = textAbout(randomTopic(), 6, 0.5);
      const { length } = await searchKnowledge(reader, { text, limit: 10, minRelevance: 0 });
      if (length === 0) throw new Error("Nothing found");
    },
  };
}

/** Number of tenants that exist besides the measured one. */
let otherTenants = 0;

/** Stores tenants with two conversations of four messages each, until there are `size`. */
async function seedTenants(size: number): Promise<Requests> {
  const id = await createConversation("QUICK");
  await mapConcurrent(Array.from({ length: size - 1 - otherTenants }), async () => {
    const tenant = { tenantId: `tenant-${otherTenants++}` };
    const conversations = [newPlans("u"), newPlans("u")];
    const messages = conversations.flatMap((conversation) =>
      Array.from({ length: 4 }, () => newMessageWrite(tenant, newUserMessage(conversation.id, "Hello"))),
    );
    await tenantTable(tenant).transact([
      ...conversations.flatMap((conversation) => newConversationWrites(tenant, conversation)),
      ...messages,
    ]);
  });
  return {
    "list 50 conversations": () => listConversations(requester, { limit: 50 }),
    "list the latest 50 messages": () => listMessages(requester, id, { ...PAGE, order: "desc" }),
    "chat turn": () => chat(id),
  };
}

const growths: Readonly<Record<string, Growth>> = {
  messages: { sizes: [10, 100, 1_000, 10_000, 100_000], seed: seedConversation },
  conversations: { sizes: [10, 100, 1_000, 10_000, 100_000], seed: seedUser },
  passages: { sizes: [1_000, 10_000, 100_000], seed: seedPassages },
  tenants: { sizes: [1, 100, 10_000], seed: seedTenants, isCumulative: true },
};

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

async function measureOnce(request: () => Promise<unknown>): Promise<Measurement> {
  const startedAt = performance.now();
  let ms = 0;
  const { read, written, calls } = await table.measure(async () => {
    await request();
    ms = performance.now() - startedAt;
  });
  return { ms, read, written, calls };
}

/** Measures the requests of several sizes in turns. @returns the measurements by request name, then by size */
async function measure(subjects: ReadonlyMap<number, Requests>): Promise<Map<string, Map<number, Measurement[]>>> {
  const results = new Map<string, Map<number, Measurement[]>>();
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [size, requests] of subjects) {
      for (const [name, request] of Object.entries(requests)) {
        const bySize = results.get(name) ?? new Map<number, Measurement[]>();
        const measured = bySize.get(size) ?? [];
        results.set(name, bySize.set(size, measured));
        if (measured.reduce((sum, { ms }) => sum + ms, 0) > MAX_SPENT_MS) continue;
        const measurement = await measureOnce(request);
        // The first rounds warm up, unless one of them takes too long.
        if (round >= 0 || measurement.ms > MAX_SPENT_MS) measured.push(measurement);
      }
    }
  }
  return results;
}

function print(request: string, bySize: ReadonlyMap<number, readonly Measurement[]>): void {
  console.log(`\n${request}\n${"size".padStart(10)}   read  written  calls       ms  ratio`);
  const medianMs = (measurements: readonly Measurement[]) => median(measurements.map(({ ms }) => ms));
  const smallest = medianMs([...bySize.values()][0] ?? []);
  for (const [size, measurements] of bySize) {
    const ms = medianMs(measurements);
    const units = (["read", "written", "calls"] as const).map((name) => median(measurements.map((each) => each[name])));
    const [read = "", written = "", calls = ""] = units.map((value) => value.toFixed(1).padStart(7));
    console.log(
      `${size.toLocaleString("en").padStart(10)}${read}  ${written}${calls} ${ms.toFixed(2).padStart(8)} ${(ms / smallest).toFixed(2).padStart(6)}`,
    );
  }
}

for (const [name, { sizes: defaultSizes, seed, isCumulative = false }] of Object.entries(growths)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  const sizes = givenSizes.length > 0 ? givenSizes : defaultSizes;
  console.log(`\n# ${name}: ${sizes.map((size) => size.toLocaleString("en")).join(", ")}`);
  const results = new Map<string, Map<number, Measurement[]>>();
  const subjects = new Map<number, Requests>();
  for (const size of sizes) {
    subjects.set(size, await seed(size));
    if (!isCumulative && size !== sizes.at(-1)) continue;
    for (const [request, bySize] of await measure(
      isCumulative ? new Map([[size, subjects.get(size) ?? {}]]) : subjects,
    )) {
      results.set(request, new Map([...(results.get(request) ?? []), ...bySize]));
    }
  }
  for (const [request, bySize] of results) print(request, bySize);
}
await table.stop();
process.exit(0);
