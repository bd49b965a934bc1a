import { truncate } from "../lib/truncate.ts";

/**
 * OAuth scopes of the bot: read messages with files, and post. `users:read` is for the name of an account on the page
 * that links it, `channels:read` and `groups:read` are for the names of channels with alerts.
 */
export const botScopes = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "files:read",
  "groups:history",
  "groups:read",
  "im:history",
  "users:read",
];

/**
 * Returns the manifest of a Slack app.
 * @param requestUrl URL for events and interactivity
 * @param redirectUrl page to which Slack redirects administrators, for an app that several workspaces install
 * @see https://docs.slack.dev/reference/app-manifest
 */
export function toSlackManifest(name: string, requestUrl: string, redirectUrl?: string): Record<string, unknown> {
  // Slack allows 35 characters.
  const displayName = truncate(name, 35);
  return {
    display_information: {
      name: displayName,
      description: "Answers questions with the knowledge of your organization.",
    },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: displayName, always_online: true },
    },
    oauth_config: { ...(redirectUrl !== undefined && { redirect_urls: [redirectUrl] }), scopes: { bot: botScopes } },
    settings: {
      event_subscriptions: {
        request_url: requestUrl,
        bot_events: [
          "app_mention",
          "app_uninstalled",
          "message.channels",
          "message.groups",
          "message.im",
          "tokens_revoked",
        ],
      },
      interactivity: { is_enabled: true, request_url: requestUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
}
