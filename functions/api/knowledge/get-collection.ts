import { getCollection } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as collections from "#shared/knowledge/collection-store.ts";

export const handler = endpoint(getCollection, ({ principal, params }) =>
  collections.getCollection(principal, params.id),
);
