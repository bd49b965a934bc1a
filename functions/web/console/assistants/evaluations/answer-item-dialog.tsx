import { useState } from "preact/hooks";
import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import type { Persona } from "../../../../../shared/api/personas/persona.ts";
import { isProblem } from "../../../../../shared/client/index.ts";
import { useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { usePersonas } from "../../lib/lists.ts";
import { refuseValues } from "../../lib/schema-fields.ts";
import { api, can, receptor } from "../../session/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import type { ExpectationDraft } from "./expectation-drafts.ts";
import { ExpectationsField } from "./expectations-field.tsx";
import { sendExpectations } from "./test-item-dialog.tsx";
import { useTestSets } from "./test-sets.tsx";

/** Value of the choice of a set that stands for a new one. */
const NEW_SET = "new";

const isManager = ({ owner_id }: Persona) => owner_id === receptor.value?.user.user_id || can("rbac.manage");

/** Form for the test set of an answer, and for what is expected of others. */
function AnswerForm({
  message: { conversation_id, message_id },
  personas,
  onClose,
}: {
  readonly message: Message;
  /** Personas that the user can change, of which the first is suggested. */
  readonly personas: readonly Persona[];
  readonly onClose: () => void;
}) {
  const [personaId, setPersonaId] = useState(personas[0]?.id ?? "");
  const list = useTestSets(personaId);
  const options = [...list.entries.map(({ id, name }) => [id, name] as const), [NEW_SET, t("New test set")] as const];
  const chosenOf = (draft: unknown) => options.find(([id]) => id === draft)?.[0] ?? options[0]?.[0] ?? NEW_SET;
  const createSet = async (name: string) => {
    if (name === "") throw refuseValues([{ path: "$name", message: "must not be empty" }]);
    return (await api.POST("/v1/test-sets", { body: { persona_id: personaId, name } })).id;
  };
  return (
    <FormDialog
      title={t("Add to a test set")}
      action={t("Add")}
      isWide
      schema={bodySchema("/v1/test-sets/{id}/items", "post")}
      value={{ $persona: personaId, message: { expectations: [] } }}
      fields={(get) => [
        [
          {
            name: "$persona",
            label: t("Persona"),
            options: personas.map(({ id, name }) => [id, name] as const),
            onChange: (id) => {
              setPersonaId(String(id));
              return { $set: undefined };
            },
          },
          { name: "$set", label: t("Test set"), options },
        ],
        chosenOf(get("$set")) === NEW_SET && { name: "$name", label: t("Name of the test set") },
        {
          name: "message.expectations",
          label: t("What is expected of the answer"),
          render: (control) => <ExpectationsField {...control} />,
        },
        { name: "message.note", label: t("Note"), rows: 2 },
      ]}
      canSave={list.value !== null}
      resource="test-sets"
      savedText={t("Added to the test set.")}
      onSave={({ message }, get) => {
        const drafts = (message?.expectations ?? []) as unknown as ExpectationDraft[];
        return sendExpectations(drafts, "message.expectations", async (expectations) => {
          const chosen = chosenOf(get("$set"));
          const id = chosen === NEW_SET ? await createSet(String(get("$name") ?? "").trim()) : chosen;
          try {
            await api.POST("/v1/test-sets/{id}/items", {
              params: { path: { id } },
              body: { message: { conversation_id, message_id, note: message?.note ?? "", expectations } },
            });
          } catch (error) {
            if (!isProblem(error, "conflict")) throw error;
            const text = t("This test set has the question already, with the same conversation before it.");
            throw refuseValues([{ path: "$set", message: text }]);
          }
        });
      }}
      onClose={onClose}
    >
      <p class="muted">
        {t(
          "The item gets the question, the conversation before it, its files, and the passages and results of tools that the answer was given. Only those who may read the conversation see it, and it is deleted with it.",
        )}
      </p>
    </FormDialog>
  );
}

/** Dialog that adds the question of an answer to a test set of a persona that the user can change. */
export function AnswerItemDialog({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const personas = usePersonas();
  const { conversation_id } = message;
  const conversation = useResource(`conversation:${conversation_id}`, () =>
    api.GET("/v1/conversations/{id}", { params: { path: { id: conversation_id } } }),
  );
  const isReady = personas.value !== null && (conversation.value !== null || conversation.error !== null);
  const own = (personas.value?.personas ?? []).filter(isManager);
  const isCurrent = ({ id }: Persona) => id === conversation.value?.persona_id;
  if (isReady && own.length > 0) {
    return (
      <AnswerForm
        message={message}
        personas={[...own.filter(isCurrent), ...own.filter((each) => !isCurrent(each))]}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={t("Add to a test set")} onClose={onClose}>
      <ResourceStatus resource={personas} />
      {isReady && <p>{t("Test sets belong to personas. You have none that you can change.")}</p>}
      {isReady && <a href="/console/assistants/personas">{t("Personas")}</a>}
    </Dialog>
  );
}
