import type { Config } from "../config.ts";

/** Public sign-in settings, which the console loads from `console/config.json`. */
type SiteConfig =
  | { readonly provider: "local"; readonly tenant: string; readonly user: string; readonly roles: string }
  | {
      readonly provider: "oidc";
      readonly issuer: string;
      readonly client_id: string;
      readonly scope: string;
      readonly audience: string;
    };

function siteConfig({ settings, console: { clientId, scope } }: Config): SiteConfig {
  const { AUTH_PROVIDER, DEV_TENANT_ID, DEV_USER_ID, DEV_USER_ROLES, JWT_ISSUER, JWT_AUDIENCE } = settings.auth;
  if (AUTH_PROVIDER === "local") {
    return {
      provider: "local",
      tenant: DEV_TENANT_ID ?? "",
      user: DEV_USER_ID ?? "",
      roles: DEV_USER_ROLES ?? "",
    };
  }
  return { provider: "oidc", issuer: JWT_ISSUER ?? "", client_id: clientId, scope, audience: JWT_AUDIENCE ?? "" };
}

/** Returns the public settings of the console as JSON text, from which and the sources the site is built. */
export const siteSettings = (config: Config, version: string) => JSON.stringify({ ...siteConfig(config), version });
