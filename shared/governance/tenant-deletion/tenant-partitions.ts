import { hashCredential } from "../../auth/credentials.ts";
import { messagesOf, userOwner } from "../../dynamodb/key-owner.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import type { Item, Key } from "../../dynamodb/table.ts";

/** Returns the index partition of a user's conversations, which also lists those shared with the user. */
export const conversationsOf = (tenant: string, user: string): string =>
  indexKeys.conversationByActivity(tenant, user, "").gsi1pk;

/** Returns the index partitions of a user's collections; for null, those of the tenant's shared collections. */
export const collectionsOf = (tenant: string, user: string | null): string[] =>
  (user === null ? (["tenant", "readers"] as const) : [userOwner(user)]).map(
    (readers) => indexKeys.collectionByReaders(tenant, readers, "").gsi1pk,
  );

/** Returns the audiences whose search indexes belong to a user; for null, the audience of the tenant. */
export const audiencesOf = (user: string | null) =>
  user === null ? (["tenant"] as const) : [userOwner(user), messagesOf(user)];

/**
 * Functions that return the keys of an item's lookup items, by item type. Lookup items are outside of the tenant's
 * partitions.
 */
export const lookups: Readonly<Record<string, (item: Item) => Key | readonly Key[]>> = {
  "api-key": ({ hash }) => keys.credential(String(hash)),
  "embed-key": ({ hash }) => keys.credential(String(hash)),
  issuer: ({ hash }) => keys.issuerLookup(String(hash)),
  webhook: ({ sk }) => keys.webhookLookup(hashCredential(sk)),
  "slack-workspace": ({ sk, team_id, installed_at }) => [
    keys.slackLookup(hashCredential(sk)),
    ...(installed_at && team_id ? [keys.slackTeam(hashCredential(String(team_id)))] : []),
  ],
  "teams-workspace": ({ sk }) => keys.teamsLookup(hashCredential(sk)),
  "share-link": ({ hash }) => keys.sharedView(String(hash)),
};
