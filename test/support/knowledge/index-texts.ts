import { randomUUID } from "node:crypto";
import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument, type StoredDocument } from "#shared/knowledge/document-store.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";

/** Stores texts as documents of a new collection that all people of the tenant see, and indexes them. */
export async function indexTexts(
  scope: TenantScope,
  texts: readonly { readonly title: string; readonly text: string }[],
): Promise<StoredDocument[]> {
  const collection = newCollection("u", { name: randomUUID(), description: "", readers: ["tenant"] });
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  const documents: StoredDocument[] = [];
  for (const { title, text } of texts) {
    const fields = { title, media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
    const document = newTextDocument(collection.id, "u", text, fields);
    const source = { format: "text/plain", text } as const;
    await tenantTable(scope).transact(await newDocumentWrites(scope, [{ document, source }]));
    documents.push(document);
  }
  await reconcileDocuments(scope, documents);
  return documents;
}
