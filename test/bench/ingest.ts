import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { seededRandom, topicalTexts } from "#test/support/knowledge/synthetic-text.ts";
import { startMeteredTable } from "#test/support/tables/metered-table.ts";

/**
 * Measures the indexing of abstracts of 1.5 KB in deliveries of 400 documents, as a stream processor gets them:
 * `node test/bench/ingest.ts [documents]`.
 */
const total = Number(process.argv[2] ?? 500);
const DELIVERY_SIZE = 400;
const table = await startMeteredTable();
const { randomTopic, textAbout } = topicalTexts(seededRandom(3));
const scope = { tenantId: "ingest" };
const collection = newCollection("u", { name: "Abstracts", description: "", readers: ["tenant"] });
await tenantTable(scope).transact(newCollectionWrites(scope, collection));
for (let start = 0; start < total; start += DELIVERY_SIZE) {
  const documents = Array.from({ length: Math.min(DELIVERY_SIZE, total - start) }, () => {
    const topic = randomTopic();
    const text = textAbout(topic, 190, 0.4);
    const fields = {
      title: textAbout(topic, 8),
      media_type: "text/plain",
      uri: null,
      metadata: {},
      source: null,
    } as const;
    return { document: newTextDocument(collection.id, "u", text, fields), text };
  });
  const created = await table.measure(async () => {
    for (const { document, text } of documents) {
      await tenantTable(scope).transact(
        await newDocumentWrites(scope, [{ document, source: { format: "text/plain", text } }]),
      );
    }
  });
  const startedAt = performance.now();
  const indexed = await table.measure(() =>
    reconcileDocuments(
      scope,
      documents.map(({ document }) => document),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const perDocument = (units: number) => (units / documents.length).toFixed(1);
  console.log(
    `${start + documents.length} documents: ${(documents.length / seconds).toFixed(1)} indexed a second, write units for each: ${perDocument(created.written)} to create, ${perDocument(indexed.written)} to index, read units: ${perDocument(indexed.read)}, calls: ${perDocument(indexed.calls)}`,
  );
}
await table.stop();
process.exit(0);
