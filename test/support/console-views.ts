/** Returns the paths of the views of the console, for the ids of seeded data. */
export const consoleViews = (
  data: Readonly<Record<"conversation" | "collection" | "document" | "persona", string>>,
) => ({
  start: "/console/chat?new",
  conversation: `/console/chat/${data.conversation}`,
  knowledge: "/console/knowledge",
  collection: `/console/knowledge/${data.collection}`,
  document: `/console/knowledge/${data.collection}/${data.document}`,
  personas: "/console/build/personas",
  persona: `/console/build/personas/${data.persona}`,
  templates: "/console/build/templates",
  widget: "/console/build/widget",
  "api-keys": "/console/build/api-keys",
  webhooks: "/console/build/webhooks",
  usage: "/console/govern/usage",
  approvals: "/console/govern/approvals",
  policy: "/console/govern/policy",
  audit: "/console/govern/audit",
  access: "/console/govern/access",
  data: "/console/govern/data",
  "not-found": "/console/nowhere",
});
