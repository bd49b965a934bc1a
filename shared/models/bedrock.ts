import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { env } from "../lib/env.ts";

/**
 * A model or inference profile of Amazon Bedrock, through its Converse API. Region and credentials are those of the
 * function (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, …); `MODEL_API_KEY`, a Bedrock API key, takes the place of the latter.
 * The address is `MODEL_BASE_URL`, else `AWS_ENDPOINT_URL_BEDROCK_RUNTIME` or `AWS_ENDPOINT_URL`, else the region's own.
 */
export function bedrockModel(modelId: string): LanguageModelV4 {
  const { MODEL_BASE_URL, MODEL_API_KEY } = env("MODEL_BASE_URL", "MODEL_API_KEY");
  const provider = createAmazonBedrock({
    ...(MODEL_BASE_URL && { baseURL: MODEL_BASE_URL }),
    ...(MODEL_API_KEY && { apiKey: MODEL_API_KEY }),
  });
  return provider.languageModel(modelId);
}
