const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/**
 * Converts the text of a message to plain text: references become names and addresses, and mentions of the bot are removed.
 * @see https://docs.slack.dev/messaging/formatting-message-text
 */
export function toPlainText(text: string, botUserId: string | null): string {
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
 * Escapes what would be a mention, such as `<!channel>`, in Markdown that a model wrote: a text of others must not notify a
 * channel.
 */
export const escapeMentions = (markdown: string): string => markdown.replaceAll(/<(?=[!@#])/g, "&lt;");

/** Escapes a text for fields in Slack's own markup. */
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
