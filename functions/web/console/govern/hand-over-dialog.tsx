import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { findPersonId } from "../lib/people/find-person-id.ts";
import { usePeople } from "../lib/people/people.ts";
import { PersonField } from "../lib/people/person-field.tsx";
import { showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, FormActions } from "../ui/form.tsx";

/** Dialog that gives the content of a deactivated person to another one. */
export function HandOverDialog({ userId, onClose }: { readonly userId: string; readonly onClose: () => void }) {
  const { people, nameOf } = usePeople();
  const [successor, setSuccessor] = useState("");
  const submit = async () => {
    const successor_id = findPersonId(successor, people);
    await api.POST("/v1/data-deletions", { body: { user_id: userId, successor_id } });
    showToast(t("The content is being given to {user}.", { user: nameOf(successor_id) }));
    onClose();
  };
  return (
    <Dialog title={t("Give the content of {user} to another person", { user: nameOf(userId) })} onClose={onClose}>
      <Form onSubmit={submit}>
        <p class="muted small">
          {t(
            "Conversations with their files, folders, personas, templates, notes and collections. Public links are revoked. Memories stay. This cannot be undone.",
          )}
        </p>
        <PersonField
          label={t("Name or id of the user")}
          name="successor_id"
          people={people}
          value={successor}
          onValue={setSuccessor}
          required
        />
        <FormActions>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="danger" type="submit" disabled={!successor}>
            {t("Hand over")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
