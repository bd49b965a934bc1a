import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../../api/messages.ts";
import type { ChatCompletionRequest } from "../../api/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { now } from "../../clock.ts";
import { type Endpoint, findEndpoint } from "../../data/endpoint-store.ts";
import { allowsEndpoint } from "../../domain/key-scopes.ts";
import { ServiceError } from "../../errors.ts";
import { newId } from "../../ids.ts";
import { searchKnowledge } from "../../search/search-knowledge.ts";
import { modelIdFor, withFallback } from "../models/model.ts";
import { type OpenedStream, openStream } from "../models/open-stream.ts";
import { usageOf } from "../models/tokens.ts";
import { promptText, sourceText } from "../prompt.ts";
import { callOptions, plainText } from "./call-options.ts";
import { type CompletionHead, CompletionWriter } from "./completion.ts";

/** Passages of an endpoint's knowledge that reach the model at most. */
const sourcesAtMost = 6;

/** An answer under way on the OpenAI-compatible surface. */
export interface Completing {
  readonly head: CompletionHead;
  readonly endpoint: Endpoint;
  readonly writer: CompletionWriter;
  /** What the model says; read to its end it knows the usage. */
  readonly parts: AsyncGenerator<LanguageModelV4StreamPart, void>;
  /** What it took, as far as it went. */
  usage(): Usage;
}

/**
 * The endpoint that a key addresses as a model.
 * @throws ServiceError `not_found`, the same for one that is unknown, disabled or not the key's to use
 */
export async function endpointFor(principal: ApiKeyPrincipal, slug: string): Promise<Endpoint> {
  const endpoint = allowsEndpoint(principal.scopes, slug) ? await findEndpoint(principal, slug) : undefined;
  if (!endpoint) throw new ServiceError("not_found", "There is no such model, or this key cannot use it.");
  return endpoint;
}

/** What an endpoint tells the model beforehand: its instructions, and what it knows about the question. */
async function instructionsOf(principal: ApiKeyPrincipal, endpoint: Endpoint, request: ChatCompletionRequest) {
  const question = request.messages.findLast(({ role }) => role === "user");
  const text = plainText(question?.content);
  const { collection_ids, instructions, tier } = endpoint;
  if (collection_ids.length === 0 || tier === "QUICK" || !text) return { instructions, sources: [] };
  const reader = { tenantId: principal.tenantId, userId: null };
  const sources = await searchKnowledge(reader, { text, collectionIds: collection_ids, limit: sourcesAtMost });
  const told = sources.length > 0 ? [instructions, sourceText(sources)] : [instructions];
  return { instructions: told.filter(Boolean).join("\n\n"), sources };
}

/** Parts as they come, with a note of what is to be counted. */
async function* counted({ stream }: OpenedStream, count: (usage: LanguageModelV4Usage) => void) {
  for await (const part of stream) {
    if (part.type === "finish") count(part.usage);
    yield part;
  }
}

/**
 * Begins an answer: from here on the model speaks.
 * @throws ServiceError `not_found` for an unknown model, or as the provider failed
 */
export async function complete(principal: ApiKeyPrincipal, request: ChatCompletionRequest): Promise<Completing> {
  const endpoint = await endpointFor(principal, request.model);
  const { instructions, sources } = await instructionsOf(principal, endpoint, request);
  const options = callOptions(request, instructions);
  const opened = await openStream(withFallback(modelIdFor(endpoint.tier)), {
    ...options,
    providerOptions: { builtin: { sources: sources.map(({ title, text }) => ({ title, text })) } },
  });
  const writer = new CompletionWriter();
  let usage: LanguageModelV4Usage | undefined;
  const parts = counted(opened, (given) => {
    usage = given;
  });
  return {
    head: { id: `chatcmpl-${newId()}`, created: Math.floor(now() / 1_000), model: request.model },
    endpoint,
    writer,
    parts,
    usage: () => usageOf(opened.modelId, usage, { input: promptText(options.prompt), output: writer.text }),
  };
}
