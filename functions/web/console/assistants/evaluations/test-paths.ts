/** Part of the page of a test set. */
export type TestSetTab = "items" | "runs";

/** Returns the address of the page of a test set. */
export const testSetPath = (id: string, tab: TestSetTab = "items"): string =>
  `/console/assistants/test-sets/${id}${tab === "items" ? "" : `?tab=${tab}`}`;

/** Returns the permanent address of the page of a test run. */
export const testRunPath = (id: string): string => `/console/assistants/test-runs/${id}`;
