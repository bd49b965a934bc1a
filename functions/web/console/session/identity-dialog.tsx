import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { switchIdentity } from "./session.ts";

/** Form for any user and roles in local mode. */
export function IdentityDialog({ onClose }: { readonly onClose: () => void }) {
  const [user, setUser] = useState("");
  const [roles, setRoles] = useState("member");
  return (
    <Dialog title={t("Another user")} onClose={onClose}>
      <Form
        onSubmit={async () => {
          await switchIdentity({ user: user.trim(), roles: roles.trim() });
          onClose();
        }}
      >
        <p class="muted">{t("Local mode accepts every user. Deployed, users sign in with your identity provider.")}</p>
        <TextField label={t("User id")} value={user} onValue={setUser} required autoFocus />
        <TextField label={t("Roles, separated by commas")} value={roles} onValue={setRoles} />
        <FormActions>
          <Button kind="primary" type="submit">
            {t("Continue")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
