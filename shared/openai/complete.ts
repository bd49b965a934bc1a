import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { checkHits } from "../chat/guardrail-checks.ts";
import { formatSources } from "../chat/prompt.ts";
import { getCurrentPolicy } from "../governance/policy-store.ts";
import { refusalMessage } from "../guardrails/canned-messages.ts";
import { narrowPolicy } from "../guardrails/narrow-policy.ts";
import { type KnowledgeHit, searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { getInputs } from "../models/capabilities.ts";
import type { ChatChunk, ChatCompletion, ReportedUsage } from "../models/chat-chunk.ts";
import { selectModel, withFallback } from "../models/model.ts";
import { type CompletionRequest, isCompatible, openCompletion, requestCompletion } from "../models/open-completion.ts";
import { shiftMessages } from "../models/provider-refusal.ts";
import { toUsage } from "../models/tokens.ts";
import type { Endpoint } from "../personas/endpoint-store.ts";
import { requireToolCalls, toCallOptions } from "./call-options.ts";
import { checkMessages } from "./check-messages.ts";
import { type CompletionAnswer, type CompletionHead, CompletionWriter, type Delta } from "./completion.ts";
import { newCompletionId } from "./completion-cancellation.ts";
import { recordCompletion } from "./completion-store.ts";
import { plainText, requireInputs, requireTextLength } from "./content-parts.ts";
import { getEndpoint } from "./model.ts";
import { toProviderBody } from "./provider-body.ts";
import { selectFields } from "./request-fields.ts";

/** Maximum number of sources in a prompt. */
const MAX_SOURCES = 6;

/** Completion of the OpenAI-compatible API, in progress or replayed. */
export interface Completion {
  readonly head: CompletionHead;
  /** Deltas of the message; if they end without an error, the answer is complete. */
  readonly deltas: AsyncIterable<Delta> | Iterable<Delta>;
  /** Returns the answer so far. */
  answer(): CompletionAnswer;
}

/** Completion that a model generates. */
export interface GeneratedCompletion extends Completion {
  readonly deltas: AsyncGenerator<Delta, void>;
  readonly endpoint: Endpoint;
}

/** Searches the endpoint's collections. Best-effort: if the search fails, the model answers without sources. */
async function findSources(
  principal: ApiKeyPrincipal,
  endpoint: Endpoint,
  question: string,
  policy: GuardrailPolicy,
): Promise<KnowledgeHit[]> {
  const { collection_ids: collectionIds, tier } = endpoint;
  if (collectionIds.length === 0 || tier === "QUICK" || question === "") return [];
  const reader = { tenantId: principal.tenantId, userId: null };
  try {
    const hits = await searchKnowledge(reader, { text: question, collectionIds, limit: MAX_SOURCES });
    return (await checkHits(hits, policy)).hits;
  } catch (error) {
    log.error("knowledge search failed", { persona_id: endpoint.persona_id, error });
    return [];
  }
}

/** Builds the model call for a request; null if the guardrail blocks a message. */
async function buildRequest(
  principal: ApiKeyPrincipal,
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  policy: GuardrailPolicy,
): Promise<ModelRequest | null> {
  const messages = await checkMessages(request.messages, policy);
  if (!messages) return null;
  const question = plainText(messages.findLast(({ role }) => role === "user")?.content);
  const sources = await findSources(principal, endpoint, question, policy);
  const instructions = [endpoint.instructions, ...(sources.length > 0 ? [formatSources(sources)] : [])]
    .filter(Boolean)
    .join("\n\n");
  const checked = withPersonaDefaults({ ...request, messages }, endpoint);
  return {
    toBody: () => toProviderBody(checked, instructions),
    toOptions: () => ({
      ...toCallOptions(checked, instructions),
      providerOptions: { builtin: { sources: sources.map(({ title, text }) => ({ title, text })) } },
    }),
    promptText: () => promptText([instructions, ...messages]),
    insertedMessages: instructions ? 1 : 0,
  };
}

/** Request to a model, with what the usage estimate and error messages need. */
interface ModelRequest extends CompletionRequest {
  /** Returns the text of the prompt, to estimate its tokens when the provider reports no usage. */
  promptText(): string;
  /** Number of messages that the service inserted before the messages of the caller. */
  readonly insertedMessages: number;
}

/** Applies a persona's temperature, unless the request has one, and its maximum length, which also limits the request's. */
function withPersonaDefaults(
  request: ChatCompletionRequest,
  { temperature, max_output_tokens: maxTokens }: Endpoint,
): ChatCompletionRequest {
  const limit = (requested: number | null | undefined) =>
    requested ? Math.min(requested, maxTokens ?? requested) : requested;
  const limits =
    request.max_tokens || request.max_completion_tokens
      ? { max_tokens: limit(request.max_tokens), max_completion_tokens: limit(request.max_completion_tokens) }
      : { max_completion_tokens: maxTokens };
  return { ...request, temperature: request.temperature ?? temperature, ...limits };
}

/** Requires that the model can carry out a request. @throws ServiceError `validation_failed` */
function requireSupported(request: ChatCompletionRequest, modelId: string): void {
  selectFields(request, isCompatible(modelId) ? "compatible" : "adapted");
  requireToolCalls(request.messages);
  requireTextLength(request.messages);
  requireInputs(request.messages, getInputs(modelId));
}

const mediaFields: ReadonlySet<string> = new Set(["url", "data", "file_data"]);

/** Returns the text of messages without images, audio and files. */
const promptText = (messages: readonly unknown[]) =>
  JSON.stringify(messages, (name, value) => (mediaFields.has(name) ? undefined : value));

/** Options of a completion. */
export interface CompleteOptions {
  /** Called when an attempt has failed and another one will follow. */
  readonly onRetry?: () => void;
  readonly id?: string;
  /** Ends the generation. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a completion.
 * @throws ServiceError `not_found` for an unknown model, `validation_failed`, or the provider's error
 */
export async function complete(
  principal: ApiKeyPrincipal,
  request: ChatCompletionRequest,
  { onRetry, signal, id = newCompletionId(principal, "chatcmpl-") }: CompleteOptions = {},
): Promise<GeneratedCompletion> {
  const [endpoint, policy] = await Promise.all([getEndpoint(principal, request.model), getCurrentPolicy(principal)]);
  const guardrails = narrowPolicy(policy.guardrails, endpoint.guardrails, principal.guardrails);
  const head = { id, created: Math.floor(now() / 1_000), model: request.model };
  const writer = new CompletionWriter(guardrails);
  const primaryId = selectModel(endpoint);
  requireSupported(request, primaryId);
  const modelRequest = await buildRequest(principal, endpoint, request, guardrails);
  if (!modelRequest) {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0, model: primaryId };
    return { head, endpoint, deltas: refuse(writer), answer: () => writer.answer(head, usage) };
  }
  const generate = async () => {
    if (request.stream) {
      const { modelId, result } = await openCompletion(withFallback(primaryId), modelRequest, { onRetry, signal });
      return { modelId, deltas: streamCompletion(result, writer) };
    }
    const { modelId, result } = await requestCompletion(withFallback(primaryId), modelRequest, { signal });
    return { modelId, deltas: adoptCompletion(result, writer) };
  };
  const { modelId, deltas } = await generate().catch(async (error) => {
    if (signal?.aborted) {
      // The provider bills the prompt of a canceled call, and reports no usage for it.
      const usage = toUsage(primaryId, undefined, { input: modelRequest.promptText(), output: "" });
      await recordCompletion(principal, { id, key_id: principal.keyId, persona_id: endpoint.persona_id, usage });
    }
    throw shiftMessages(error, modelRequest.insertedMessages);
  });
  // The texts of request and answer are only used to estimate the usage of providers that do not report it.
  const usage = () =>
    toUsage(modelId, toModelUsage(writer.reported), {
      input: writer.reported?.prompt_tokens === undefined ? modelRequest.promptText() : "",
      output: writer.reported?.completion_tokens === undefined ? writer.generatedText : "",
    });
  return { head, endpoint, deltas, answer: () => writer.answer(head, usage()) };
}

function toModelUsage(reported: ReportedUsage | undefined): LanguageModelV4Usage | undefined {
  if (!reported) return undefined;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = reported;
  const cacheRead = prompt_tokens_details?.cached_tokens;
  return {
    inputTokens: { total: prompt_tokens, cacheRead, noCache: undefined, cacheWrite: undefined },
    outputTokens: { total: completion_tokens, text: undefined, reasoning: undefined },
  };
}

async function* refuse(writer: CompletionWriter): AsyncGenerator<Delta, void> {
  yield writer.refuse(refusalMessage);
}

async function* streamCompletion(
  chunks: AsyncIterable<ChatChunk>,
  writer: CompletionWriter,
): AsyncGenerator<Delta, void> {
  for await (const chunk of chunks) {
    const delta = writer.take(chunk);
    if (delta) yield delta;
  }
  yield* writer.end();
  await writer.check();
}

/** Wraps a response that is not streamed, which has no deltas. */
// biome-ignore lint/correctness/useYield: the answer is complete, so there is nothing to stream
async function* adoptCompletion(completion: ChatCompletion, writer: CompletionWriter): AsyncGenerator<Delta, void> {
  writer.adopt(completion);
  await writer.check();
}
