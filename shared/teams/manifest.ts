import { truncate } from "../lib/truncate.ts";

/**
 * Returns the manifest of the Teams app. With the permission `ChannelMessage.Read.Group`, the bot also receives
 * messages in its threads that do not mention it.
 * @see https://learn.microsoft.com/microsoft-365/extensibility/schema/
 */
export function toTeamsManifest(workspaceName: string, appId: string, baseUrl: string): Record<string, unknown> {
  // Teams allows 30 characters.
  const name = truncate(workspaceName, 30);
  const description = "Answers questions with the knowledge of your organization.";
  return {
    $schema: "https://developer.microsoft.com/json-schemas/teams/v1.19/MicrosoftTeams.schema.json",
    manifestVersion: "1.19",
    version: "1.0.0",
    id: appId,
    name: { short: name },
    description: { short: description, full: description },
    developer: { name, websiteUrl: baseUrl, privacyUrl: baseUrl, termsOfUseUrl: baseUrl },
    icons: { color: "color.png", outline: "outline.png" },
    accentColor: "#FFFFFF",
    bots: [{ botId: appId, scopes: ["personal", "team", "groupChat"], supportsFiles: true }],
    validDomains: [],
    webApplicationInfo: { id: appId },
    authorization: {
      permissions: { resourceSpecific: [{ name: "ChannelMessage.Read.Group", type: "Application" }] },
    },
  };
}
