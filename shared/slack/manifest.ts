/** Rights of the bot: read what it is asked, with files, and post. `users:read` names the account on the page that links it. */
const scopes = [
  "app_mentions:read",
  "channels:history",
  "chat:write",
  "files:read",
  "groups:history",
  "im:history",
  "users:read",
];

/**
 * Returns the manifest of an app.
 * @param requestUrl address for events and interactivity
 * @see https://docs.slack.dev/reference/app-manifest
 */
export function toManifest(name: string, requestUrl: string): Record<string, unknown> {
  // Slack allows 35 characters.
  const displayName = name.slice(0, 35);
  return {
    display_information: {
      name: displayName,
      description: "Answers questions with the knowledge of your organization.",
    },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: displayName, always_online: true },
    },
    oauth_config: { scopes: { bot: scopes } },
    settings: {
      event_subscriptions: {
        request_url: requestUrl,
        bot_events: ["app_mention", "message.channels", "message.groups", "message.im"],
      },
      interactivity: { is_enabled: true, request_url: requestUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
}
