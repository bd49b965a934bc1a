import { defineItem } from "../../define-item.ts";

export const embedSessionItem = defineItem({
  type: "embed-session",
  keys: {
    /** Marks a conversation as the session of a widget visitor. */
    embedSession: (tenant: string, conversation: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: "embed-session",
    }),
  },
  index: {
    /** Sessions of the visitors of one website, identified by its embed key, in order of their start. */
    visitorSession: (tenant: string, key: string, conversation: string) => ({
      gsi1pk: `${tenant}#visitor-sessions`,
      gsi1sk: `${key}#${conversation}`,
    }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "expiry",
});
