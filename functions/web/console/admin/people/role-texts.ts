import { t } from "../../lib/i18n.ts";

/** Returns the translated name of a built-in role, or the name itself of a role that the tenant created. */
export function nameRole(name: string): string {
  const texts: Readonly<Record<string, string>> = {
    admin: t("Administrator"),
    member: t("Member"),
    viewer: t("Reader"),
  };
  return texts[name] ?? name;
}

/** Returns the translated description of a built-in role, or `description` for a role that the tenant created. */
export function describeRole(name: string, description: string): string {
  const texts: Readonly<Record<string, string>> = {
    admin: t("Administers the tenant; has all capabilities"),
    member: t("Uses the assistant"),
    viewer: t("Has read-only access"),
  };
  return texts[name] ?? description;
}
