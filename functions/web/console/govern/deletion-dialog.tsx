import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { findPersonId } from "../lib/people/find-person-id.ts";
import { usePeople } from "../lib/people/people.ts";
import { PersonField } from "../lib/people/person-field.tsx";
import { showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";

export type Deletion = ReplyOf<"/v1/data-deletions/{id}", "get">;

/** Dialog that erases the data of a user after a confirmation. */
export function DeletionDialog({
  userId,
  onClose,
  onStarted,
}: {
  /** User whose data is erased; by default, the dialog asks administrators for one. */
  readonly userId?: string;
  readonly onClose: () => void;
  readonly onStarted: (deletion: Deletion) => void;
}) {
  const own = receptor.value?.user.user_id ?? "";
  const { people, nameOf } = usePeople();
  const fixed = userId ?? (can("rbac.manage") ? null : own);
  const [chosen, setChosen] = useState("");
  const user = fixed === null ? chosen : nameOf(fixed);
  const [confirmation, setConfirmation] = useState("");
  return (
    <Dialog title={t("Erase the data of a user")} onClose={onClose}>
      <Form
        onSubmit={async () => {
          const accepted = await api.POST("/v1/data-deletions", {
            body: { user_id: fixed ?? findPersonId(user, people) },
          });
          if ("approval" in accepted) {
            showToast(t("The erasure needs an approval. Its state is shown in Approvals."));
          } else onStarted(accepted);
          onClose();
        }}
      >
        <p class="muted small">
          {t("Deletes everything a user owns. Usage and the audit trail are kept. This cannot be undone.")}
        </p>
        <PersonField
          label={t("Name or id of the user")}
          name="user_id"
          people={people}
          value={user}
          onValue={setChosen}
          disabled={fixed !== null}
          required
        />
        <TextField label={t("Type it once more to confirm")} value={confirmation} onValue={setConfirmation} required />
        <FormActions>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="danger" type="submit" disabled={!user || confirmation !== user}>
            {t("Erase")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
