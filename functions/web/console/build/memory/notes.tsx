import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { conversationTitleOf } from "../../lib/conversation-title.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatAgo } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { upTo, useConversations } from "../../lib/lists.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { ListPage } from "../../ui/list.tsx";
import { Badge } from "../../ui/status.tsx";

type Note = ReplyOf<"/v1/notes/{id}", "get">;

/** Number of characters of a note on its card. */
const EXCERPT_CHARACTERS = 240;

const matches = ({ title, body, tags }: Note, filter: string) =>
  [title, body, ...tags].some((text) => text.toLowerCase().includes(filter));

/** Notes of the user, which the assistant can read and write. */
export function Notes() {
  const list = useResource("notes", () => upTo(api.list("/v1/notes", { params: { query: { limit: 100 } } })));
  const [editing, setEditing] = useState<Note | "new" | null>(null);
  const [filter, setFilter] = useState("");
  const notes = list.value ?? [];
  const shown = notes
    .filter((note) => matches(note, filter.trim().toLowerCase()))
    .toSorted((a, b) => Number(b.pinned) - Number(a.pinned));
  return (
    <ListPage
      title={t("Notes")}
      intro={t("Your own notes. The assistant can read and write them in the tier Thought partner.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={notes.length}
      create={
        <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
          {t("New note")}
        </Button>
      }
      empty={{
        icon: "edit",
        title: t("No note yet"),
        text: t("Keep what you want to find again, or ask the assistant to write it down."),
      }}
    >
      {notes.length > 8 && <TextField label={t("Filter")} type="search" value={filter} onValue={setFilter} />}
      <div class="cards">
        {shown.map((note) => (
          <button key={note.id} type="button" class="card stack tight" onClick={() => setEditing(note)}>
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
        ))}
      </div>
      {editing && <NoteDialog note={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
    </ListPage>
  );
}

function NoteDialog({ note, onClose }: { readonly note: Note | null; readonly onClose: () => void }) {
  const [title, setTitle] = useState(note?.title ?? "");
  const [body, setBody] = useState(note?.body ?? "");
  const [tags, setTags] = useState(note?.tags.join(", ") ?? "");
  const [pinned, setPinned] = useState(note?.pinned ?? false);
  const [conversationId, setConversationId] = useState(note?.conversation_id ?? "");
  const conversations = useConversations().entries;
  const isListed = conversationId === "" || conversations.some(({ id }) => id === conversationId);
  const params = { path: { id: note?.id ?? "" } };
  const save = async () => {
    const list = tags.split(",").map((tag) => tag.trim());
    const values = { title, body, tags: list.filter(Boolean), pinned, conversation_id: conversationId || null };
    if (note) await api.PATCH("/v1/notes/{id}", { params, body: values });
    else await api.POST("/v1/notes", { body: values });
    invalidate("notes");
  };
  return (
    <EditDialog
      title={note?.title ?? t("New note")}
      isWide
      deletion={
        note && {
          title: t("Delete {name}?", { name: note.title }),
          text: t("The note will be deleted for good."),
          onConfirm: async () => {
            await api.DELETE("/v1/notes/{id}", { params });
            invalidate("notes");
          },
        }
      }
      onSave={save}
      onClose={onClose}
    >
      <TextField label={t("Title")} name="title" value={title} onValue={setTitle} maxLength={200} required autoFocus />
      <TextField label={t("Text")} name="body" value={body} onValue={setBody} rows={12} maxLength={16_000} />
      <TextField label={t("Tags")} name="tags" hint={t("Separated by commas")} value={tags} onValue={setTags} />
      <SelectField
        label={t("Conversation whose answers know the note")}
        name="conversation_id"
        value={conversationId}
        onValue={setConversationId}
        options={[
          ["", t("None")],
          ...(isListed ? [] : [[conversationId, t("An earlier conversation")] as const]),
          ...conversations.map((conversation) => [conversation.id, conversationTitleOf(conversation)] as const),
        ]}
      />
      <CheckField label={t("Show at the top")} checked={pinned} onValue={setPinned} />
    </EditDialog>
  );
}
