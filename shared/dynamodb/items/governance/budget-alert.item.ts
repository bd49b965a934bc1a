import { defineItem } from "../../define-item.ts";

export const budgetAlertItem = defineItem({
  type: "budget-alert",
  keys: {
    /** Record that a budget reached a threshold in a window, so that the alert is raised once. */
    budgetAlert: (tenant: string, alert: string) => ({ pk: `${tenant}#budget-alerts`, sk: alert }),
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
