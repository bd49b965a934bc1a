import {
  completeSyncRoute,
  getSyncRoute,
  stageSyncEntriesRoute,
  syncCollectionRoute,
} from "#shared/api/knowledge/syncs.ts";
import type { UserScope } from "#shared/dynamodb/tenant-scope.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";
import { compareManifest } from "#shared/knowledge/syncs/compare-page.ts";
import { completeSync } from "#shared/knowledge/syncs/complete-sync.ts";
import { stageEntries } from "#shared/knowledge/syncs/stage-entries.ts";
import { findSync, projectSync } from "#shared/knowledge/syncs/sync-store.ts";
import { requireFound } from "#shared/lib/errors.ts";
import type { AccessRights } from "#shared/tenancy/access-rights.ts";

interface SyncRequest {
  readonly principal: UserScope;
  readonly params: { readonly id: string };
  readonly rights: () => Promise<AccessRights>;
}

async function getOwnCollection({ principal, params, rights }: SyncRequest) {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  return collection;
}

export const completeSyncHandler = endpoint(completeSyncRoute, async (request) => {
  const { id } = await getOwnCollection(request);
  return completeSync(request.principal, id, request.body);
});

export const getSyncHandler = endpoint(getSyncRoute, async (request) => {
  const { id } = await getOwnCollection(request);
  return projectSync(requireFound(await findSync(request.principal, id)));
});

export const stageSyncEntriesHandler = endpoint(stageSyncEntriesRoute, async (request) =>
  stageEntries(request.principal, await getOwnCollection(request), request.body),
);

export const syncCollectionHandler = endpoint(syncCollectionRoute, async (request) =>
  compareManifest(request.principal, await getOwnCollection(request), request.body),
);
