import { defineItem } from "../../define-item.ts";

export const templateItem = defineItem({
  type: "template",
  keys: {
    template: (tenant: string, template: string) => ({ pk: `${tenant}#templates`, sk: template }),
  },
  index: {
    /** Private templates of a user. */
    privateTemplate: (tenant: string, owner: string, template: string) => ({
      gsi1pk: `${tenant}#user#${owner}#templates`,
      gsi1sk: template,
    }),
    /** Templates that are visible to the whole tenant. */
    sharedTemplate: (tenant: string, template: string) => ({ gsi1pk: `${tenant}#shared-templates`, gsi1sk: template }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "template",
    id: "id",
    values: ["visibility"],
    redacted: ["name", "description", "body", "variables", "category"],
  },
  erasedWith: "owner",
});
