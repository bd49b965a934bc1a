import { isDeepStrictEqual } from "node:util";
import { defineItem } from "../../define-item.ts";

export const personaItem = defineItem({
  type: "persona",
  keys: {
    persona: (tenant: string, persona: string) => ({ pk: `${tenant}#personas`, sk: persona }),
  },
  index: {
    /** Private personas of a user, in creation order. */
    privatePersona: (tenant: string, owner: string, persona: string) => ({
      gsi1pk: `${tenant}#user#${owner}#personas`,
      gsi1sk: persona,
    }),
    /** Personas that are visible to the whole tenant, in creation order. */
    sharedPersona: (tenant: string, persona: string) => ({ gsi1pk: `${tenant}#shared-personas`, gsi1sk: persona }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "persona",
    id: "id",
    values: [
      "visibility",
      "tier",
      "collection_ids",
      "tools",
      "tool_servers",
      "api_tools",
      "endpoint",
      "version",
      "latest_version",
      "rollouts",
      "restored_from",
      "gate",
      "gate_override",
    ],
    redacted: ["name", "description", "instructions", "greeting", "starter_prompts"],
    verb: (before, after) => {
      if (!before) return undefined;
      if (!isDeepStrictEqual(before.endpoint, after.endpoint)) return after.endpoint ? "published" : "unpublished";
      if (before.latest_version !== after.latest_version) return after.restored_from === null ? undefined : "restored";
      if (before.version !== after.version) return "version_published";
      if (isDeepStrictEqual(before.rollouts, after.rollouts)) return undefined;
      const [old, current] = [before.rollouts, after.rollouts] as unknown[][];
      const isEnd = current?.every((rollout) => old?.some((each) => isDeepStrictEqual(each, rollout)));
      return isEnd ? "version_withdrawn" : "version_published";
    },
  },
  erasedWith: "owner",
});
