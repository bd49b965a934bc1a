import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { checkedHits } from "../chat/guardrail-checks.ts";
import { sourceText } from "../chat/prompt.ts";
import { refusal } from "../guardrails/canned-messages.ts";
import { type KnowledgeHit, searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { modelIdFor, withFallback } from "../models/model.ts";
import { askWhole, type OpenedStream, openStream } from "../models/open-stream.ts";
import { promptText } from "../models/prompt-text.ts";
import { usageOf } from "../models/tokens.ts";
import { type Endpoint, findEndpoint } from "../personas/endpoint-store.ts";
import { allowsEndpoint } from "../tenancy/key-scopes.ts";
import { callOptions, plainText } from "./call-options.ts";
import { checkedMessages } from "./checked-messages.ts";
import { type CompletionAnswer, type CompletionHead, CompletionWriter, type Delta } from "./completion.ts";

/** Passages of an endpoint's knowledge that reach the model at most. */
const sourcesAtMost = 6;

/** An answer on the OpenAI-compatible surface, be it under way or known from before. */
export interface Completing {
  readonly head: CompletionHead;
  /** What is said, piece by piece; where it ends without an error, the answer is whole. */
  readonly deltas: AsyncIterable<Delta> | Iterable<Delta>;
  /** The answer as far as it goes. */
  answer(): CompletionAnswer;
}

/** An answer that a model is making. */
export interface Generating extends Completing {
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

/** What an endpoint knows about a question, of what its key may read; an answer without sources is better than none. */
async function sourcesFor(principal: ApiKeyPrincipal, endpoint: Endpoint, question: string): Promise<KnowledgeHit[]> {
  const { collection_ids: collectionIds, tier } = endpoint;
  if (collectionIds.length === 0 || tier === "QUICK" || question === "") return [];
  const reader = { tenantId: principal.tenantId, userId: null };
  try {
    const hits = await searchKnowledge(reader, { text: question, collectionIds, limit: sourcesAtMost });
    return (await checkedHits(hits)).hits;
  } catch (error) {
    log.error("knowledge unavailable", { persona_id: endpoint.persona_id, error });
    return [];
  }
}

/** What the model is asked; null where the question is refused. */
async function askedOf(principal: ApiKeyPrincipal, endpoint: Endpoint, request: ChatCompletionRequest) {
  const messages = await checkedMessages(request.messages);
  if (!messages) return null;
  const question = plainText(messages.findLast(({ role }) => role === "user")?.content);
  const sources = await sourcesFor(principal, endpoint, question);
  const told = [endpoint.instructions, ...(sources.length > 0 ? [sourceText(sources)] : [])];
  return {
    ...callOptions({ ...request, messages }, told.filter(Boolean).join("\n\n")),
    providerOptions: { builtin: { sources: sources.map(({ title, text }) => ({ title, text })) } },
  };
}

/**
 * Begins an answer: from here on the model speaks.
 * @throws ServiceError `not_found` for an unknown model, or as the provider failed
 */
export async function complete(principal: ApiKeyPrincipal, request: ChatCompletionRequest): Promise<Generating> {
  const endpoint = await getEndpoint(principal, request.model);
  const head = { id: `chatcmpl-${newId()}`, created: Math.floor(now() / 1_000), model: request.model };
  const writer = new CompletionWriter({ streams: request.stream === true });
  const modelId = modelIdFor(endpoint.tier);
  const asked = await askedOf(principal, endpoint, request);
  if (!asked) {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0, model: modelId };
    return { head, endpoint, deltas: refused(writer), answer: () => writer.answer(head, usage) };
  }
  const opened = await (request.stream ? openStream : askWhole)(withFallback(modelId), asked);
  let counted: LanguageModelV4Usage | undefined;
  const usage = () =>
    usageOf(opened.modelId, counted, {
      // Only looked at where the provider does not count.
      input: counted?.inputTokens.total === undefined ? promptText(asked.prompt) : "",
      output: counted?.outputTokens.total === undefined ? writer.text : "",
    });
  const deltas = spoken(opened, writer, (given) => {
    counted = given;
  });
  return { head, endpoint, deltas, answer: () => writer.answer(head, usage()) };
}

async function* refused(writer: CompletionWriter): AsyncGenerator<Delta, void> {
  yield writer.refuse(refusal);
}

async function* spoken(
  { stream }: OpenedStream,
  writer: CompletionWriter,
  count: (usage: LanguageModelV4Usage) => void,
): AsyncGenerator<Delta, void> {
  for await (const part of stream) {
    if (part.type === "finish") count(part.usage);
    const delta = writer.take(part);
    if (delta) yield delta;
  }
  await writer.check();
}
