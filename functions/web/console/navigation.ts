import { t } from "./lib/i18n.ts";
import { can, type Receptor } from "./session/session.ts";
import type { IconName } from "./ui/icons.tsx";

/** Link of the navigation. */
export interface NavigationEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}

/** Areas that have sections. Each has a folder of the same name. */
export type AreaName = "assistants" | "operate" | "admin" | "account";

/** Area of the console, with the sections that the user has a use for. */
export interface Area extends NavigationEntry {
  readonly sections: readonly NavigationEntry[];
}

/** Name in the path, label and icon of a section, and the permission without which it can only be read. */
type Section = readonly [name: string, label: string, icon: IconName, permission?: Receptor["permissions"][number]];

const allAreas = (): Readonly<Record<AreaName, readonly [label: string, icon: IconName, readonly Section[]]>> => ({
  assistants: [
    t("Assistants"),
    "sparkle",
    [
      ["personas", t("Personas"), "sparkle"],
      ["templates", t("Templates"), "document"],
      ["tools", t("Tool servers"), "link", "tools.manage"],
      ["widget", t("Website widget"), "window", "embed.manage"],
    ],
  ],
  operate: [
    t("Operate"),
    "bolt",
    [
      ["approvals", t("Approvals"), "inbox"],
      ["visitors", t("Visitors"), "chat", "visitors.answer"],
      ["incidents", t("Incidents"), "warning"],
      ["alerts", t("Alerts"), "bolt", "webhook.manage"],
      ["slack", t("Slack"), "chat", "webhook.manage"],
      ["teams", t("Teams"), "chat", "webhook.manage"],
    ],
  ],
  admin: [
    t("Admin"),
    "shield",
    [
      ["people", t("People"), "people", "rbac.manage"],
      ["policy", t("Policy"), "sliders", "policy.manage"],
      ["budgets", t("Budgets"), "clock", "usage.read"],
      ["usage", t("Usage and cost"), "chart", "usage.read"],
      ["audit", t("Audit trail"), "list", "audit.read"],
      ["api-keys", t("API keys"), "key", "rbac.manage"],
      ["models", t("Language models"), "blocks", "models.manage"],
      ["events", t("Events"), "send", "webhook.manage"],
    ],
  ],
  account: [
    t("My account"),
    "person",
    [
      ["schedules", t("Schedules"), "clock"],
      ["memories", t("Memories"), "database"],
      ["notes", t("Notes"), "edit"],
      ["consents", t("Consents to tools"), "check"],
      ["data", t("Exports and deletion"), "download"],
    ],
  ],
});

/** Returns an area with the sections that the user may use. */
export function getArea(name: AreaName): Area {
  const [label, icon, sections] = allAreas()[name];
  const path = `/console/${name}`;
  return {
    ...{ path, label, icon },
    sections: sections
      .filter(([, , , permission]) => permission === undefined || can(permission))
      .map(([section, text, image]) => ({ path: `${path}/${section}`, label: text, icon: image })),
  };
}

/** Returns the areas that have a section for the user. */
export const listAreas = (): Area[] =>
  (Object.keys(allAreas()) as AreaName[]).map(getArea).filter(({ sections }) => sections.length > 0);

/** Returns the area whose section has a path, for the link back; undefined for a path of deeper pages and other views. */
export const findAreaOf = (path: string): Area | undefined =>
  listAreas().find(({ sections }) => sections.some((section) => section.path === path));

/** Returns the entries of the main navigation. The account is in the user's menu. */
export const mainDestinations = (): NavigationEntry[] => [
  { path: "/console/chat", label: t("Chat"), icon: "chat" },
  { path: "/console/knowledge", label: t("Knowledge"), icon: "book" },
  ...listAreas().filter(({ path }) => path !== getArea("account").path),
];
