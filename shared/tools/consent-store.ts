import * as v from "valibot";
import { ToolConsent } from "../api/tools/consents.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Item } from "../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../lib/clock.ts";

/** Retention of a consent, after which the user is asked again. */
const TTL_SECONDS = 180 * 86_400;

const MAX_CONSENTS = 500;

const StoredToolConsent = v.object({ ...ToolConsent.entries, definition_hash: v.string() });
export type StoredToolConsent = v.InferOutput<typeof StoredToolConsent>;

const readItem = itemReader(StoredToolConsent);

/** Reads a consent, whose id is the sort key of its item. */
const readToolConsent = (item: Item): StoredToolConsent => readItem({ ...item, id: item.sk });

const queryItems = (member: UserScope) =>
  tenantTable(member).query({
    pk: keys.toolConsent(member.tenantId, member.userId, "").pk,
    limit: MAX_CONSENTS,
    consistent: true,
  });

/**
 * Stores a user's consent to calls of a tool. It replaces an earlier consent for the same persona, tool and
 * conversation.
 */
export async function rememberConsent(
  member: UserScope,
  consent: Omit<StoredToolConsent, "id" | "created_at">,
): Promise<void> {
  const { persona_id, server_id, tool, conversation_id } = consent;
  const id = [persona_id, server_id, tool, conversation_id ?? "*"].join("#");
  await tenantTable(member).write({
    put: {
      ...keys.toolConsent(member.tenantId, member.userId, id),
      discriminator: "tool-consent",
      timestamp: now(),
      ttl: expiresAfter(TTL_SECONDS),
      created_at: timestamp(),
      ...consent,
    },
  });
}

export async function listToolConsents(member: UserScope): Promise<StoredToolConsent[]> {
  return (await queryItems(member)).map(readToolConsent);
}

/** @param id the consent to forget; all by default */
export async function deleteToolConsents(member: UserScope, id?: string): Promise<void> {
  const items = await queryItems(member);
  await tenantTable(member).deleteMany(id === undefined ? items : items.filter(({ sk }) => sk === id));
}
