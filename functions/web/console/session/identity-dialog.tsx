import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { Button, Dialog, TextField } from "../ui/controls.tsx";
import { switchIdentity } from "./session.ts";

/** Form for any user and roles in local mode. */
export function IdentityDialog({ onClose }: { readonly onClose: () => void }) {
  const [user, setUser] = useState("");
  const [roles, setRoles] = useState("member");
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title={t("Another user")} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          try {
            await switchIdentity({ user: user.trim(), roles: roles.trim() });
            onClose();
          } catch (failure) {
            setError(describeError(failure));
          }
        }}
      >
        <p class="muted">{t("Local mode accepts every user. Deployed, users sign in with your identity provider.")}</p>
        <TextField label={t("User id")} value={user} onValue={setUser} error={error} required autoFocus />
        <TextField label={t("Roles, separated by commas")} value={roles} onValue={setRoles} />
        <div class="actions">
          <Button kind="primary" type="submit">
            {t("Continue")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
