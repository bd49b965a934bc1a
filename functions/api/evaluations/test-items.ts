import {
  addTestItemsRoute,
  deleteTestItemRoute,
  listTestItemsRoute,
  updateTestItemRoute,
} from "#shared/api/evaluations/test-items.ts";
import { addAnsweredItem, addNewItems, requireCheckable } from "#shared/evaluations/add-items.ts";
import { getReadableItem, listReadableItems } from "#shared/evaluations/list-items.ts";
import { parseLines } from "#shared/evaluations/parse-lines.ts";
import { SourceReader } from "#shared/evaluations/readable-items.ts";
import { deleteTestItem, updateTestItem } from "#shared/evaluations/test-item-store.ts";
import { authorizeTestSet } from "#shared/evaluations/test-set-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const addTestItemsHandler = endpoint(addTestItemsRoute, async ({ principal, params, body }) => {
  const set = await authorizeTestSet(principal, params.id);
  const { message, items = [], lines } = body;
  if (message) return { added: [await addAnsweredItem(principal, set, message)], duplicates: 0, invalid: [] };
  return addNewItems(principal, set, lines ? parseLines(lines) : items.map((item) => ({ item })));
});

export const deleteTestItemHandler = endpoint(deleteTestItemRoute, async ({ principal, params }) => {
  await deleteTestItem(principal, await getReadableItem(principal, params.id, params.test_item_id));
});

export const listTestItemsHandler = endpoint(listTestItemsRoute, async ({ principal, params, query }) => {
  const { id } = await authorizeTestSet(principal, params.id);
  return pageReply("items", await listReadableItems(principal, id, query), query.limit);
});

export const updateTestItemHandler = endpoint(updateTestItemRoute, async ({ principal, params, body }) => {
  const item = await getReadableItem(principal, params.id, params.test_item_id);
  if (body.expectations) requireCheckable({ expectations: body.expectations });
  return new SourceReader(principal).withReadablePassages(await updateTestItem(principal, item, body));
});
