import * as v from "valibot";
import { MAX_ITEMS_LENGTH, MEBIBYTE } from "../../api/limits.ts";
import type { OpenaiResponse } from "../../api/openai/answers.ts";
import type { ChatMessage } from "../../api/openai/openai.ts";
import type { InputItem } from "../../api/openai/response-items.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { expiresAfter, now } from "../../lib/clock.ts";
import { invalidField, requireFound, ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { splitUtf8, truncate } from "../../lib/truncate.ts";
import { getResponseId } from "./response-object.ts";

/** Maximum retention of responses, as at OpenAI. The tenant's retention of conversations applies if it is shorter. */
const MAX_RETENTION_DAYS = 30;

const SECONDS_PER_DAY = 24 * 3_600;

/** Maximum number of concurrent writes when a response is stored. */
const WRITE_CONCURRENCY = 4;

/** Maximum number of responses that are read concurrently to resolve references. */
const READ_CONCURRENCY = 4;

/** Maximum number of responses to whose items one request may refer. Each response costs at least one read. */
const MAX_REFERENCED_RESPONSES = 100;

const readPart = itemReader(v.object({ sk: v.string(), text: v.string(), parts: v.number(), ttl: v.number() }));

type StoredItem = InputItem & { readonly id: string };

/**
 * Response with the conversation that leads to it. A request with its id as `previous_response_id` continues this
 * conversation.
 */
interface StoredResponse {
  /** All messages of the conversation, including the answer. */
  readonly messages: readonly ChatMessage[];
  readonly response: OpenaiResponse;
}

/** Returns when a response or conversation that is stored now expires, in epoch seconds. */
export async function getResponseExpiry(principal: ApiKeyPrincipal): Promise<number> {
  const { retention } = await getCurrentPolicy(principal);
  const days = Math.min(MAX_RETENTION_DAYS, retention.conversation_days ?? MAX_RETENTION_DAYS);
  return expiresAfter(days * SECONDS_PER_DAY);
}

/** Stores a response with its conversation. Only the API key that requested it can read it. */
export async function storeResponse(
  principal: ApiKeyPrincipal,
  response: OpenaiResponse,
  messages: readonly ChatMessage[],
): Promise<void> {
  const ttl = await getResponseExpiry(principal);
  const stored: StoredResponse = { messages, response };
  const parts = splitUtf8(JSON.stringify(stored));
  const write = ({ text, part }: { readonly text: string; readonly part: number }) =>
    tenantTable(principal).write({
      put: {
        ...toKey(principal, response.id, part),
        discriminator: "openai-response",
        ttl,
        text,
        parts: parts.length,
      },
    });
  // One transaction could not hold a long conversation with images. The response exists as soon as its first part is written.
  const [first, ...others] = parts.map((text, part) => ({ text, part }));
  await mapConcurrent(others, write, WRITE_CONCURRENCY);
  if (first) await write(first);
}

const toKey = ({ tenantId, keyId }: ApiKeyPrincipal, id: string, part: number) =>
  keys.openaiResponse(tenantId, keyId, id, part);

/**
 * Returns the first part of a stored response; undefined if the response does not exist, has expired or belongs to
 * another key.
 */
async function findFirstPart(principal: ApiKeyPrincipal, id: string) {
  const item = await tenantTable(principal).get(toKey(principal, id, 0), { consistent: true });
  const first = item && readPart(item);
  return first && first.ttl > now() / 1_000 ? first : undefined;
}

const toOtherKeys = (principal: ApiKeyPrincipal, id: string, parts: number) =>
  Array.from({ length: parts - 1 }, (_, index) => toKey(principal, id, index + 1));

async function findStoredResponse(principal: ApiKeyPrincipal, id: string): Promise<StoredResponse | undefined> {
  const first = await findFirstPart(principal, id);
  if (!first) return undefined;
  const otherKeys = toOtherKeys(principal, id, first.parts);
  const others = otherKeys.length > 0 ? await tenantTable(principal).getMany(otherKeys, { consistent: true }) : [];
  const parts = [first, ...others.map(readPart)].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  if (parts.length < first.parts) return undefined;
  return JSON.parse(parts.map(({ text }) => text).join(""));
}

/**
 * Returns the messages of a stored response's conversation, including its answer.
 * @throws ServiceError `validation_failed` if it does not exist, has expired or belongs to another key;
 * `payload_too_large` if the conversation is too long to be continued
 */
export async function getResponseMessages(principal: ApiKeyPrincipal, id: string): Promise<readonly ChatMessage[]> {
  const stored = await findStoredResponse(principal, id);
  if (stored && JSON.stringify(stored.messages).length > MAX_ITEMS_LENGTH) {
    throw new ServiceError(
      "payload_too_large",
      `The conversation of the previous response exceeds ${MAX_ITEMS_LENGTH / MEBIBYTE} MiB. Start a new one.`,
    );
  }
  if (stored) return stored.messages;
  throw invalidField(
    "previous_response_id",
    "previous_response_not_found",
    `Previous response with id '${id}' not found.`,
  );
}

/**
 * Returns the messages that the model received for a stored response, and the response.
 * @throws ServiceError `not_found` if it does not exist, has expired or belongs to another key
 */
export async function getResponseInput(principal: ApiKeyPrincipal, id: string) {
  const stored = requireFound(await findStoredResponse(principal, id));
  return { messages: stored.messages.slice(0, -1), response: stored.response };
}

/** Returns true if a response is stored, is complete and has not expired. Its first part is written last. */
export const isStoredResponse = async (principal: ApiKeyPrincipal, id: string): Promise<boolean> =>
  (await findFirstPart(principal, id)) !== undefined;

/**
 * Returns a stored response.
 * @throws ServiceError `not_found` if it does not exist, has expired or belongs to another key
 */
export async function getResponse(principal: ApiKeyPrincipal, id: string): Promise<OpenaiResponse> {
  const stored = requireFound(await findStoredResponse(principal, id));
  return stored.response;
}

/**
 * Replaces item references in an input by the output items of stored responses.
 * @throws ServiceError `validation_failed` for an item that does not exist, has expired or belongs to another key
 */
export async function resolveReferences(
  principal: ApiKeyPrincipal,
  input: ResponseRequest["input"],
): Promise<ResponseRequest["input"]> {
  if (typeof input === "string") return input;
  const references = input.flatMap((item) => (item.type === "item_reference" ? [item.id] : []));
  if (references.length === 0) return input;
  const responseIds = [...new Set(references.map(getResponseId).filter((id) => id !== undefined))];
  if (responseIds.length > MAX_REFERENCED_RESPONSES) {
    throw invalidField(
      "input",
      "invalid_value",
      `must refer to items of at most ${MAX_REFERENCED_RESPONSES} responses`,
    );
  }
  const referenced = new Set(references);
  const findItems = async (responseId: string) => {
    const output = ((await findStoredResponse(principal, responseId))?.response.output ?? []) as StoredItem[];
    return output.filter(({ id }) => referenced.has(id)).map((item) => [item.id, item] as const);
  };
  const items = new Map((await mapConcurrent(responseIds, findItems, READ_CONCURRENCY)).flat());
  return input.map((item, position) => {
    if (item.type !== "item_reference") return item;
    const found = items.get(item.id);
    if (found) return found;
    throw invalidField(`input.${position}.id`, "invalid_value", `Item with id '${truncate(item.id, 200)}' not found.`);
  });
}

/**
 * Deletes a stored response. Responses that continue it keep their own copy of the conversation.
 * @throws ServiceError `not_found` if it does not exist, has expired or belongs to another key
 */
export async function deleteResponse(principal: ApiKeyPrincipal, id: string): Promise<void> {
  const first = requireFound(await findFirstPart(principal, id));
  await tenantTable(principal).deleteMany([toKey(principal, id, 0), ...toOtherKeys(principal, id, first.parts)]);
}
