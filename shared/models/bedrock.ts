import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { loadProviderKey, type Model } from "./model-table.ts";

/**
 * Returns a model or inference profile of Amazon Bedrock, called through the Converse API. Region and credentials are
 * those of the function (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, …); the provider's API key, one of Bedrock, replaces
 * them. The endpoint is the provider's `baseUrl`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`, `AWS_ENDPOINT_URL` or the region's
 * default, in this order.
 */
export async function bedrockModel({ id, provider }: Model): Promise<LanguageModelV4> {
  const [baseURL, apiKey] = [provider.baseUrl, await loadProviderKey(provider)];
  return createAmazonBedrock({ ...(baseURL && { baseURL }), ...(apiKey && { apiKey }) }).languageModel(id);
}
