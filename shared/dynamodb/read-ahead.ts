import type { Item, Key, ReadOptions, Table } from "./table.ts";

/** Maximum age of a prefetched item; an older one is read again. */
const MAX_AGE_MS = 1_000;

/** Maximum number of items that are prefetched with one credential, the most recently used ones. */
const MAX_FOLLOWERS = 3;

/** Number of reads of an item by requests with a credential before it is prefetched with this credential. */
const MIN_USES = 2;

/**
 * Number of consecutive prefetches that no request used, for example because the requests were rejected, after which an item
 * is no longer prefetched.
 */
const MAX_UNUSED_READS = 20;

const MAX_CREDENTIALS = 10_000;

/** Item that requests with a credential usually read, and that is therefore prefetched with it. */
interface Follower {
  readonly key: Key;
  uses: number;
  unusedReads: number;
}

/** Followers by table key, in the order of their last use. */
type Followers = Map<string, Follower>;

const followersByCredential = new Map<string, Followers>();

/** Items that were prefetched for one request. */
interface Session {
  readonly followers: Followers;
  readonly items: Map<string, Item | undefined>;
  readonly readAt: number;
}

const sessions = new WeakMap<object, Session>();

/** Returns a key as one text, for use in a `Map`; partition keys never contain a line break. */
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

/** Result of reading a credential: its item, and the items that were prefetched with it. */
interface CredentialRead {
  readonly item: Item | undefined;
  /** Makes the prefetched items available to the store calls of this principal. */
  attachTo(principal: object): void;
}

/**
 * Reads the item of a credential with strong consistency. The same batch prefetches the items that earlier requests with this
 * credential read next, which saves a round trip to the table before the model is called.
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
 * Returns the prefetched item for a key and removes it from the prefetched ones; null if the caller must read the table. Only
 * strongly consistent reads use prefetched items.
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
