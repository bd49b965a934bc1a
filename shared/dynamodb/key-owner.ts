/** Owner or audience as part of a table key: the whole tenant or one user. */
export type KeyOwner = "tenant" | `user#${string}`;

/** Returns the owner or audience that is one user. */
export const userOwner = (userId: string): KeyOwner => `user#${userId}`;
