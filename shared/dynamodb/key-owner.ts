/** Owner or audience as part of a table key: the whole tenant, one user, or the messages in conversations of one user. */
export type KeyOwner = "tenant" | `user#${string}` | `messages#${string}`;

/** Returns the owner or audience that is one user. */
export const userOwner = (userId: string): KeyOwner => `user#${userId}`;

/** Returns the audience of the search index of the messages in a user's conversations. */
export const messagesOf = (userId: string): KeyOwner => `messages#${userId}`;
