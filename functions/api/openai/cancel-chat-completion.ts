import { cancelChatCompletionRoute } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { cancelCompletion } from "#shared/openai/completions/completion-cancellation.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";

export const handler = endpoint(
  cancelChatCompletionRoute,
  async ({ principal, params }) => {
    await cancelCompletion(principal, params.id);
    return { id: params.id, object: "chat.completion.cancellation" as const, status: "requested" as const };
  },
  openaiFormat,
);
