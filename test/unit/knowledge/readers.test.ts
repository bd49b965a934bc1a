import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { toAudience, toClauses } from "#shared/knowledge/readers/audiences.ts";
import { ReaderAccess } from "#shared/knowledge/readers/reader-access.ts";
import { readAudiences } from "#shared/knowledge/readers/reader-audiences.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { addCollection, addGroup, addReadableDocument } from "#test/support/knowledge/add-readable-document.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

describe("toClauses()", () => {
  const document = (readers: string[] | null, author_id = "owner") => ({ author_id, readers });
  it.each([
    { collection: ["tenant"], document: null, clauses: [] },
    { collection: [], document: null, clauses: [["user:owner"]] },
    { collection: ["group:a"], document: null, clauses: [["group:a", "user:owner"]] },
    { collection: ["tenant"], document: ["group:a"], clauses: [["group:a", "user:owner"]] },
    { collection: ["group:a", "group:b"], document: ["group:a"], clauses: [["group:a", "user:owner"]] },
    { collection: ["group:a"], document: ["group:a", "group:b"], clauses: [["group:a", "user:owner"]] },
    { collection: ["group:a"], document: [], clauses: [["user:owner"]] },
    {
      collection: ["group:a"],
      document: ["group:b"],
      clauses: [
        ["group:a", "user:owner"],
        ["group:b", "user:owner"],
      ],
    },
  ])("narrows the readers $collection of a collection by those of a document, $document", (row) => {
    const collection = { owner_id: "owner", readers: row.collection };
    expect(toClauses(collection, document(row.document))).toEqual(row.clauses);
  });

  it("lets the author of a document read it only as a reader of its collection", () => {
    const collection = { owner_id: "owner", readers: ["group:a"] };
    const clauses = toClauses(collection, document([], "author"));
    expect(clauses).toEqual([
      ["group:a", "user:owner"],
      ["user:author", "user:owner"],
    ]);
  });
});

it("toAudience() returns the tenant, the owner, and the same audience for equal readers in any order", () => {
  const audienceOf = (...readers: string[]) => toAudience({ owner_id: "o", readers });
  expect([audienceOf("tenant"), audienceOf()]).toEqual(["tenant", "user#o"]);
  expect(audienceOf("group:a", "user:b")).toBe(audienceOf("user:b", "group:a"));
  expect(audienceOf("group:a")).not.toBe(audienceOf("group:b"));
  expect(audienceOf("group:a")).toMatch(/^readers#[0-9a-f]{24}$/);
});

it("searches of readers whom no list names read as much as without lists, and one query for groups at most", async () => {
  const scope = { tenantId: "cost" };
  const owner = { ...scope, userId: "owner" };
  const search = async (userId: string) => {
    const { read } = await table.measure(() =>
      searchKnowledge({ ...scope, userId }, { text: "blue harbor", limit: 5 }),
    );
    return read;
  };
  const open = await addCollection(scope, "owner", ["tenant"]);
  const first = await addReadableDocument(scope, open, { title: "Open", text: "The blue harbor opens at dawn." });
  await reconcileDocuments(scope, [first]);
  const before = await search("visitor-of-nothing");
  // A list of people does not concern others.
  const listed = await addCollection(scope, "owner", ["user:named"]);
  const second = await addReadableDocument(scope, listed, { title: "Listed", text: "The blue harbor closes at dusk." });
  await reconcileDocuments(scope, [second]);
  expect(await search("visitor-of-nothing")).toBe(before);
  const group = await addGroup(scope, ["member"]);
  const grouped = await addCollection(scope, "owner", [`group:${group}`]);
  const third = await addReadableDocument(scope, grouped, { title: "Grouped", text: "The blue harbor rests at noon." });
  await reconcileDocuments(scope, [third]);
  // The query for the groups of a user who has none.
  expect((await search("visitor-of-nothing")) - before).toBeLessThanOrEqual(1);
  expect((await readAudiences(new ReaderAccess(owner), { withVectors: false })).size).toBe(4);
});
