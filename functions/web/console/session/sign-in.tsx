import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { showToast } from "../lib/toast.ts";
import { Button } from "../ui/buttons.tsx";
import { signIn } from "./session.ts";

export function SignIn() {
  const [isBusy, setBusy] = useState(false);
  return (
    <main class="sign-in">
      <div class="card">
        <img src="/favicon.svg" alt="" width="44" height="44" />
        <div>
          <h1>{t("Welcome to Switchboard")}</h1>
          <p class="muted">{t("Your organization's assistant, with its knowledge and its rules.")}</p>
        </div>
        <Button
          kind="primary"
          disabled={isBusy}
          onClick={async () => {
            setBusy(true);
            try {
              await signIn();
            } catch {
              setBusy(false);
              showToast(t("The identity provider cannot be reached. Try again."), true);
            }
          }}
        >
          {t("Sign in")}
        </Button>
      </div>
    </main>
  );
}
