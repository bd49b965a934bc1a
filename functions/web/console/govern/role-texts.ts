import { t } from "../lib/i18n.ts";

/** Returns the name of a role: in words for those that every tenant has. */
export function nameRole(name: string): string {
  const texts: Readonly<Record<string, string>> = {
    admin: t("Administrator"),
    member: t("Member"),
    viewer: t("Reader"),
  };
  return texts[name] ?? name;
}

/** Returns the translated description of a role that every tenant has. */
export function describeRole(name: string, description: string): string {
  const texts: Readonly<Record<string, string>> = {
    admin: t("Administers the tenant; has all capabilities"),
    member: t("Uses the assistant"),
    viewer: t("Has read-only access"),
  };
  return texts[name] ?? description;
}
