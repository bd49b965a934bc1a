import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../lib/i18n.ts";
import { describeError, showToast } from "../../lib/toast.ts";
import { completeToolSignIn } from "../../lib/tool-sign-in.ts";
import { Empty, Skeleton } from "../../ui/status.tsx";

/** Page to which the authorization server of a tool server sends the user back. */
export function ToolSignInView() {
  const { route } = useLocation();
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    completeToolSignIn().then(
      ({ name, returnTo }) => {
        showToast(t("You are signed in to {name}.", { name }));
        route(returnTo, true);
      },
      (error) => setFailure(describeError(error)),
    );
  }, []);
  return (
    <main class="page">
      {failure === null ? (
        <Skeleton />
      ) : (
        <Empty isPage icon="warning" title={t("The sign-in did not succeed")}>
          {failure} <a href="/console/chat?list">{t("Go to your conversations")}</a>
        </Empty>
      )}
    </main>
  );
}
