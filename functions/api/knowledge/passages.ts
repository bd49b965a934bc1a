import { getPassageRoute } from "#shared/api/knowledge/passages.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { readPassage } from "#shared/knowledge/read-passage.ts";

export const getPassageHandler = endpoint(getPassageRoute, async ({ principal, params, query }) => {
  const { id, document_id, passage } = params;
  const { document, ...found } = await readPassage(
    principal,
    { collection_id: id, id: document_id },
    passage,
    query.neighbors,
  );
  const { title, uri } = document;
  return { document_id, collection_id: id, title, uri, ...found };
});
