import { t } from "../lib/i18n.ts";

/** Names of the groups of routes that a key can be limited to. */
const groupTexts = (): Readonly<Record<string, string>> => ({
  conversations: t("Conversations"),
  messages: t("Messages"),
  chat: t("Chat"),
  folders: t("Folders"),
  sharing: t("Shared conversations"),
  feedback: t("Feedback"),
  export: t("Exports"),
  knowledge: t("Knowledge"),
  memories: t("Memories"),
  notes: t("Notes"),
  schedules: t("Schedules"),
  personas: t("Personas"),
  tools: t("Tools"),
  templates: t("Templates"),
  "embed-keys": t("Website widget"),
  handovers: t("Visitors who ask for a person"),
  webhooks: t("Alert webhooks"),
  messengers: t("Slack and Teams"),
  investigations: t("Incidents"),
  "event-endpoints": t("Events"),
  policy: t("Policy"),
  approvals: t("Approvals"),
  audit: t("Audit trail"),
  usage: t("Usage and cost"),
  budgets: t("Budgets"),
  "data-deletions": t("Erasure of data"),
  access: t("Roles and groups"),
  users: t("People"),
  issuers: t("Identity providers"),
  identity: t("Own identity"),
  "api-keys": t("API keys"),
});

/** Returns the words for a scope of an API key; the code itself if there are none. */
export function describeScope(scope: string): string {
  const special: Readonly<Record<string, string>> = {
    "chat.completions": t("For OpenAI clients"),
    "models.read": t("List of the models"),
    "users.act_as": t("On behalf of users"),
    scim: t("Provisioning of people"),
  };
  if (scope in special) return special[scope] ?? scope;
  if (scope.startsWith("endpoint:")) return t("Model {name}", { name: scope.slice("endpoint:".length) });
  const [group = "", access = ""] = scope.split(".");
  const subject = groupTexts()[group];
  const texts: Readonly<Record<string, string>> = {
    read: t("{subject}: read", { subject: subject ?? "" }),
    write: t("{subject}: change", { subject: subject ?? "" }),
    run: t("{subject}: use", { subject: subject ?? "" }),
  };
  return (subject && texts[access]) || scope;
}
