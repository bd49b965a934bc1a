/** Features of this release, which front ends query with the API. */
export const featureFlags: Readonly<Record<string, boolean>> = {
  conversations: true,
  streaming: true,
};
