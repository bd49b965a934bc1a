import type { Messenger } from "../../../../../shared/api/messengers/event-ref.ts";
import { t } from "../../lib/i18n.ts";

/** Returns the texts about the workspaces of a messenger. */
export const messengerTexts = (messenger: Messenger) =>
  ({
    slack: {
      title: t("Slack"),
      intro: t("People ask in Slack with a mention, a direct message or in a thread, with their own rights."),
      emptyText: t("Each workspace has an app of its own, which you create from a manifest."),
      nameLabel: t("Name of the app in Slack"),
      channelHint: t("At the end of the channel's details in Slack, such as C0123456789"),
      refusedText: t("Refused by Slack"),
      removalText: t("The app is not answered any more, and its secrets are deleted. Conversations are kept."),
    },
    teams: {
      title: t("Teams"),
      intro: t("People ask in Teams in a chat with the bot, with a mention or in a thread, with their own rights."),
      emptyText: t("Each workspace is a bot of Azure for one organization of Teams."),
      nameLabel: t("Name of the bot in Teams"),
      channelHint: t("In the link to the channel, decoded, such as 19:abc123@thread.tacv2"),
      refusedText: t("Refused by Microsoft"),
      removalText: t("The bot does not answer any more, and its secret is deleted. Conversations are kept."),
    },
  })[messenger];
