import { t } from "../../lib/i18n.ts";

const permissionTexts = (): Readonly<Record<string, string>> => ({
  "message.read": t("Read threads and earlier versions of messages"),
  "message.edit": t("Edit messages"),
  "message.delete": t("Delete messages"),
  "knowledge.create": t("Create collections and documents"),
  "persona.publish": t("Publish personas"),
  "approval.decide": t("Decide approvals of other users"),
  "policy.manage": t("Change the policy"),
  "webhook.manage": t("Set up alert webhooks and events"),
  "embed.manage": t("Manage website widgets"),
  "visitors.answer": t("Answer visitors who ask for a person"),
  "tools.manage": t("Manage tool servers"),
  "models.manage": t("Manage the own language models and their keys"),
  "usage.read": t("Read usage and feedback"),
  "budgets.manage": t("Manage budgets"),
  "audit.read": t("Read and verify the audit trail"),
  "users.act_as": t("Create API keys that act for people who do not sign in"),
  "users.hand_over": t("Give the content of people who left to others"),
  "rbac.manage": t("Manage API keys, roles and groups"),
});

/** Returns what a permission allows, or the service's own description, which is English. */
export const describePermission = (name: string, description: string): string => permissionTexts()[name] ?? description;
