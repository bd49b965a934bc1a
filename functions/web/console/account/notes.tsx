import type { ReplyOf } from "../../../../shared/client/index.ts";
import { conversationTitleOf } from "../lib/conversation-title.ts";
import { useResource } from "../lib/data.ts";
import { formatAgo } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { upTo, useConversations } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";

type Note = ReplyOf<"/v1/notes/{id}", "get">;

/** Number of characters of a note on its card. */
const EXCERPT_CHARACTERS = 240;

/** Notes of the user, which the assistant can read and write. */
export function Notes() {
  const list = useResource("notes", () => upTo(api.list("/v1/notes", { params: { query: { limit: 100 } } })));
  return (
    <ResourcePage
      title={t("Notes")}
      intro={t("Your own notes. The assistant can read and write them in the tier Thought partner.")}
      resource={list}
      entries={list.value?.toSorted((a, b) => Number(b.pinned) - Number(a.pinned))}
      name="notes"
      newText={t("New note")}
      dialog={(note, close) => <NoteDialog note={note} onClose={close} />}
      empty={{
        icon: "edit",
        title: t("No note yet"),
        text: t("Keep what you want to find again, or ask the assistant to write it down."),
      }}
      textOf={({ title, body, tags }) => [title, body, ...tags].join(" ")}
      card={(note, { edit }) => (
        <button key={note.id} type="button" class="card stack tight" onClick={() => edit(note)}>
          <span class="row">
            <strong class="truncate grow" dir="auto">
              {note.title}
            </strong>
            {note.pinned && <Icon name="pin" />}
          </span>
          <span class="muted small" dir="auto">
            {note.body.slice(0, EXCERPT_CHARACTERS)}
          </span>
          <span class="row wrap">
            {note.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
            <span class="small muted">{formatAgo(note.updated_at)}</span>
          </span>
        </button>
      )}
    />
  );
}

function NoteDialog({ note, onClose }: { readonly note: Note | null; readonly onClose: () => void }) {
  const conversations = useConversations().entries;
  const stored = note?.conversation_id;
  const isListed = !stored || conversations.some(({ id }) => id === stored);
  return (
    <FormDialog
      title={note?.title ?? t("New note")}
      isWide
      schema={bodySchema("/v1/notes", "post")}
      value={note}
      fields={[
        { name: "title", label: t("Title") },
        { name: "body", label: t("Text"), rows: 12 },
        { name: "tags", label: t("Tags"), hint: t("Separated by commas") },
        {
          name: "conversation_id",
          label: t("Conversation whose answers know the note"),
          options: [
            ["", t("None")],
            ...(isListed ? [] : [[stored, t("An earlier conversation")] as const]),
            ...conversations.map((conversation) => [conversation.id, conversationTitleOf(conversation)] as const),
          ],
        },
        { name: "pinned", label: t("Show at the top") },
      ]}
      resource="notes"
      entity={{ path: "/v1/notes", id: note?.id }}
      deletion={{ text: t("The note will be deleted for good.") }}
      onClose={onClose}
    />
  );
}
