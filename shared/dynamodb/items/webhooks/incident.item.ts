import { defineItem } from "../../define-item.ts";

const prefix = "incident#";

export const incidentItem = defineItem({
  type: "incident",
  keys: {
    /** Record of an incident; refers to the message of its first alert, to which later alerts become replies. */
    incident: (tenant: string, channel: string, incident: string) => ({
      pk: `${tenant}#webhook#${channel}`,
      sk: `${prefix}${incident}`,
    }),
  },
  prefixes: { incident: prefix },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
