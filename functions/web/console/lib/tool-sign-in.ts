import { api } from "../session/session.ts";

const returnKey = "switchboard.tool-sign-in";

/** Opens the authorization server of a tool server, and stores the page to return to. */
export async function beginToolSignIn(serverId: string): Promise<void> {
  const { url } = await api.POST("/v1/tools/servers/{id}/sign-in", { params: { path: { id: serverId } } });
  sessionStorage.setItem(returnKey, location.pathname + location.search);
  location.assign(url);
}

/**
 * Completes the sign-in with the parameters in the address, which it removes from the browser history.
 * @returns the name of the tool server, and the page on which the sign-in started
 */
export async function completeToolSignIn() {
  const parameters = new URLSearchParams(location.search);
  const value = (name: string) => parameters.get(name) ?? undefined;
  const body = { state: value("state") ?? "", code: value("code"), iss: value("iss"), error: value("error") };
  // The code must not stay in the history.
  history.replaceState(null, "", location.pathname);
  const { server_name } = await api.POST("/v1/tools/sign-ins", { body });
  const returnTo = sessionStorage.getItem(returnKey);
  sessionStorage.removeItem(returnKey);
  return { name: server_name, returnTo: returnTo?.startsWith("/console/") ? returnTo : "/console/chat" };
}
