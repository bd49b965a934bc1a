import { updateVisitorQuestionRoute } from "#shared/api/embed/visitors.ts";
import { updateQuestion } from "#shared/embed/question-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { getDocument } from "#shared/knowledge/document-store.ts";

export const handler = endpoint(updateVisitorQuestionRoute, async ({ principal, params, body }) => {
  const { document } = body;
  if (document) {
    await getCollection(principal, document.collection_id);
    await getDocument(principal, { collection_id: document.collection_id, id: document.document_id });
  }
  return updateQuestion(principal, params.id, params.question_id, body);
});
