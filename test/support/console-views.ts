/** Returns the paths of the views of the console, for the ids of seeded data. */
export const consoleViews = (
  data: Readonly<Record<"conversation" | "collection" | "document" | "persona", string>> & {
    readonly incident?: string;
    readonly widget?: string;
    readonly workspace?: string;
    readonly channel?: string;
    readonly endpoint?: string;
  },
) => ({
  start: "/console/chat?new",
  conversation: `/console/chat/${data.conversation}`,
  knowledge: "/console/knowledge",
  collection: `/console/knowledge/${data.collection}`,
  document: `/console/knowledge/${data.collection}/${data.document}`,
  personas: "/console/build/personas",
  persona: `/console/build/personas/${data.persona}`,
  templates: "/console/build/templates",
  memories: "/console/build/memories",
  notes: "/console/build/notes",
  widget: "/console/build/widget",
  ...(data.widget && { visitors: `/console/build/widget/${data.widget}` }),
  "api-keys": "/console/build/api-keys",
  webhooks: "/console/build/webhooks",
  ...(data.channel && { channel: `/console/build/webhooks/${data.channel}` }),
  events: "/console/build/events",
  ...(data.endpoint && { endpoint: `/console/build/events/${data.endpoint}` }),
  slack: "/console/build/slack",
  ...(data.workspace && { workspace: `/console/build/slack/${data.workspace}` }),
  "slack-installed": "/console/slack-installed?error=access_denied&state=none",
  "messenger-link": "/console/slack-link",
  teams: "/console/build/teams",
  "teams-link": "/console/teams-link",
  models: "/console/build/models",
  tools: "/console/build/tools",
  usage: "/console/govern/usage",
  budgets: "/console/govern/budgets",
  approvals: "/console/govern/approvals",
  incidents: "/console/govern/incidents",
  ...(data.incident && { incident: `/console/govern/incidents/${data.incident}` }),
  policy: "/console/govern/policy",
  audit: "/console/govern/audit",
  access: "/console/govern/access",
  data: "/console/govern/data",
  operator: "/console/operator",
  "not-found": "/console/nowhere",
});
