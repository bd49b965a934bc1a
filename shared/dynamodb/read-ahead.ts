import type { Item, Key, ReadOptions, Table } from "./table.ts";

/** Age from which a prefetched item is read again. */
const MAX_AGE_MS = 1_000;

/** Maximum number of items that are prefetched with one credential. */
const MAX_FOLLOWERS = 3;

/** Number of requests that must have read an item before it is prefetched for the same credential. */
const MIN_USES = 2;

/** Number of consecutive prefetches without a use, for example by rejected requests, after which an item is forgotten. */
const MAX_UNUSED_READS = 20;

const MAX_CREDENTIALS = 10_000;

/** Item that requests read after the credential that they were sent with. */
interface Follower {
  readonly key: Key;
  uses: number;
  unusedReads: number;
}

/** Followers by table key, in the order of their last use. */
type Followers = Map<string, Follower>;

const followersByCredential = new Map<string, Followers>();

/** Prefetched items that one request may take. */
interface Session {
  readonly followers: Followers;
  readonly items: Map<string, Item | undefined>;
  readonly readAt: number;
}

const sessions = new WeakMap<object, Session>();

/** Returns a map key; partition keys never contain a line break. */
const toMapKey = ({ pk, sk }: Key) => `${pk}\n${sk}`;

function getFollowers(credential: Key): Followers {
  const id = toMapKey(credential);
  let followers = followersByCredential.get(id);
  if (!followers) {
    if (followersByCredential.size >= MAX_CREDENTIALS) followersByCredential.clear();
    followers = new Map();
    followersByCredential.set(id, followers);
  }
  return followers;
}

/** Item of a credential, with the items that were prefetched with it. */
export interface CredentialRead {
  readonly item: Item | undefined;
  /** Lets the store calls of a principal use the prefetched items. */
  attachTo(principal: object): void;
}

/**
 * Reads the item of a credential with strong consistency, in one batch with the items that earlier requests with the
 * credential read next. A request then needs one round trip to the table before it calls a model, not two.
 */
export async function readCredentialAhead(table: Table, credential: Key): Promise<CredentialRead> {
  const known = followersByCredential.get(toMapKey(credential));
  const keys: Key[] = [];
  for (const [id, follower] of known ?? []) {
    if (follower.uses < MIN_USES) continue;
    if (++follower.unusedReads > MAX_UNUSED_READS) known?.delete(id);
    else keys.push(follower.key);
  }
  const readAt = performance.now();
  const [item, ...items] = await Promise.all([credential, ...keys].map((key) => table.get(key, { consistent: true })));
  return {
    item,
    attachTo(principal) {
      const taken = new Map(keys.map((key, index) => [toMapKey(key), items[index]]));
      sessions.set(principal, { followers: getFollowers(credential), items: taken, readAt });
    },
  };
}

/**
 * Takes an item that was read with the credential of a request; null if it must be read. Each item can be taken once, and
 * only by a strongly consistent read.
 */
export function takeReadAhead(
  principal: object,
  key: Key,
  { consistent }: ReadOptions = {},
): { readonly item: Item | undefined } | null {
  const session = consistent ? sessions.get(principal) : undefined;
  if (!session) return null;
  const { followers, items, readAt } = session;
  const id = toMapKey(key);
  const uses = (followers.get(id)?.uses ?? 0) + 1;
  followers.delete(id);
  followers.set(id, { key, uses, unusedReads: 0 });
  const [leastRecent] = followers.keys();
  if (followers.size > MAX_FOLLOWERS && leastRecent !== undefined) followers.delete(leastRecent);
  if (!items.has(id) || performance.now() - readAt > MAX_AGE_MS) return null;
  const item = items.get(id);
  items.delete(id);
  return { item };
}
