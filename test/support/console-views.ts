/** Returns the paths of the views of the console, for the ids of seeded data. */
export const consoleViews = (
  data: Readonly<Record<"conversation" | "collection" | "document" | "persona", string>> & {
    readonly testSet?: string;
    readonly testRun?: string;
    readonly incident?: string;
    readonly widget?: string;
    readonly handover?: string;
    readonly workspace?: string;
    readonly channel?: string;
    readonly endpoint?: string;
  },
) => ({
  start: "/console/chat",
  conversations: "/console/chat?list",
  conversation: `/console/chat/${data.conversation}`,
  knowledge: "/console/knowledge",
  collection: `/console/knowledge/${data.collection}`,
  document: `/console/knowledge/${data.collection}/${data.document}`,
  personas: "/console/assistants/personas",
  persona: `/console/assistants/personas/${data.persona}`,
  versions: `/console/assistants/personas/${data.persona}?tab=versions`,
  tests: `/console/assistants/personas/${data.persona}?tab=tests`,
  ...(data.testSet && {
    "test-items": `/console/assistants/test-sets/${data.testSet}`,
    "test-runs": `/console/assistants/test-sets/${data.testSet}?tab=runs`,
  }),
  ...(data.testRun && { "test-run": `/console/assistants/test-runs/${data.testRun}` }),
  templates: "/console/assistants/templates",
  schedules: "/console/account/schedules",
  memories: "/console/account/memories",
  notes: "/console/account/notes",
  consents: "/console/account/consents",
  widget: "/console/assistants/widget",
  ...(data.widget && { visitors: `/console/assistants/widget/${data.widget}` }),
  waiting: "/console/operate/visitors",
  ...(data.handover && { handover: `/console/operate/visitors/${data.handover}` }),
  "api-keys": "/console/admin/api-keys",
  alerts: "/console/operate/alerts",
  ...(data.channel && { channel: `/console/operate/alerts/${data.channel}` }),
  events: "/console/admin/events",
  ...(data.endpoint && { endpoint: `/console/admin/events/${data.endpoint}` }),
  slack: "/console/operate/slack",
  ...(data.workspace && { workspace: `/console/operate/slack/${data.workspace}` }),
  "slack-installed": "/console/slack-installed?error=access_denied&state=none",
  "messenger-link": "/console/slack-link",
  teams: "/console/operate/teams",
  "teams-link": "/console/teams-link",
  models: "/console/admin/models",
  tools: "/console/assistants/tools",
  usage: "/console/admin/usage",
  budgets: "/console/admin/budgets",
  approvals: "/console/operate/approvals",
  incidents: "/console/operate/incidents",
  ...(data.incident && { incident: `/console/operate/incidents/${data.incident}` }),
  policy: "/console/admin/policy",
  audit: "/console/admin/audit",
  people: "/console/admin/people",
  groups: "/console/admin/people/groups",
  roles: "/console/admin/people/roles",
  invitations: "/console/admin/people/invitations",
  data: "/console/account/data",
  operator: "/console/operator",
  "not-found": "/console/nowhere",
});
