import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { isProblem } from "../../../../../shared/client/index.ts";
import { invalidate } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { describeError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Empty, Skeleton } from "../../ui/status.tsx";

/** Completes the installation with the parameters of the address. @returns the id of the workspace */
async function completeInstallation(): Promise<string> {
  const parameters = new URLSearchParams(location.search);
  const value = (name: string) => parameters.get(name) ?? undefined;
  const body = { state: value("state") ?? "", code: value("code"), error: value("error") };
  // The code must not stay in the history.
  history.replaceState(null, "", location.pathname);
  const params = { path: { messenger: "slack" } };
  return (await api.PUT("/v1/messengers/{messenger}/installations", { params, body })).id;
}

/** Page to which Slack sends an administrator back who has installed the app. */
export function SlackInstalled() {
  const { route } = useLocation();
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    completeInstallation().then(
      (id) => {
        invalidate("slack-workspaces");
        showToast(t("The app is installed. Invite it to a channel."));
        route(`/console/operate/slack/${id}`, true);
      },
      (error) =>
        setFailure(
          isProblem(error, "validation_failed")
            ? t("This installation is unknown, completed or expired. Start it again.")
            : describeError(error),
        ),
    );
  }, []);
  return (
    <main class="page">
      {failure === null ? (
        <Skeleton />
      ) : (
        <Empty isPage icon="warning" title={t("The app was not installed")}>
          {failure} <a href="/console/operate/slack">{t("Back to Slack")}</a>
        </Empty>
      )}
    </main>
  );
}
