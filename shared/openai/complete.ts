import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { checkHits } from "../chat/guardrail-checks.ts";
import { formatSources } from "../chat/prompt.ts";
import { getCurrentPolicy } from "../governance/policy-store.ts";
import { refusalMessage } from "../guardrails/canned-messages.ts";
import { type KnowledgeHit, searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { getInputs } from "../models/capabilities.ts";
import type { ChatChunk, ChatCompletion, ReportedUsage } from "../models/chat-chunk.ts";
import { modelIdFor, withFallback } from "../models/model.ts";
import {
  type CompletionRequest,
  isCompatibleProvider,
  openCompletion,
  requestCompletion,
} from "../models/open-completion.ts";
import { promptText } from "../models/prompt-text.ts";
import { shiftMessages } from "../models/provider-refusal.ts";
import { toUsage } from "../models/tokens.ts";
import { type Endpoint, findEndpoint } from "../personas/endpoint-store.ts";
import { allowsEndpoint } from "../tenancy/key-scopes.ts";
import { requireToolCalls, toCallOptions } from "./call-options.ts";
import { checkMessages } from "./check-messages.ts";
import { type CompletionAnswer, type CompletionHead, CompletionWriter, type Delta } from "./completion.ts";
import { newCompletionId } from "./completion-cancellation.ts";
import { recordCompletion } from "./completion-store.ts";
import { plainText, requireInputs } from "./content-parts.ts";
import { ModelNotFound } from "./openai-error.ts";
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

/**
 * Returns the endpoint that a key addresses as a model.
 * @throws ServiceError `not_found`, the same for an unknown or disabled endpoint and one that the key may not use
 */
export async function getEndpoint(principal: ApiKeyPrincipal, slug: string): Promise<Endpoint> {
  const endpoint = allowsEndpoint(principal.scopes, slug) ? await findEndpoint(principal, slug) : undefined;
  if (!endpoint) throw new ModelNotFound("The model");
  return endpoint;
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
): Promise<CompletionRequest | null> {
  const messages = await checkMessages(request.messages, policy);
  if (!messages) return null;
  const question = plainText(messages.findLast(({ role }) => role === "user")?.content);
  const sources = await findSources(principal, endpoint, question, policy);
  const instructions = [endpoint.instructions, ...(sources.length > 0 ? [formatSources(sources)] : [])]
    .filter(Boolean)
    .join("\n\n");
  const checked = { ...request, messages };
  if (isCompatibleProvider()) return { kind: "compatible", body: toProviderBody(checked, instructions) };
  return {
    kind: "adapted",
    options: {
      ...toCallOptions(checked, instructions),
      providerOptions: { builtin: { sources: sources.map(({ title, text }) => ({ title, text })) } },
    },
  };
}

/** Requires that the model can carry out a request. @throws ServiceError `validation_failed` */
function requireSupported(request: ChatCompletionRequest, modelId: string): void {
  selectFields(request, isCompatibleProvider() ? "compatible" : "adapted");
  requireToolCalls(request.messages);
  requireInputs(request.messages, getInputs(modelId));
}

const countMessages = (request: CompletionRequest) =>
  (request.kind === "compatible" ? (request.body.messages as readonly unknown[]) : request.options.prompt).length;

const mediaFields: ReadonlySet<string> = new Set(["url", "data", "file_data"]);

/** Returns the text of a request, to estimate its tokens when the provider reports no usage. */
const requestText = (request: CompletionRequest) =>
  request.kind === "compatible"
    ? JSON.stringify(request.body.messages, (name, value) => (mediaFields.has(name) ? undefined : value))
    : promptText(request.options.prompt);

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
  const [endpoint, { guardrails }] = await Promise.all([
    getEndpoint(principal, request.model),
    getCurrentPolicy(principal),
  ]);
  const head = { id, created: Math.floor(now() / 1_000), model: request.model };
  const writer = new CompletionWriter(guardrails);
  const primaryId = modelIdFor(endpoint.tier);
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
      const usage = toUsage(primaryId, undefined, { input: requestText(modelRequest), output: "" });
      await recordCompletion(principal, { id, key_id: principal.keyId, persona_id: endpoint.persona_id, usage });
    }
    throw shiftMessages(error, countMessages(modelRequest) - request.messages.length);
  });
  // The texts of request and answer are only used to estimate the usage of providers that do not report it.
  const usage = () =>
    toUsage(modelId, toModelUsage(writer.reported), {
      input: writer.reported?.prompt_tokens === undefined ? requestText(modelRequest) : "",
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
