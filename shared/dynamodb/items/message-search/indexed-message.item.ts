import { defineItem } from "../../define-item.ts";

export const indexedMessageItem = defineItem({
  type: "indexed-message",
  keys: {
    /** Position of a message in the search index of its owner's messages. */
    indexedMessage: (tenant: string, message: string) => ({ pk: `${tenant}#indexed-message#${message}`, sk: "place" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
