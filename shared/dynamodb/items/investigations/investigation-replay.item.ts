import { defineItem } from "../../define-item.ts";

const prefix = "replay#";

export const investigationReplayItem = defineItem({
  type: "investigation-replay",
  keys: {
    investigationReplay: (tenant: string, investigation: string, replay: string) => ({
      pk: `${tenant}#investigation#${investigation}`,
      sk: `${prefix}${replay}`,
    }),
  },
  prefixes: { investigationReplay: prefix },
  index: {},
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
