import { afterAll, beforeAll, expect, it } from "vitest";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { addMessage, deleteMessage, type StoredMessage } from "#shared/conversations/message-store.ts";
import { newGrant, newGrantWrites } from "#shared/conversations/sharing/grant-store.ts";
import { messagesOf } from "#shared/dynamodb/key-owner.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { statisticsWrites } from "#shared/knowledge/index/passage-store.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { reconcileMessages } from "#shared/message-search/index-messages.ts";
import { searchMessages } from "#shared/message-search/search-messages.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";
import { seededRandom, topicalTexts } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

/** Maximum number of read units of a search. */
const MAX_READ_UNITS = 30;

/** Stores a conversation and returns functions that change its messages and index the changes. */
async function startConversation(tenantId: string, owner: string, title = "Talk") {
  const member = { tenantId, userId: owner };
  const conversation = newConversation(owner, { title, tier: "QUICK", folder_id: null, persona_id: null });
  await tenantTable(member).transact(newConversationWrites(member, conversation));
  return {
    member,
    id: conversation.id,
    async add(...texts: readonly string[]): Promise<StoredMessage[]> {
      const messages = texts.map((text) => newUserMessage(conversation.id, text));
      await Promise.all(messages.map((message) => addMessage(member, message)));
      await reconcileMessages(
        member,
        messages.map((after) => ({ before: undefined, after })),
      );
      return messages;
    },
    async remove(message: StoredMessage): Promise<void> {
      await deleteMessage(member, message);
      await reconcileMessages(member, [{ before: message, after: undefined }]);
    },
  };
}

const search = async (member: { tenantId: string; userId: string }, text: string, filters = {}) =>
  (await searchMessages(member, { text, limit: 10, ...filters })).map(({ snippet }) => snippet);

/** Returns the items of the index that a tenant has, without the counters. */
const indexItems = async (tenantId: string) =>
  (await table.scan()).filter(
    ({ pk, discriminator }) =>
      String(pk).startsWith(`${tenantId}#`) &&
      ["postings", "passage", "indexed-message"].includes(String(discriminator)),
  );

it("search in messages finds the words of own messages with the place of each word, and no messages of other users", async () => {
  const { member, add, id } = await startConversation("own", "ada", "Trip");
  const [message] = await add("The ferries to Porto leave at nine.", "Bring a coat.");
  await (await startConversation("own", "bob")).add("Bob's ferry to Porto leaves at ten.");
  await (await startConversation("elsewhere", "ada")).add("Another ferry to Porto.");
  const [hit, ...others] = await searchMessages(member, { text: "ferry Porto", limit: 10 });
  expect(others).toEqual([]);
  expect(hit).toMatchObject({ conversation_id: id, conversation_title: "Trip", message_id: message?.message_id });
  expect(hit?.highlights.map(({ start, end }) => hit.snippet.slice(start, end))).toEqual(["ferries", "Porto"]);
});

it("search in messages ranks messages first whose words are spelled and ordered as in the query", async () => {
  const { member, add } = await startConversation("forms", "ada");
  await add(
    "Painted red, the room",
    "The red room, painted twice",
    "A painter of rooms, all red",
    "Paint the red rooms",
  );
  expect((await search(member, "red room painted"))[0]).toBe("The red room, painted twice");
  expect((await search(member, "paint the red rooms"))[0]).toBe("Paint the red rooms");
  expect(await search(member, "rooms red")).toHaveLength(4);
});

it("search in messages finds messages of conversations that others share with the user, until they are no longer shared", async () => {
  const shared = await startConversation("shared", "ada");
  await shared.add("The budget of the lighthouse is approved.");
  await (await startConversation("shared", "ada")).add("The secret budget is not shared.");
  const reader = { tenantId: "shared", userId: "bob" };
  expect(await search(reader, "budget")).toEqual([]);
  const conversation = { id: shared.id, last_activity_at: timestamp() };
  const grant = newGrant(conversation, { user_id: "bob", permission: "READ" }, "ada");
  await tenantTable(reader).transact(newGrantWrites(reader, grant, () => new Error("exists")));
  expect(await search(reader, "budget")).toEqual(["The budget of the lighthouse is approved."]);
  await tenantTable(reader).deleteMany([{ pk: `shared#conversation#${shared.id}`, sk: "grant#bob" }]);
  expect(await search(reader, "budget")).toEqual([]);
});

