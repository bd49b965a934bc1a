import { useState } from "preact/hooks";
import { api } from "../session/session.ts";
import { t } from "./i18n.ts";
import { showError, showToast } from "./toast.ts";

const operationTexts = (): Readonly<Record<string, string>> => ({
  createShareLink: t("Create a public link"),
  exportConversation: t("Export a conversation"),
  createExport: t("Export all data of a user"),
  readConversation: t("Read a conversation of another user"),
  eraseUser: t("Erase all data of a user"),
  updateIncident: t("Write to the service of an incident"),
  create_note: t("Write a note"),
});

/** Returns the translated name of an operation that requires an approval, or its id if it has none. */
export const describeOperation = (operation: string): string => operationTexts()[operation] ?? operation;

/**
 * Returns functions that send the user's decision on an approval and show the result.
 * @param onDecided called after a decision was accepted
 */
export function useApprovalDecisions(id: string, onDecided: () => void) {
  const [isBusy, setBusy] = useState(false);
  const params = { path: { id } };
  const send = async (request: () => Promise<unknown>, message: string) => {
    if (isBusy) return;
    setBusy(true);
    try {
      await request();
      onDecided();
      showToast(message);
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  };
  const decide = (decision: "approve" | "deny", message: string) =>
    send(() => api.POST("/v1/approvals/{id}/decide", { params, body: { decision } }), message);
  return {
    /** True while a decision is sent. */
    isBusy,
    confirm: (remember: "never" | "conversation" | "always" = "never") =>
      send(
        () => api.POST("/v1/approvals/{id}/confirm", { params, body: { decision: "approve", remember } }),
        t("Confirmed."),
      ),
    cancel: () => send(() => api.POST("/v1/approvals/{id}/cancel", { params }), t("The request was withdrawn.")),
    approve: () => decide("approve", t("Approved.")),
    deny: () => decide("deny", t("Denied.")),
  };
}
