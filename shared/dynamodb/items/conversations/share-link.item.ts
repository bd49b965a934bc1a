import { defineItem } from "../../define-item.ts";

const prefix = "link#";

export const shareLinkItem = defineItem({
  type: "share-link",
  keys: {
    shareLink: (tenant: string, conversation: string, link: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${link}`,
    }),
  },
  prefixes: { shareLink: prefix },
  index: {
    /** Share links of the conversations of a user, in creation order. */
    shareLinkOfUser: (tenant: string, user: string, link: string) => ({
      gsi1pk: `${tenant}#user#${user}#share-links`,
      gsi1sk: link,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "share_link",
    target: ["conversation", "conversation_id"],
    id: "link_id",
    values: ["expires_in", "revoked_at"],
    verb: (before, after) => (after.revoked_at && !before?.revoked_at ? "revoked" : undefined),
  },
  erasedWith: "parent",
});
