import { api, receptor } from "../session/session.ts";
import { invalidate } from "./data.ts";
import { t } from "./i18n.ts";
import { showError, showToast } from "./toast.ts";

const tokenKey = "switchboard.invitation";

/** Stores the token of an invitation until the user has signed in, and removes it from the address and the browser history. */
export function keepInvitation(): void {
  const [, token] = /^#invitation=(swi_[\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Accepts the invitation that the user opened before the sign-in, if there is one. */
export async function acceptPendingInvitation(): Promise<void> {
  const token = sessionStorage.getItem(tokenKey);
  if (token === null) return;
  sessionStorage.removeItem(tokenKey);
  try {
    const { groups } = await api.POST("/v1/invitations/accept", { body: { token } });
    receptor.value = await api.GET("/v1/receptor");
    invalidate("groups");
    const names = groups.map(({ name }) => name).join(", ");
    showToast(
      names === "" ? t("You accepted the invitation.") : t("You are now a member of {groups}.", { groups: names }),
    );
  } catch (error) {
    showError(error);
  }
}
