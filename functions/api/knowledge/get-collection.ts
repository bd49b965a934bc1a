import { getCollection } from "#shared/api/collections.ts";
import * as collections from "#shared/data/collection-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getCollection, ({ principal, params }) =>
  collections.getCollection(principal, params.id),
);
