export interface ImportableMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** ISO 8601; absent if the export does not tell. */
  readonly created_at?: string;
}

/** Conversation in an export of ChatGPT, Claude or this service. */
export interface ImportableConversation {
  readonly title: string;
  readonly createdAt: string;
  readonly messages: readonly ImportableMessage[];
}
