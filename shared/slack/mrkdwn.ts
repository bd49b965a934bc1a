const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/**
 * Converts the text of a Slack message to plain text: links become labels with URLs, mentions become names, and
 * mentions of the bot are removed.
 * @see https://docs.slack.dev/messaging/formatting-message-text
 */
export function mrkdwnToPlainText(text: string, botUserId: string | null): string {
  return text
    .replaceAll(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g, (_, kind: string, target: string, label = "") => {
      if (kind === "@") return target === botUserId ? "" : `@${label || target}`;
      if (kind === "#") return `#${label || target}`;
      if (kind === "!") return label || `@${target.replace(/^subteam\^/, "")}`;
      return label && label !== target ? `${label} (${target})` : target;
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    .trim();
}

/**
 * Escapes mentions, such as `<!channel>`, in Markdown that a model wrote, so that an untrusted text cannot notify a
 * channel.
 */
export const escapeMentions = (markdown: string): string => markdown.replaceAll(/<(?=[!@#])/g, "&lt;");

/** Escapes a text for fields with Slack's markup (mrkdwn). */
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
