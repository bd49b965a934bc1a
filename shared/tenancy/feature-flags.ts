/** Features of this version that a front end can rely on. */
export const featureFlags: Readonly<Record<string, boolean>> = {
  conversations: true,
  streaming: true,
};
