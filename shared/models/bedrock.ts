import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { loadProviderKey, type Model } from "./model-table.ts";

/**
 * Returns a model or inference profile of Amazon Bedrock behind the AI SDK's interface, called with the Converse API.
 * Authenticates with the provider's API key, or else with the credentials of the function. The endpoint is the provider's
 * `baseUrl`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`, `AWS_ENDPOINT_URL` or the region's default, in this order.
 */
export async function bedrockModel({ id, provider }: Model): Promise<LanguageModelV4> {
  const [baseURL, apiKey] = [provider.baseUrl, await loadProviderKey(provider)];
  return createAmazonBedrock({ ...(baseURL && { baseURL }), ...(apiKey && { apiKey }) }).languageModel(id);
}
