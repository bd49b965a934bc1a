import { ConditionFailed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { continueWrite, eraseCollection } from "../collection-store.ts";
import { documentsAfter, indexingWrite, markDeletedWrite, type StoredDocument } from "../document-store.ts";
import type { Audience } from "../knowledge-access.ts";
import { groupsBySize, settleDocuments } from "./index-documents.ts";

/** Documents taken on at once. */
const atOnce = 400;

/** How long one go at a collection lasts, in milliseconds; the function behind it has a minute. */
const patience = 30_000;

/** All documents of a collection, in groups. */
async function* documentsOf(scope: TenantScope, collectionId: string): AsyncGenerator<StoredDocument[]> {
  let after: string | undefined;
  do {
    const group = await documentsAfter(scope, collectionId, after, atOnce);
    if (group.length > 0) yield group;
    after = group.length < atOnce ? undefined : group.at(-1)?.id;
  } while (after !== undefined);
}

/** It went away by itself meanwhile. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ServiceError || error instanceof ConditionFailed)) throw error;
}

/**
 * Removes what a deleted collection has left: documents, their passages and postings, at last itself. What takes longer
 * goes on with the change that it ends with. Documents that are just being indexed are left to their own processor.
 */
export async function purgeCollection(scope: TenantScope, collectionId: string): Promise<void> {
  const end = now() + patience;
  for await (const documents of documentsOf(scope, collectionId)) {
    const { indexing = [], settled = [] } = Object.groupBy(documents, ({ status }) =>
      status === "indexing" ? "indexing" : "settled",
    );
    await mapConcurrent(indexing, (document) => tenantTable(scope).write(markDeletedWrite(scope, document)).catch(ignoreGone));
    for (const group of groupsBySize(settled)) {
      await settleDocuments(scope, group);
      if (now() < end) continue;
      await tenantTable(scope).write(continueWrite(scope, collectionId));
      return;
    }
  }
  await eraseCollection(scope, collectionId);
}

/** Lets a collection's documents be indexed anew, for an audience that has changed. */
export async function moveCollection(scope: TenantScope, collectionId: string, audience: Audience): Promise<void> {
  for await (const documents of documentsOf(scope, collectionId)) {
    const elsewhere = documents.filter(
      ({ status, placement }) => status !== "failed" && placement?.audience !== audience,
    );
    await mapConcurrent(elsewhere, (document) =>
      tenantTable(scope)
        .write(indexingWrite(scope, document, { status: "indexing" }))
        .catch(ignoreGone),
    );
  }
}
