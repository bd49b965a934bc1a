/** What this version of the service offers a front end. */
export const featureFlags: Readonly<Record<string, boolean>> = {
  conversations: true,
  streaming: true,
};
