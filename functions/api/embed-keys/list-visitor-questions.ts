import { listVisitorQuestionsRoute } from "#shared/api/embed/visitors.ts";
import { listQuestions } from "#shared/embed/question-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { requireEmbedKey } from "#shared/tenancy/embed-key-store.ts";

export const handler = endpoint(listVisitorQuestionsRoute, async ({ principal, params, query }) => {
  await requireEmbedKey(principal, params.id);
  const { entries, next } = await listQuestions(principal, params.id, query.status, query);
  return { questions: [...entries], limit: query.limit, next_cursor: next };
});
