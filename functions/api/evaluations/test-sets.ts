import {
  createTestSetRoute,
  deleteTestSetRoute,
  getTestSetRoute,
  listTestSetsRoute,
  updateTestSetRoute,
} from "#shared/api/evaluations/test-sets.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { deleteExistingItem } from "#shared/dynamodb/required-item.ts";
import {
  authorizeTestSet,
  listTestSets,
  newTestSet,
  newTestSetWrites,
  updateTestSet,
} from "#shared/evaluations/test-set-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { authorizePersonaManagement } from "#shared/personas/persona-store.ts";

export const createTestSetHandler = endpoint(createTestSetRoute, async ({ principal, body, commit }) => {
  await authorizePersonaManagement(principal, body.persona_id);
  const set = newTestSet(principal.userId, body);
  return commit(set, ...newTestSetWrites(principal, set));
});

export const deleteTestSetHandler = endpoint(deleteTestSetRoute, async ({ principal, params }) => {
  const { id } = await authorizeTestSet(principal, params.id);
  await deleteExistingItem(principal, keys.testSet(principal.tenantId, id));
});

export const getTestSetHandler = endpoint(getTestSetRoute, ({ principal, params }) =>
  authorizeTestSet(principal, params.id),
);

export const listTestSetsHandler = endpoint(listTestSetsRoute, async ({ principal, query }) => {
  const { id } = await authorizePersonaManagement(principal, query.persona_id);
  return pageReply("test_sets", await listTestSets(principal, id, query), query.limit);
});

export const updateTestSetHandler = endpoint(updateTestSetRoute, async ({ principal, params, body }) => {
  const { id } = await authorizeTestSet(principal, params.id);
  return updateTestSet(principal, id, body);
});
