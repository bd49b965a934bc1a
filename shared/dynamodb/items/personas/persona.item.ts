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
    values: ["visibility", "tier", "collection_ids", "tools", "tool_servers", "api_tools", "endpoint"],
    redacted: ["name", "description", "instructions", "greeting", "starter_prompts"],
    verb: (before, after) =>
      isDeepStrictEqual(before?.endpoint ?? null, after.endpoint)
        ? undefined
        : after.endpoint
          ? "published"
          : "unpublished",
  },
  erasedWith: "owner",
});
