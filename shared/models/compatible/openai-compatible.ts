import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { loadProviderKey, type Model } from "../model-table.ts";
import { providerFetch } from "./provider-fetch.ts";

/**
 * Moves the cache marks of messages to their last parts, where gateways to Claude expect them.
 * @see https://openrouter.ai/docs/features/prompt-caching
 * @see https://docs.litellm.ai/docs/completion/prompt_caching
 */
function withMarkedTexts(body: Record<string, unknown>): Record<string, unknown> {
  const messages = (body.messages as Record<string, unknown>[]).map(({ cache_control, ...message }) => {
    const { content } = message;
    if (!cache_control || !content) return message;
    const parts: readonly object[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
    return { ...message, content: parts.with(-1, { ...parts.at(-1), cache_control }) };
  });
  return { ...body, messages };
}

const models = new Map<string, LanguageModelV4>();

/**
 * Returns a model of an OpenAI-compatible provider behind the AI SDK's interface. Created models are cached, because creating
 * their schemas costs more than a call.
 */
export async function openaiCompatibleModel({ id, provider, reasoningTags }: Model): Promise<LanguageModelV4> {
  const { baseUrl } = provider;
  const apiKey = await loadProviderKey(provider);
  const cacheKey = JSON.stringify([id, baseUrl, apiKey, reasoningTags]);
  let model = models.get(cacheKey);
  if (!model) {
    model = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: baseUrl,
      apiKey: apiKey || undefined,
      includeUsage: true,
      fetch: providerFetch(reasoningTags),
      transformRequestBody: withMarkedTexts,
    }).chatModel(id);
    models.set(cacheKey, model);
  }
  return model;
}
