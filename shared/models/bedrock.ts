import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { env } from "../lib/env.ts";

/**
 * Returns a model or inference profile of Amazon Bedrock, called through the Converse API. Region and credentials are
 * those of the function (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, …); `MODEL_API_KEY`, a Bedrock API key, replaces the
 * credentials. The endpoint is `MODEL_BASE_URL`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`, `AWS_ENDPOINT_URL` or the region's
 * default, in this order.
 */
export function bedrockModel(modelId: string): LanguageModelV4 {
  const { MODEL_BASE_URL, MODEL_API_KEY } = env("MODEL_BASE_URL", "MODEL_API_KEY");
  const provider = createAmazonBedrock({
    ...(MODEL_BASE_URL && { baseURL: MODEL_BASE_URL }),
    ...(MODEL_API_KEY && { apiKey: MODEL_API_KEY }),
  });
  return provider.languageModel(modelId);
}
