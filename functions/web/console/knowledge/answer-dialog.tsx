import { ALL_READERS } from "../../../../shared/api/knowledge/reader-names.ts";
import { cutText } from "../../../../shared/client/cut-text.ts";
import { t } from "../lib/i18n.ts";
import { useCollections, usePersonas } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { ResourceStatus } from "../ui/status.tsx";

/** Document with its collection. */
export interface AnswerDocument {
  readonly collection_id: string;
  readonly document_id: string;
}

interface AnswerProps {
  readonly question: string;
  /** Answer that the form begins with. */
  readonly answer?: string;
  /** Conversation of the answer, in which the facts of a rewriting must occur. */
  readonly conversation?: string;
  readonly personaId: string | null;
  /** Collection that is chosen at first, if all visitors can read it. */
  readonly collectionId?: string | null;
  /** Further questions that the document answers. */
  readonly alsoAnswered?: readonly string[];
  readonly onStored?: (document: AnswerDocument) => Promise<void>;
  readonly onClose: () => void;
}

const AnswerRewriting = onDemand(() => import("./answer-rewriting.tsx").then((module) => module.AnswerRewriting));

/** Dialog that writes the answer to a visitor's question into the knowledge of the website's persona. */
export function AnswerDialog(props: AnswerProps) {
  const { question, answer = "", conversation = "", personaId, collectionId = null, alsoAnswered = [] } = props;
  const collections = useCollections();
  const personas = usePersonas();
  const listed = personas.value?.personas.find(({ id }) => id === personaId)?.collection_ids ?? [];
  const readable = (collections.value?.collections ?? []).filter(({ readers }) => readers.includes(ALL_READERS));
  const used = readable.filter(({ id }) => listed.includes(id));
  const others = readable.filter(({ id }) => !listed.includes(id));
  // The first is chosen.
  const choices = [...used, ...others].sort(
    (one, other) => Number(other.id === collectionId) - Number(one.id === collectionId),
  );
  return (
    <FormDialog
      title={t("Answer the question")}
      action={t("Answer")}
      isWide
      schema={bodySchema("/v1/knowledge/collections/{id}/documents", "post")}
      value={{ title: cutText(question, 300), text: answer }}
      fields={(get) => [
        { name: "title", label: t("Question"), isRequired: true },
        { name: "text", label: t("Answer"), rows: 8, isRequired: true },
        {
          name: "$chosen",
          label: t("Rewrite with the model"),
          onChange: (chosen) => {
            const [title = "", text = ""] = chosen as string[];
            return { title, text };
          },
          render: ({ onValue }) => (
            <AnswerRewriting
              read={() => ({ question: String(get("title")), answer: String(get("text")) })}
              conversation={`${question}\n${answer}\n${conversation}`}
              onChoose={(chosen) => onValue([cutText(chosen.question, 300), chosen.answer])}
            />
          ),
        },
        {
          name: "$collection",
          label: t("Collection"),
          hint: used.some(({ id }) => id === (get("$collection") || choices[0]?.id))
            ? t("The widget's persona uses it.")
            : t("Visitors find it only in collections of the widget's persona."),
          options: choices.map(({ id, name }) => [id, name] as const),
        },
      ]}
      canSave={choices.length > 0}
      resource="collection"
      savedText={t("Visitors get this answer as soon as it is indexed.")}
      onSave={async ({ title, text }, get) => {
        const collection_id = String(get("$collection") || choices[0]?.id);
        const document = await api.POST("/v1/knowledge/collections/{id}/documents", {
          params: { path: { id: collection_id } },
          body: { title: String(title), text: `# ${title}\n\n${text}`, media_type: "text/markdown" },
        });
        if (!("id" in document)) return;
        await props.onStored?.({ collection_id, document_id: document.id });
      }}
      onClose={props.onClose}
    >
      <ResourceStatus resource={collections} />
      {alsoAnswered.length > 0 && (
        <p class="small muted" dir="auto">
          {t("Also marked as answered: {questions}", { questions: alsoAnswered.join(" · ") })}
        </p>
      )}
    </FormDialog>
  );
}
