/** Groups of routes in the order of the documentation, with their descriptions. */
export const groups = {
  conversations: "Conversations of the caller and those shared with the caller.",
  messages: "Messages of a conversation, their replies and revisions.",
  chat: "Streamed replies: start, resume and stop.",
  folders: "Folders for conversations.",
  projects: "Alias of folders.",
  sharing: "Access for colleagues (grants) and for everyone with a link (share links).",
  feedback: "Ratings of replies.",
  export: "Exports of conversations and of a user's data.",
  knowledge: "Collections, documents and search.",
  memories: "Facts that the assistant remembers.",
  notes: "Notes of a user, which can be attached to a conversation.",
  personas: "Configurations of the assistant, and their publication as endpoints.",
  templates: "Prompt templates.",
  openai: "API compatible with OpenAI's, for existing clients.",
  embed: "Sessions of the website widget.",
  "embed-keys": "Keys for websites that embed the widget.",
  webhooks: "Channels that receive monitoring alerts.",
  policy: "Rules of the tenant for the use of the service.",
  approvals: "Requests to perform actions that require approval.",
  audit: "Audit trail of changes.",
  usage: "Consumption by day, user, key, persona and model.",
  "data-deletions": "Erasure of a user's data.",
  access: "Roles and groups.",
  identity: "The caller's identity and rights.",
  "api-keys": "Keys for server-to-server access.",
  docs: "This documentation.",
  open: "Health and public settings.",
  legacy: "Endpoints of earlier versions. They no longer work.",
} as const;

/** Group of a route: folder of its handler, OpenAPI tag, nested stack. */
export type GroupName = keyof typeof groups;
