import { t } from "./lib/i18n.ts";
import { can, type Receptor } from "./session/session.ts";
import type { IconName } from "./ui/icons.tsx";

/** Link of the navigation. `app.tsx`, `build/build-view.tsx` and `govern/govern-view.tsx` render the view of a path. */
export interface NavigationEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}

type Permission = Receptor["permissions"][number];

const allowed = (entries: readonly (NavigationEntry & { readonly permission?: Permission })[]): NavigationEntry[] =>
  entries.filter(({ permission }) => permission === undefined || can(permission));

function allBuildSections(): (NavigationEntry & { readonly permission?: Permission })[] {
  const section = (name: string) => `/console/build/${name}`;
  return [
    { path: section("personas"), label: t("Personas"), icon: "sparkle" },
    { path: section("templates"), label: t("Templates"), icon: "document" },
    { path: section("memories"), label: t("Memories"), icon: "database" },
    { path: section("notes"), label: t("Notes"), icon: "edit" },
    { path: section("widget"), label: t("Website widget"), icon: "window", permission: "embed.manage" },
    { path: section("api-keys"), label: t("API keys"), icon: "key", permission: "rbac.manage" },
    { path: section("models"), label: t("Language models"), icon: "sliders" },
    { path: section("tools"), label: t("Tool servers"), icon: "link" },
    { path: section("slack"), label: t("Slack"), icon: "chat", permission: "webhook.manage" },
    { path: section("teams"), label: t("Teams"), icon: "chat", permission: "webhook.manage" },
    { path: section("webhooks"), label: t("Alert webhooks"), icon: "bolt", permission: "webhook.manage" },
    { path: section("events"), label: t("Events"), icon: "send", permission: "webhook.manage" },
  ];
}

/** Sections of the view for builders that the user may see. */
export const buildSections = (): NavigationEntry[] => allowed(allBuildSections());

/** Returns true for the path of a section of the view for builders, also of one that the user may not see. */
export const isBuildSection = (path: string): boolean => allBuildSections().some((section) => section.path === path);

/** Sections of the view for administrators that the user may see. */
export function governSections(): NavigationEntry[] {
  const section = (name: string) => `/console/govern/${name}`;
  return allowed([
    { path: section("usage"), label: t("Usage and cost"), icon: "chart", permission: "usage.read" },
    { path: section("budgets"), label: t("Budgets"), icon: "clock", permission: "usage.read" },
    { path: section("approvals"), label: t("Approvals"), icon: "inbox" },
    { path: section("incidents"), label: t("Incidents"), icon: "warning" },
    { path: section("policy"), label: t("Policy"), icon: "sliders" },
    { path: section("audit"), label: t("Audit trail"), icon: "list", permission: "audit.read" },
    { path: section("access"), label: t("Members and roles"), icon: "people", permission: "rbac.manage" },
    { path: section("data"), label: t("Exports and deletion"), icon: "database" },
  ]);
}

export function mainDestinations(): NavigationEntry[] {
  return [
    { path: "/console/chat", label: t("Chat"), icon: "chat" },
    { path: "/console/knowledge", label: t("Knowledge"), icon: "book" },
    { path: "/console/build", label: t("Build"), icon: "blocks" },
    { path: "/console/govern", label: t("Govern"), icon: "shield" },
  ];
}
