import { describeType } from "../../lib/codes/resource-types.ts";
import { t } from "../../lib/i18n.ts";

const lifecycle = "created updated deleted";

/** Recorded verbs by type of resource, in the order of the suggestions. */
const verbsByType: Readonly<Record<string, string>> = {
  user: `${lifecycle} deactivated reactivated`,
  conversation: lifecycle,
  message: "edited updated deleted",
  attachment: "deleted",
  grant: `${lifecycle} expired`,
  share_link: `${lifecycle} revoked expired`,
  folder: lifecycle,
  feedback: lifecycle,
  persona: `${lifecycle} published unpublished restored version_published version_withdrawn`,
  test_set: lifecycle,
  test_run: "created completed canceled failed",
  template: lifecycle,
  collection: lifecycle,
  document: "created deleted",
  memory: lifecycle,
  note: lifecycle,
  schedule: lifecycle,
  approval: "requested approved denied cancelled expired carried_out secret_given",
  export: "requested ready delivered downloaded failed expired",
  data_deletion: "requested running completed hand_over_requested handed_over",
  policy: lifecycle,
  role: lifecycle,
  group: lifecycle,
  invitation: `${lifecycle} accepted expired`,
  issuer: lifecycle,
  api_key: `${lifecycle} revoked expired`,
  embed_key: `${lifecycle} revoked`,
  handover: "requested claimed returned closed updated",
  budget: lifecycle,
  usage_correction: "created",
  language_model: lifecycle,
  tool_server: lifecycle,
  tool_call: "created updated",
  tool_consent: lifecycle,
  tool_sign_in: "created deleted",
  webhook: lifecycle,
  incident_update: "created updated",
  event_endpoint: lifecycle,
  slack_workspace: lifecycle,
  teams_workspace: lifecycle,
  messenger_link: lifecycle,
  tenant: `${lifecycle} suspended resumed`,
};

/** Phrases by what happened to a resource. */
const phrases = (subject: string): Readonly<Record<string, string>> => ({
  created: t("{subject} created", { subject }),
  updated: t("{subject} changed", { subject }),
  deleted: t("{subject} deleted", { subject }),
  expired: t("{subject} expired", { subject }),
  claimed: t("{subject} claimed", { subject }),
  returned: t("{subject} returned to the assistant", { subject }),
  closed: t("{subject} closed", { subject }),
  edited: t("{subject} edited", { subject }),
  revoked: t("{subject} revoked", { subject }),
  deactivated: t("{subject} deactivated", { subject }),
  reactivated: t("{subject} reactivated", { subject }),
  suspended: t("{subject} suspended", { subject }),
  resumed: t("{subject} resumed", { subject }),
  accepted: t("{subject} accepted", { subject }),
  published: t("{subject} published", { subject }),
  restored: t("{subject}: earlier version restored", { subject }),
  version_published: t("{subject}: version published", { subject }),
  version_withdrawn: t("{subject}: version withdrawn", { subject }),
  unpublished: t("{subject} withdrawn from publication", { subject }),
  requested: t("{subject} requested", { subject }),
  approved: t("{subject} granted", { subject }),
  denied: t("{subject} denied", { subject }),
  cancelled: t("{subject} withdrawn", { subject }),
  carried_out: t("{subject} carried out", { subject }),
  secret_given: t("{subject}: secret shown", { subject }),
  ready: t("{subject} ready", { subject }),
  delivered: t("{subject} delivered", { subject }),
  downloaded: t("{subject} downloaded", { subject }),
  failed: t("{subject} failed", { subject }),
  running: t("{subject} begun", { subject }),
  completed: t("{subject} completed", { subject }),
});

/** Returns the words for an action of the audit trail, such as `grant.created`; the code itself if there are none. */
export function describeAction(action: string): string {
  const [type = "", verb = ""] = action.split(".");
  const phrase = phrases(describeType(type))[verb];
  return type in verbsByType && phrase ? phrase : action;
}

/** Type of resource or action of the audit trail, with its words. */
interface NamedAction {
  readonly code: string;
  readonly words: string;
}

/** Returns the types and actions that the audit trail can be filtered by. */
export function listActions(): NamedAction[] {
  return Object.entries(verbsByType).flatMap(([type, verbs]) => [
    { code: type, words: describeType(type) },
    ...verbs.split(" ").map((verb) => ({ code: `${type}.${verb}`, words: describeAction(`${type}.${verb}`) })),
  ]);
}

/**
 * Returns the code of the action with these words, or with the only words that contain the text; null if several do. A text
 * that no words contain is returned, because it can be a code.
 */
export function findAction(text: string, actions: readonly NamedAction[]): string | null {
  const typed = text.trim().toLowerCase();
  if (typed === "") return "";
  const exact = actions.filter(({ code, words }) => code === typed || words.toLowerCase() === typed);
  const matches = exact.length > 0 ? exact : actions.filter(({ words }) => words.toLowerCase().includes(typed));
  if (matches.length > 1) return null;
  return matches[0]?.code ?? text.trim();
}
