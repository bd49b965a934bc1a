/**
 * Measures whether the units and the latency of typical requests grow with what is stored, in this process against a metered
 * table: `node test/bench/growth.ts [messages|conversations|passages|tenants] [--full]`. Conversations and tenants of different
 * sizes take turns in each round. With `--full`, up to 1,000,000 passages instead of 10,000, which takes hours.
 */
import { runEvents } from "#shared/chat/pipeline.ts";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { listConversations } from "#shared/conversations/list-conversations.ts";
import { listMessages, newMessageWrite } from "#shared/conversations/message-store.ts";
import type { Write } from "#shared/dynamodb/table.ts";
import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { newUserMessage } from "../support/chat/messages.ts";
import { beginTurnIn, createConversation, requester } from "../support/chat/turns.ts";
import { setFunctionEnvironment } from "../support/handler-events.ts";
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

const isFull = process.argv.includes("--full");
const selected = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const ROUNDS = 15;
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
  for await (const _ of runEvents(await beginTurnIn(conversationId, "QUICK")));
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

/** Documents have ten paragraphs, each the length of a passage. */
const [PASSAGES_PER_DOCUMENT, WORDS_PER_PASSAGE, DELIVERY_SIZE] = [10, 200, 100];

function newDocument(collectionId: string) {
  const topic = randomTopic();
  const text = Array.from({ length: PASSAGES_PER_DOCUMENT }, () => textAbout(topic, WORDS_PER_PASSAGE)).join("\n\n");
  const fields = {
    title: textAbout(topic, 6),
    media_type: "text/plain",
    uri: null,
    metadata: {},
    source: null,
  } as const;
  return {
    document: newTextDocument(collectionId, "u", text, fields),
    source: { format: "text/plain", text } as const,
  };
}

/** Indexes `size` passages in a tenant. */
async function seedPassages(size: number): Promise<Requests> {
  const reader = { tenantId: `passages-${size}`, userId: "u" };
  const collection = newCollection("u", { name: "Bench", description: "", visibility: "tenant" });
  await tenantTable(reader).transact(newCollectionWrites(reader, collection));
  const startedAt = performance.now();
  for (let passages = 0; passages < size; passages += DELIVERY_SIZE * PASSAGES_PER_DOCUMENT) {
    const count = Math.min(DELIVERY_SIZE, (size - passages) / PASSAGES_PER_DOCUMENT);
    const documents = Array.from({ length: count }, () => newDocument(collection.id));
    await mapConcurrent(documents, (document) => tenantTable(reader).transact(newDocumentWrites(reader, [document])));
    await reconcileDocuments(
      reader,
      documents.map(({ document }) => document),
    );
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${size.toLocaleString("en")} passages indexed in ${seconds.toFixed(0)} s`);
  return {
    "search by words": () => searchKnowledge(reader, { text: textAbout(randomTopic(), 6, 0.5), limit: 10 }),
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
  passages: { sizes: isFull ? [1_000, 10_000, 100_000, 1_000_000] : [1_000, 10_000], seed: seedPassages },
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

for (const [name, { sizes, seed, isCumulative = false }] of Object.entries(growths)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
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
