import { getCollectionRoute } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";

export const handler = endpoint(getCollectionRoute, ({ principal, params }) => getCollection(principal, params.id));
