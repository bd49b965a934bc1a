import { defineItem } from "../../define-item.ts";

export const personaVersionItem = defineItem({
  type: "persona-version",
  keys: {
    /** Fields of a persona after one of its changes. */
    personaVersion: (tenant: string, persona: string, version: number) => ({
      pk: `${tenant}#persona#${persona}`,
      sk: String(version).padStart(9, "0"),
    }),
  },
  partitionOf: { persona: "" },
  recordsActor: [],
  processors: [],
  // The persona records its versions.
  audit: false,
  erasedWith: "parent",
});
