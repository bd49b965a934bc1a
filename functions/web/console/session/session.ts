import { signal } from "@preact/signals";
import { createSwitchboard, isProblem, type ReplyOf, type Switchboard } from "../../../../shared/client/index.ts";
import { clearResources } from "../lib/data.ts";
import { forgetDrafts } from "../lib/drafts.ts";
import { forgetKept } from "../offline/kept-data.ts";
import { accessToken, beginSignIn, completeOidcSignIn, endSession, forgetTokens, type OidcSettings } from "./oidc.ts";

/** Settings in `console/config.json`. */
type SiteConfig = { readonly version: string } & (
  | { readonly provider: "local"; readonly tenant: string; readonly user: string; readonly roles: string }
  | ({ readonly provider: "oidc" } & OidcSettings)
);

/** Identity in local mode, where the service accepts any user and roles. */
interface LocalIdentity {
  readonly user: string;
  readonly roles: string;
}

/** Identity, permissions and limits of the signed-in user. */
export type Receptor = ReplyOf<"/v1/receptor", "get">;

const identityKey = "switchboard.local-identity";
const signedInPath = "/console/signed-in";

/** Settings of the site; null until they are loaded. */
export const siteConfig = signal<SiteConfig | null>(null);

/** The signed-in user; null before sign-in. */
export const receptor = signal<Receptor | null>(null);

/** Local users to choose from, next to those that were typed in. */
export const localIdentities: readonly LocalIdentity[] = [
  { user: "me", roles: "admin" },
  { user: "alex", roles: "member" },
  { user: "vera", roles: "viewer" },
];

/** Identity of local mode that requests are sent with. */
export const localIdentity = signal<LocalIdentity | null>(null);

function credentialHeaders(): Record<string, string> {
  const identity = localIdentity.value;
  return identity ? { "x-user-id": encodeURIComponent(identity.user), "x-user-roles": identity.roles } : {};
}

/** Client that sends requests as the signed-in user. */
export let api: Switchboard = createSwitchboard();

/** Returns the headers that authenticate a request which is not sent by the client. */
export async function authorizationHeaders(): Promise<Record<string, string>> {
  const config = siteConfig.value;
  if (config?.provider !== "oidc") return credentialHeaders();
  const token = await accessToken(config);
  return token ? { authorization: `Bearer ${token}` } : {};
}

export function can(permission: Receptor["permissions"][number]): boolean {
  return receptor.value?.permissions.includes(permission) ?? false;
}

function readIdentity(): LocalIdentity | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(identityKey) ?? localStorage.getItem(identityKey) ?? "null");
    return typeof stored?.user === "string" && typeof stored.roles === "string" ? stored : null;
  } catch {
    return null;
  }
}

/** Signs in as a local user. */
export async function switchIdentity(identity: LocalIdentity): Promise<void> {
  const previous = localIdentity.value;
  localIdentity.value = identity;
  try {
    const next = await api.GET("/v1/receptor");
    localStorage.setItem(identityKey, JSON.stringify(identity));
    clearResources();
    receptor.value = next;
  } catch (error) {
    localIdentity.value = previous;
    throw error;
  }
}

/**
 * Loads the settings and restores the session.
 * @throws ProblemError when the service is not available
 */
export async function startSession(): Promise<void> {
  const response = await fetch("/console/config.json");
  const config = (await response.json()) as SiteConfig;
  siteConfig.value = config;
  if (config.provider === "local") {
    localIdentity.value = readIdentity() ?? { user: config.user, roles: config.roles };
    api = createSwitchboard({ headers: credentialHeaders });
    receptor.value = await api.GET("/v1/receptor");
    return;
  }
  if (location.pathname === signedInPath) await completeOidcSignIn(config, location.origin + signedInPath);
  if ((await accessToken(config)) === null) return;
  api = createSwitchboard({ token: async () => (await accessToken(config)) ?? "" });
  try {
    receptor.value = await api.GET("/v1/receptor");
  } catch (error) {
    if (!isProblem(error, "unauthorized")) throw error;
    forgetTokens();
  }
}

/** Sends the browser to the identity provider. */
export async function signIn(): Promise<void> {
  const config = siteConfig.value;
  if (config?.provider === "oidc") await beginSignIn(config, location.origin + signedInPath);
}

/** Signs the user out here and at the identity provider. */
export async function signOut(): Promise<void> {
  const config = siteConfig.value;
  // An unreachable provider must not keep the user signed in here.
  forgetDrafts();
  await forgetKept();
  const isLeaving =
    config?.provider === "oidc" && (await endSession(config, `${location.origin}/console/`).catch(() => false));
  if (isLeaving) return;
  clearResources();
  receptor.value = null;
}
