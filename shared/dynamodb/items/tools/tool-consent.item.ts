import { defineItem } from "../../define-item.ts";

export const toolConsentItem = defineItem({
  type: "tool-consent",
  keys: {
    /** Consent of a user to calls of a tool that the user allowed for later calls, too. */
    toolConsent: (tenant: string, user: string, consent: string) => ({
      pk: `${tenant}#user#${user}#tool-consents`,
      sk: consent,
    }),
  },
  // Deleted in a batch by the user whose partition it is in.
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: {
    kind: "tool_consent",
    id: "tool",
    values: ["persona_id", "server_id", "tool", "conversation_id", "definition_hash"],
  },
  erasedWith: "expiry",
});
