import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { checkHits } from "../chat/guardrail-checks.ts";
import { formatSources } from "../chat/prompt.ts";
import { refusalMessage } from "../guardrails/canned-messages.ts";
import { type KnowledgeHit, searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { generateAnswer } from "../models/generate-answer.ts";
import { modelIdFor, withFallback } from "../models/model.ts";
import { type ModelStream, openStream } from "../models/open-stream.ts";
import { promptText } from "../models/prompt-text.ts";
import { toUsage } from "../models/tokens.ts";
import { type Endpoint, findEndpoint } from "../personas/endpoint-store.ts";
import { allowsEndpoint } from "../tenancy/key-scopes.ts";
import { plainText, toCallOptions } from "./call-options.ts";
import { checkMessages } from "./check-messages.ts";
import { type CompletionAnswer, type CompletionHead, CompletionWriter, type Delta } from "./completion.ts";

/** Sources in a prompt. */
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
  if (!endpoint) throw new ServiceError("not_found", "The model does not exist, or this key cannot use it.");
  return endpoint;
}

/** Searches the endpoint's collections. Best-effort: if the search fails, the model answers without sources. */
async function findSources(principal: ApiKeyPrincipal, endpoint: Endpoint, question: string): Promise<KnowledgeHit[]> {
  const { collection_ids: collectionIds, tier } = endpoint;
  if (collectionIds.length === 0 || tier === "QUICK" || question === "") return [];
  const reader = { tenantId: principal.tenantId, userId: null };
  try {
    const hits = await searchKnowledge(reader, { text: question, collectionIds, limit: MAX_SOURCES });
    return (await checkHits(hits)).hits;
  } catch (error) {
    log.error("knowledge search failed", { persona_id: endpoint.persona_id, error });
    return [];
  }
}

/** Builds the model call for a request; null if the guardrail blocks a message. */
async function buildPrompt(principal: ApiKeyPrincipal, endpoint: Endpoint, request: ChatCompletionRequest) {
  const messages = await checkMessages(request.messages);
  if (!messages) return null;
  const question = plainText(messages.findLast(({ role }) => role === "user")?.content);
  const sources = await findSources(principal, endpoint, question);
  const instructions = [endpoint.instructions, ...(sources.length > 0 ? [formatSources(sources)] : [])];
  return {
    ...toCallOptions({ ...request, messages }, instructions.filter(Boolean).join("\n\n")),
    providerOptions: { builtin: { sources: sources.map(({ title, text }) => ({ title, text })) } },
  };
}

/**
 * Starts a completion.
 * @throws ServiceError `not_found` for an unknown model, or the provider's error
 */
export async function complete(
  principal: ApiKeyPrincipal,
  request: ChatCompletionRequest,
): Promise<GeneratedCompletion> {
  const endpoint = await getEndpoint(principal, request.model);
  const head = { id: `chatcmpl-${newId()}`, created: Math.floor(now() / 1_000), model: request.model };
  const writer = new CompletionWriter({ streams: request.stream === true });
  const modelId = modelIdFor(endpoint.tier);
  const prompt = await buildPrompt(principal, endpoint, request);
  if (!prompt) {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0, model: modelId };
    return { head, endpoint, deltas: refuse(writer), answer: () => writer.answer(head, usage) };
  }
  const modelStream = await (request.stream ? openStream : generateAnswer)(withFallback(modelId), prompt);
  let reported: LanguageModelV4Usage | undefined;
  const usage = () =>
    toUsage(modelStream.modelId, reported, {
      // The texts are only needed to estimate usage that the provider does not report.
      input: reported?.inputTokens.total === undefined ? promptText(prompt.prompt) : "",
      output: reported?.outputTokens.total === undefined ? writer.text : "",
    });
  const deltas = streamCompletion(modelStream, writer, (usage) => {
    reported = usage;
  });
  return { head, endpoint, deltas, answer: () => writer.answer(head, usage()) };
}

async function* refuse(writer: CompletionWriter): AsyncGenerator<Delta, void> {
  yield writer.refuse(refusalMessage);
}

async function* streamCompletion(
  { stream }: ModelStream,
  writer: CompletionWriter,
  onUsage: (usage: LanguageModelV4Usage) => void,
): AsyncGenerator<Delta, void> {
  for await (const part of stream) {
    if (part.type === "finish") onUsage(part.usage);
    const delta = writer.take(part);
    if (delta) yield delta;
  }
  await writer.check();
}
