import { defineItem } from "../../define-item.ts";

export const toolSignInItem = defineItem({
  type: "tool-sign-in",
  keys: {
    /** Pending sign-in of a user at a tool server's authorization server, by a hash of the OAuth `state`. */
    toolSignIn: (tenant: string, user: string, hash: string) => ({
      pk: `${tenant}#user#${user}#tool-sign-ins`,
      sk: hash,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
