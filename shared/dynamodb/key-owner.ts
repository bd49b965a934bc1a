/**
 * Owner of items, or audience of a search index, as part of a table key: the whole tenant, one user, the members of a
 * `group#…`, the people and groups of a list of `readers#…`, or `messages#…` for the messages in the conversations of one user.
 */
export type KeyOwner =
  | "tenant"
  | "readers"
  | `user#${string}`
  | `group#${string}`
  | `readers#${string}`
  | `messages#${string}`;

/** Returns the key part for one user. */
export const userOwner = (userId: string): KeyOwner => `user#${userId}`;

/** Returns the key part for the members of one group. */
export const groupOwner = (groupId: string): KeyOwner => `group#${groupId}`;

/** Returns the key part of the search index of the messages in one user's conversations. */
export const messagesOf = (userId: string): KeyOwner => `messages#${userId}`;
