/**
 * Capabilities with their descriptions. A role is a set of capabilities. A route names the one that it requires in its
 * contract (`capability`, see `define-route.ts`).
 */
export const capabilities = {
  "message.read": "Read threaded replies and message revisions",
  "message.edit": "Edit messages",
  "message.delete": "Delete messages",
  "knowledge.create": "Create knowledge collections and documents",
  "persona.publish": "Publish personas as chat endpoints",
  "approval.decide": "Decide approval requests of other users",
  "policy.manage": "Update the tenant's policy",
  "webhook.manage": "Register and remove alert webhooks and event endpoints",
  "embed.manage": "Manage embed keys for the chat widget",
  "visitors.answer": "Answer visitors of websites who ask for a person",
  "tools.manage": "Manage tool servers",
  "models.manage": "Manage the tenant's own language models and their keys",
  "usage.read": "Read the tenant's usage and feedback",
  "budgets.manage": "Manage budgets",
  "audit.read": "Read and verify the audit trail",
  "users.act_as": "Create API keys that act on behalf of people who do not sign in",
  "users.hand_over": "Give the content of people who left to another person",
  "rbac.manage": "Manage API keys, roles and groups",
} as const;

export type Capability = keyof typeof capabilities;

/** Roles that every tenant has; they cannot be changed. */
export const builtInRoles: Readonly<Record<string, { description: string; permissions: readonly Capability[] }>> = {
  admin: {
    description: "Administers the tenant; has all capabilities",
    permissions: Object.keys(capabilities) as Capability[],
  },
  member: {
    description: "Uses the assistant",
    permissions: ["message.read", "message.edit", "message.delete", "knowledge.create", "persona.publish"],
  },
  viewer: { description: "Has read-only access", permissions: ["message.read"] },
};
