type Access = "read" | "write" | "run";

/** Group of routes. */
interface Group {
  readonly description: string;
  /** Scopes of API keys for its routes on `/v1`. Groups without one have no route with the credential of a user. */
  readonly scopes: readonly Access[];
}

/** Groups of routes in the order of the documentation. */
export const groups = {
  conversations: {
    scopes: ["read", "write"],
    description: "Conversations of the caller and those shared with the caller.",
  },
  messages: { scopes: ["read", "write"], description: "Messages of a conversation, their replies and revisions." },
  chat: { scopes: ["read", "run"], description: "Streamed replies: start, resume and stop." },
  folders: { scopes: ["read", "write"], description: "Folders for conversations." },
  projects: { scopes: [], description: "Alias of folders." },
  sharing: {
    scopes: ["read", "write"],
    description: "Access for colleagues (grants) and for everyone with a link (share links).",
  },
  feedback: { scopes: ["read", "write"], description: "Ratings of replies." },
  export: { scopes: ["read", "write"], description: "Exports of conversations and of a user's data." },
  knowledge: { scopes: ["read", "write"], description: "Collections, documents and search." },
  memories: { scopes: ["read", "write"], description: "Facts that the assistant remembers." },
  notes: { scopes: ["read", "write"], description: "Notes of a user, which can be attached to a conversation." },
  schedules: { scopes: ["read", "write"], description: "Questions that are asked at regular times." },
  personas: {
    scopes: ["read", "write"],
    description: "Configurations of the assistant, their language models, and their publication as endpoints.",
  },
  tools: { scopes: ["read", "write", "run"], description: "Servers whose tools the assistant can call." },
  templates: { scopes: ["read", "write"], description: "Prompt templates." },
  openai: { scopes: [], description: "API compatible with OpenAI's, for existing clients." },
  embed: { scopes: [], description: "Sessions of the website widget." },
  "embed-keys": { scopes: ["read", "write"], description: "Keys for websites that embed the widget." },
  handovers: { scopes: ["read", "write"], description: "Sessions of visitors that a person answers." },
  webhooks: { scopes: ["read", "write"], description: "Channels that receive monitoring alerts." },
  messengers: {
    scopes: ["read", "write"],
    description:
      "Workspaces of Slack and Microsoft Teams in which the assistant answers, and the accounts of people there.",
  },
  investigations: { scopes: ["read", "write"], description: "Investigations of incidents that alerts started." },
  "event-endpoints": { scopes: ["read", "write"], description: "Addresses that events of the tenant are sent to." },
  policy: { scopes: ["read", "write"], description: "Rules of the tenant for the use of the service." },
  approvals: { scopes: ["read", "write"], description: "Requests to perform actions that require approval." },
  audit: { scopes: ["read"], description: "Audit trail of changes." },
  usage: { scopes: ["read"], description: "Consumption by day, user, key, persona and model." },
  budgets: { scopes: ["read", "write"], description: "Limits of the consumption, with their states." },
  "data-deletions": { scopes: ["read", "write"], description: "Erasure of a user's data." },
  access: { scopes: ["read", "write"], description: "Roles and groups." },
  users: { scopes: ["read", "write"], description: "Users of the tenant, and access tokens for them." },
  scim: { scopes: [], description: "Users and groups as an identity provider provisions them (SCIM 2.0)." },
  issuers: { scopes: ["read", "write"], description: "Identity providers of the tenant." },
  tenants: { scopes: [], description: "Tenants of the deployment, for its operator." },
  identity: { scopes: ["read"], description: "The caller's identity and rights." },
  "api-keys": { scopes: ["read", "write"], description: "Keys for server-to-server access." },
  docs: { scopes: [], description: "This documentation." },
  open: { scopes: [], description: "Health and public settings." },
  legacy: { scopes: [], description: "Endpoints of earlier versions. They no longer work." },
} as const satisfies Readonly<Record<string, Group>>;

/** Group of a route: its OpenAPI tag. */
export type GroupName = keyof typeof groups;
