/** What a caller can be allowed to do; roles are sets of these. */
export const capabilities = {
  "message.read": "Read threaded replies and revisions of messages",
  "message.edit": "Edit messages",
  "message.delete": "Delete messages",
  "knowledge.create": "Create knowledge collections and documents",
  "persona.publish": "Publish personas as chat endpoints",
  "approval.decide": "Decide approval requests of others",
  "policy.manage": "Change the tenant's policy",
  "webhook.manage": "Register and remove alert webhooks",
  "embed.manage": "Manage the keys of embedded widgets",
  "usage.read": "Read the tenant's usage and feedback",
  "audit.read": "Read and verify the audit trail",
  "rbac.manage": "Manage API keys, roles and groups",
} as const;

/** Name of a capability. */
export type Capability = keyof typeof capabilities;

/** The roles every tenant has; they cannot be changed. */
export const builtInRoles: Readonly<Record<string, { description: string; permissions: readonly Capability[] }>> = {
  admin: {
    description: "Administrates the tenant: every permission",
    permissions: Object.keys(capabilities) as Capability[],
  },
  member: {
    description: "Works with the assistant",
    permissions: ["message.read", "message.edit", "message.delete", "knowledge.create", "persona.publish"],
  },
  viewer: { description: "Reads along", permissions: ["message.read"] },
};
