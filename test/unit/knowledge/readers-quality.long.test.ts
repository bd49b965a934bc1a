import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { addCollection, addGroup, addReadableDocument } from "#test/support/knowledge/add-readable-document.ts";
import { answerable, answerableQuestions } from "#test/support/knowledge/relevance-set.ts";
import { seededRandom, topicalTexts } from "#test/support/knowledge/synthetic-text.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

/** Indexes texts, each for the readers that are given with it. */
async function indexFor(
  tenantId: string,
  entries: readonly { readonly title: string; readonly text: string; readonly readers: readonly string[] }[],
): Promise<void> {
  const scope = { tenantId };
  for (const [, group] of Map.groupBy(entries, ({ readers }) => readers.join(" "))) {
    const collection = await addCollection(scope, "librarian", group[0]?.readers ?? []);
    const documents = [];
    for (const entry of group) {
      documents.push(await addReadableDocument(scope, collection, { title: entry.title, text: entry.text }));
    }
    await reconcileDocuments(scope, documents);
  }
}

const titlesOf = async (tenantId: string, text: string) =>
  (await searchKnowledge({ tenantId, userId: "reader" }, { text, limit: 10, minRelevance: 0 })).map(
    ({ title, relevance, scores }) => ({ title, relevance, words: scores.words }),
  );

it("search with three groups ranks as an index that contains only the readable part", async () => {
  const scope = { tenantId: "groups" };
  const ids = [await addGroup(scope, ["reader"]), await addGroup(scope, ["reader"]), await addGroup(scope, ["other"])];
  const readersOf = (index: number) => [`group:${ids[index % 3]}`];
  const texts = answerable.map(([title, text], index) => ({ title, text, readers: readersOf(index) }));
  await indexFor("groups", texts);
  const readable = texts.filter((_, index) => index % 3 !== 2);
  await indexFor(
    "readable",
    readable.map((entry) => ({ ...entry, readers: ["tenant"] })),
  );
  const titles = new Set(readable.map(({ title }) => title));
  const gain = { groups: 0, readable: 0 };
  const questions = answerableQuestions.filter(({ title }) => titles.has(title));
  for (const { question, title } of questions) {
    const [ofGroups, ofReadable] = [await titlesOf("groups", question), await titlesOf("readable", question)];
    expect(ofGroups.every((hit) => titles.has(hit.title))).toBe(true);
    // Also the weights of words are those of the readable part, so that others' documents cannot be inferred from scores.
    const rounded = (hits: typeof ofGroups) => hits.map(({ relevance, words }) => [relevance, words]).sort();
    expect(rounded(ofGroups)).toEqual(rounded(ofReadable));
    for (const [name, hits] of [
      ["groups", ofGroups],
      ["readable", ofReadable],
    ] as const) {
      const rank = hits.findIndex((hit) => hit.title === title);
      if (rank >= 0) gain[name] += 1 / Math.log2(rank + 2) / questions.length;
    }
  }
  console.info(`nDCG@10 with three groups ${gain.groups.toFixed(4)}, of the readable part ${gain.readable.toFixed(4)}`);
  expect(Math.abs(gain.groups - gain.readable)).toBeLessThanOrEqual(0.002);
  expect(gain.groups).toBeGreaterThan(0.8);
});

/** Rows of the guide's table of searches by the number of a reader's groups: groups, audiences, read units. */
const documentedRows = (): readonly number[][] =>
  (readFileSync("docs/guides/knowledge.md", "utf8").split("| groups of the reader |")[1] ?? "")
    .split("\n\n")[0]
    ?.split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split("|").slice(1, 4).map(Number)) ?? [];

it("search costs the read units that the knowledge guide states for 1, 5, 10 and 30 groups", async () => {
  const { randomTopic, textAbout } = topicalTexts(seededRandom(7));
  const measured: number[][] = [];
  for (const groups of [0, 1, 5, 10, 30]) {
    const scope = { tenantId: `cost-${groups}` };
    const entries = [];
    for (let index = 0; index <= groups; index++) {
      const readers = index === 0 ? ["tenant"] : [`group:${await addGroup(scope, ["reader"])}`];
      for (let page = 0; page < 8; page++) {
        entries.push({ title: textAbout(randomTopic(), 6), text: textAbout(randomTopic(), 400), readers });
      }
    }
    await indexFor(scope.tenantId, entries);
    const searches = 20;
    const { read } = await table.measure(async () => {
      for (let search = 0; search < searches; search++) {
        const text = textAbout(randomTopic(), 8, 0.5);
        await searchKnowledge({ ...scope, userId: "reader" }, { text, limit: 10 });
      }
    });
    measured.push([groups, groups + 1, read / searches]);
    console.info(`${groups} groups: ${(read / searches).toFixed(1)} read units`);
  }
  const documented = documentedRows();
  expect(documented.map(([groups]) => groups)).toEqual(measured.map(([groups]) => groups));
  for (const [index, [, audiences = 0, read = 0]] of measured.entries()) {
    expect(documented[index]?.[1]).toBe(audiences);
    expect(Math.abs((documented[index]?.[2] ?? 0) - read)).toBeLessThanOrEqual(0.1 * read);
  }
});
