/**
 * OpenTelemetry attribute names by short name: those of the conventions for generative AI, which are still in development,
 * and those of this service.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/tree/main/docs/gen-ai
 */
export const attributeNames = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agentId: "gen_ai.agent.id",
  agentVersion: "gen_ai.agent.version",
  conversationId: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  /** Seconds. */
  firstChunk: "gen_ai.response.time_to_first_chunk",
  isStreamed: "gen_ai.request.stream",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  query: "gen_ai.retrieval.query.text",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
  tenantId: "switchboard.tenant.id",
  requestId: "switchboard.request.id",
  tier: "switchboard.tier",
  costUsd: "switchboard.cost_usd",
  approvalIds: "switchboard.approval.ids",
  documentCount: "switchboard.retrieval.document_count",
  endReason: "switchboard.end_reason",
} as const;

/**
 * Provider names of the conventions, by provider type in the settings. Every OpenAI-compatible server is named `openai`,
 * because the provider behind it is not known.
 */
export const providerNames = {
  "openai-compatible": "openai",
  bedrock: "aws.bedrock",
} as const;
