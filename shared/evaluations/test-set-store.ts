import { TestSet } from "../api/evaluations/test-sets.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { exists, type Item, type Write } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, requireFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { authorizePersonaManagement } from "../personas/persona-store.ts";

const readTestSet = itemReader(TestSet);

type TestSetFields = Pick<TestSet, "persona_id" | "name" | "description">;

/** Returns a new set that is not stored yet. */
export function newTestSet(authorId: string, fields: TestSetFields): TestSet {
  const at = timestamp();
  return { id: newId(), ...fields, author_id: authorId, created_at: at, updated_at: at };
}

/** Returns the writes that store a set, which fail with `not_found` if its persona was deleted. */
export const newTestSetWrites = ({ tenantId }: TenantScope, set: TestSet): Write[] => [
  { check: keys.persona(tenantId, set.persona_id), condition: exists(notFound) },
  {
    put: {
      ...keys.testSet(tenantId, set.id),
      ...indexKeys.testSetOfPersona(tenantId, set.persona_id, set.id),
      discriminator: "test-set",
      timestamp: now(),
      ...set,
    },
  },
];

/** Finds a set without checking access to its persona. */
export async function findTestSet(scope: TenantScope, id: string): Promise<TestSet | undefined> {
  const item = await tenantTable(scope).get(keys.testSet(scope.tenantId, id), { consistent: true });
  return item && readTestSet(item);
}

/**
 * Returns a set of a persona that the user can change.
 * @throws ServiceError `not_found`, `forbidden`
 */
export async function authorizeTestSet(principal: UserPrincipal, id: string): Promise<TestSet> {
  const set = requireFound(await findTestSet(principal, id));
  await authorizePersonaManagement(principal, set.persona_id);
  return set;
}

/** Lists the sets of a persona, newest first. @throws ServiceError `invalid_cursor` */
export async function listTestSets(
  scope: TenantScope,
  personaId: string,
  request: PageRequest,
): Promise<Page<TestSet>> {
  const { gsi1pk: pk } = indexKeys.testSetOfPersona(scope.tenantId, personaId, "");
  const list = { list: "test-sets", filters: { personaId }, index: "gsi1", pk, descending: true } as const;
  return mapPage(await listPage(scope, list, request), readTestSet);
}

/** @throws ServiceError `not_found` */
export async function updateTestSet(
  scope: TenantScope,
  id: string,
  changes: Partial<Pick<TestSet, "name" | "description">>,
): Promise<TestSet> {
  const item = await tenantTable(scope).write({
    update: keys.testSet(scope.tenantId, id),
    set: { ...changes, updated_at: timestamp(), timestamp: now() },
    condition: exists(notFound),
  });
  return readTestSet(item as Item);
}

/** Deletes the sets of a deleted persona. The cascade of each deletes its items. */
export async function deleteTestSetsOf(scope: TenantScope, personaId: string): Promise<void> {
  const { gsi1pk: pk } = indexKeys.testSetOfPersona(scope.tenantId, personaId, "");
  for (;;) {
    const sets = await tenantTable(scope).query({ index: "gsi1", pk, limit: SWEEP_BATCH_SIZE });
    await tenantTable(scope).deleteMany(sets);
    if (sets.length < SWEEP_BATCH_SIZE) break;
  }
}
