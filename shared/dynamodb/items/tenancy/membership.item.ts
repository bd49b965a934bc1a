import { defineItem } from "../../define-item.ts";

const prefix = "group#";

export const membershipItem = defineItem({
  type: "membership",
  keys: {
    /** Membership in the user's partition, so that one query returns a user's groups. */
    membership: (tenant: string, user: string, group: string) => ({
      pk: `${tenant}#user#${user}`,
      sk: `${prefix}${group}`,
    }),
  },
  prefixes: { membership: prefix },
  // Deleted together with a change of the group, which records the actor.
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