it("search in messages follows edits and deletions, keeps nothing of deleted messages, and ignores repeated changes", async () => {
  const { member, add, remove } = await startConversation("changes", "ada");
  const [message] = (await add("The harbor is closed.")) as [StoredMessage];
  const edited = { ...message, content: [{ type: "text" as const, text: "The harbor is open and windy." }] };
  for (let count = 0; count < 2; count++) await reconcileMessages(member, [{ before: message, after: edited }]);
  await tenantTable(member).write({
    put: {
      pk: `changes#conversation#${message.conversation_id}`,
      sk: `message#${message.message_id}`,
      ...edited,
      discriminator: "message",
    },
  });
  expect(await search(member, "closed")).toEqual([]);
  expect(await search(member, "windy")).toEqual(["The harbor is open and windy."]);
  const statistics = await table.get("changes#index#messages#ada", "statistics");
  expect(statistics).toMatchObject({ passages: 1 });
  await remove(edited);
  await reconcileMessages(member, [{ before: edited, after: undefined }]);
  expect(await search(member, "harbor")).toEqual([]);
  expect(await indexItems("changes")).toEqual([]);
  expect(await table.get("changes#index#messages#ada", "statistics")).toMatchObject({ passages: 0, length: 0 });
});

it("search in messages indexes a message completely and once when the function is interrupted after any write", async () => {
  const { member, id } = await startConversation("interrupted", "ada");
  const message = newUserMessage(id, "Quinces ripen late.");
  await addMessage(member, message);
  const change = { before: undefined, after: message };
  for (let writes = 0; writes < 8; writes++) {
    await table.failAfter(writes, () => reconcileMessages(member, [change])).catch(() => {});
  }
  await reconcileMessages(member, [change]);
  expect(await search(member, "quince")).toEqual(["Quinces ripen late."]);
  expect(await table.get("interrupted#index#messages#ada", "statistics")).toMatchObject({ passages: 1 });
});

it("search in messages looks up no words of a language that has less than one message in 1,000", async () => {
  const unitsAmong = async (tenantId: string, messages: number) => {
    const { member, add } = await startConversation(tenantId, "ada");
    await add(
      "They told us that the old lamp in the hall shines again, which is what we had hoped for",
      "Heute leuchtet die Lampe im Flur endlich wieder sehr hell",
    );
    const english = { audience: messagesOf("ada"), language: "en", passages: messages, length: 8 * messages } as const;
    await tenantTable(member).transact(statisticsWrites(member, [english]));
    return (await table.measure(() => search(member, "old hall shines"))).read;
  };
  const [among10, among5_000] = [await unitsAmong("small-history", 10), await unitsAmong("long-history", 5_000)];
  // Half a unit for each of the three words in German.
  expect(among10 - among5_000).toBe(1.5);
});

it("search in messages filters by role, date and persona", async () => {
  const { member, add, id } = await startConversation("filters", "ada");
  const [old] = (await add("Disk of server a is full.")) as [StoredMessage];
  const alert: StoredMessage = { ...newUserMessage(id, "Disk of server b is full."), role: "alert" };
  await addMessage(member, alert);
  await reconcileMessages(member, [{ before: undefined, after: alert }]);
  expect(await search(member, "disk", { role: "alert" })).toEqual(["Disk of server b is full."]);
  expect(await search(member, "disk", { before: old.created_at })).toEqual([]);
  expect((await search(member, "disk", { after: old.created_at })).length).toBe(2);
  expect(await search(member, "disk", { personaId: "other" })).toEqual([]);
});

/** Conversations, and messages of each. */
const [conversationCount, messageCount] = sized({ usual: [8, 25], full: [20, 80], soak: [25, 400] });

it(`search in messages takes at most ${MAX_READ_UNITS} read units among ${conversationCount * messageCount} messages`, async () => {
  const { randomTopic, textAbout } = topicalTexts(seededRandom(5));
  const member = { tenantId: "large", userId: "ada" };
  let written = 0;
  for (let count = 0; count < conversationCount; count++) {
    const { add } = await startConversation("large", "ada");
    const topic = randomTopic();
    const texts = Array.from({ length: messageCount }, () => textAbout(topic, 40));
    written += (await table.measure(() => add(...texts))).written;
  }
  const units: number[] = [];
  const durations: number[] = [];
  for (let count = 0; count < 20; count++) {
    const text = textAbout(randomTopic(), 3 + (count % 4), 0.5);
    const start = performance.now();
    units.push((await table.measure(() => searchMessages(member, { text, limit: 10 }))).read);
    durations.push(performance.now() - start);
  }
  const mean = units.reduce((sum, read) => sum + read, 0) / units.length;
  const writtenPerMessage = written / conversationCount / messageCount;
  console.log({ mean, max: Math.max(...units), p95Ms: durations.toSorted((a, b) => a - b)[18], writtenPerMessage });
  expect(Math.max(...units)).toBeLessThanOrEqual(MAX_READ_UNITS);
});
