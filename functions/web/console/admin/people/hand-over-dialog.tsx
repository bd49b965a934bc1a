import { t } from "../../lib/i18n.ts";
import { findPersonId } from "../../lib/people/find-person-id.ts";
import { usePeople } from "../../lib/people/people.ts";
import { showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

/** Dialog that gives the content of a deactivated person to another one. */
export function HandOverDialog({ userId, onClose }: { readonly userId: string; readonly onClose: () => void }) {
  const { people, nameOf } = usePeople();
  return (
    <FormDialog
      title={t("Give the content of {user} to another person", { user: nameOf(userId) })}
      action={t("Hand over")}
      isDangerous
      schema={bodySchema("/v1/data-deletions", "post")}
      fields={[
        {
          name: "successor_id",
          label: t("Name or id of the user"),
          people,
          isRequired: true,
          parse: (draft) => findPersonId(String(draft), people),
        },
      ]}
      onSave={async ({ successor_id = "" }) => {
        await api.POST("/v1/data-deletions", { body: { user_id: userId, successor_id } });
        showToast(t("The content is being given to {user}.", { user: nameOf(successor_id) }));
      }}
      onClose={onClose}
    >
      <p class="muted small">
        {t(
          "Conversations with their files, folders, personas, templates, notes and collections. Public links are revoked. Memories stay. This cannot be undone.",
        )}
      </p>
    </FormDialog>
  );
}
