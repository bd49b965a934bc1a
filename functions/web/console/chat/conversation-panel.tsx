import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, ConfirmDialog, IconButton, Menu, ResourceStatus, SelectField, TextField } from "../ui/controls.tsx";
import { EditDialog } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { Panel } from "../ui/layout.tsx";

type ConversationSummary = ReplyOf<"/v1/conversations", "get">["conversations"][number];
type Folder = ReplyOf<"/v1/folders", "get">["folders"][number];

const PAGE_SIZE = 50;

/** Returns a value once it has not changed for `ms`. */
function useDebounced(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

function ageGroup({ pinned, last_activity_at }: ConversationSummary): string {
  if (pinned) return t("Pinned");
  const days = (Date.now() - Date.parse(last_activity_at)) / 86_400_000;
  if (days < 1) return t("Today");
  if (days < 7) return t("This week");
  return days < 31 ? t("This month") : t("Earlier");
}

/** Maximum number of requests for a list. Each reads up to 2,000 conversations. */
const MAX_REQUESTS = 10;

/** List of conversations with search and folders. */
export function ConversationPanel({
  current,
  isOnly,
}: {
  readonly current: string | null;
  /** True if no conversation is selected. On phones, the list is then the main content of the page. */
  readonly isOnly: boolean;
}) {
  const { route } = useLocation();
  const [query, setQuery] = useState("");
  const [folder, setFolder] = useState<string | null>(null);
  const [limit, setLimit] = useState(PAGE_SIZE);
  const [isFolderDialogOpen, setFolderDialogOpen] = useState(false);
  const q = useDebounced(query.trim(), 250);
  const key = `conversations:${folder ?? ""}:${q}:${limit}`;
  const list = useResource(key === `conversations:::${PAGE_SIZE}` ? "conversations:" : key, async () => {
    const filters = { ...(folder && { folder_id: folder }), ...(q && { q }) };
    const found: ConversationSummary[] = [];
    let cursor: string | null = null;
    // A filtered page can be empty although more follow.
    for (let request = 0; request < MAX_REQUESTS; request++) {
      const query = { ...filters, limit: Math.min(limit - found.length, 100), ...(cursor && { cursor }) };
      const page: ReplyOf<"/v1/conversations", "get"> = await api.GET("/v1/conversations", { params: { query } });
      found.push(...page.conversations);
      cursor = page.next_cursor;
      if (!cursor || found.length >= limit) break;
    }
    return { conversations: found, next_cursor: cursor };
  });
  const folders = useResource("folders", () => api.GET("/v1/folders"));
  const conversations = list.value?.conversations ?? [];
  const groups = Map.groupBy(
    [...conversations.filter(({ pinned }) => pinned), ...conversations.filter(({ pinned }) => !pinned)],
    ageGroup,
  );
  return (
    <Panel
      title={t("Conversations")}
      isOnly={isOnly}
      actions={
        <>
          <IconButton icon="folder" label={t("New folder")} onClick={() => setFolderDialogOpen(true)} />
          <a
            class="icon-button"
            href="/console/chat?new"
            aria-label={t("New conversation")}
            title={t("New conversation")}
          >
            <Icon name="plus" />
          </a>
        </>
      }
    >
      <div class="search" role="search">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          placeholder={t("Search titles")}
          aria-label={t("Search conversations by title")}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </div>
      <nav class="scroll" aria-label={t("Conversations")}>
        {(folders.value?.folders.length ?? 0) > 0 && (
          <>
            <p class="group">{t("Folders")}</p>
            {folders.value?.folders.map((each) => (
              <FolderItem
                key={each.id}
                folder={each}
                isSelected={folder === each.id}
                onSelect={() => setFolder(folder === each.id ? null : each.id)}
              />
            ))}
          </>
        )}
        <ResourceStatus resource={list} lines={6} />
        {[...groups].map(([name, entries]) => (
          <div key={name}>
            <p class="group">{name}</p>
            {entries.map((conversation) => (
              <ConversationItem
                key={conversation.id}
                conversation={conversation}
                folders={folders.value?.folders ?? []}
                isCurrent={conversation.id === current}
                onDeleted={() => conversation.id === current && route("/console/chat", true)}
              />
            ))}
          </div>
        ))}
        {list.value !== null && conversations.length === 0 && (
          <p class="muted small panel-note">
            {q || folder ? t("No conversation matches.") : t("Your conversations will appear here.")}
          </p>
        )}
        {list.value?.next_cursor && limit < 200 && (
          <Button isSmall kind="quiet" onClick={() => setLimit(limit + PAGE_SIZE)}>
            {t("Show more")}
          </Button>
        )}
      </nav>
      {isFolderDialogOpen && <FolderDialog folder={null} onClose={() => setFolderDialogOpen(false)} />}
    </Panel>
  );
}

function FolderItem({
  folder,
  isSelected,
  onSelect,
}: {
  readonly folder: Folder;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const [dialog, setDialog] = useState<"rename" | "delete" | null>(null);
  return (
    <div class="item-row">
      <button type="button" class="item" aria-pressed={isSelected} onClick={onSelect}>
        <Icon name="folder" />
        <span class="truncate grow">{folder.name}</span>
      </button>
      <Menu
        label={t("Actions for {name}", { name: folder.name })}
        entries={[
          { label: t("Rename"), icon: "edit", onSelect: () => setDialog("rename") },
          { label: t("Delete"), icon: "trash", isDanger: true, onSelect: () => setDialog("delete") },
        ]}
      />
      {dialog === "rename" && <FolderDialog folder={folder} onClose={() => setDialog(null)} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t("Delete the folder {name}?", { name: folder.name })}
          text={t("Its conversations are kept and move to the top level.")}
          action={t("Delete")}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/folders/{id}", { params: { path: { id: folder.id } } });
            invalidate("folders");
            invalidate("conversations:");
          }}
        />
      )}
    </div>
  );
}

function FolderDialog({ folder, onClose }: { readonly folder: Folder | null; readonly onClose: () => void }) {
  return (
    <NameDialog
      title={folder ? t("Rename the folder") : t("New folder")}
      label={t("Name")}
      field="name"
      value={folder?.name ?? ""}
      maxLength={100}
      onClose={onClose}
      onSave={async (name) => {
        if (folder) await api.PATCH("/v1/folders/{id}", { params: { path: { id: folder.id } }, body: { name } });
        else await api.POST("/v1/folders", { body: { name } });
        invalidate("folders");
      }}
    />
  );
}

/** Dialog that edits the name of a folder or the title of a conversation. */
function NameDialog({
  field,
  value,
  onSave,
  title,
  onClose,
  ...props
}: {
  readonly title: string;
  readonly label: string;
  /** Path of the value in the request. */
  readonly field: string;
  readonly value: string;
  readonly maxLength: number;
  readonly onSave: (value: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(value);
  return (
    <EditDialog title={title} onSave={() => onSave(text)} onClose={onClose}>
      <TextField {...props} name={field} value={text} onValue={setText} required autoFocus />
    </EditDialog>
  );
}

function ConversationItem({
  conversation,
  folders,
  isCurrent,
  onDeleted,
}: {
  readonly conversation: ConversationSummary;
  readonly folders: readonly Folder[];
  readonly isCurrent: boolean;
  readonly onDeleted: () => void;
}) {
  const { id, title, pinned, access } = conversation;
  const [dialog, setDialog] = useState<"rename" | "move" | "delete" | null>(null);
  const params = { path: { id } };
  const update = async (body: { title?: string; pinned?: boolean; folder_id?: string | null }) => {
    await api.PATCH("/v1/conversations/{id}", { params, body });
    invalidate("conversations:");
    invalidate(`conversation:${id}`);
  };
  return (
    <div class="item-row">
      <a class="item" href={`/console/chat/${id}`} aria-current={isCurrent ? "page" : undefined}>
        <span class="truncate grow">{title}</span>
        {access !== "owner" && <Icon name="people" />}
      </a>
      {access === "owner" && (
        <Menu
          label={t("Actions for {name}", { name: title })}
          entries={[
            { label: t("Rename"), icon: "edit", onSelect: () => setDialog("rename") },
            {
              label: pinned ? t("Unpin") : t("Pin"),
              icon: "pin",
              onSelect: () => void update({ pinned: !pinned }).catch(showError),
            },
            { label: t("Move to a folder"), icon: "folder", onSelect: () => setDialog("move") },
            null,
            { label: t("Delete"), icon: "trash", isDanger: true, onSelect: () => setDialog("delete") },
          ]}
        />
      )}
      {dialog === "rename" && (
        <NameDialog
          title={t("Rename the conversation")}
          label={t("Title")}
          field="title"
          value={title}
          maxLength={200}
          onClose={() => setDialog(null)}
          onSave={(next) => update({ title: next })}
        />
      )}
      {dialog === "move" && (
        <MoveDialog
          current={conversation.folder_id}
          folders={folders}
          onClose={() => setDialog(null)}
          onSave={(folder_id) => update({ folder_id })}
        />
      )}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t("Delete this conversation?")}
          text={t("“{title}” and all of its messages will be deleted. This cannot be undone.", { title })}
          action={t("Delete")}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/conversations/{id}", { params });
            invalidate("conversations:");
            showToast(t("The conversation was deleted."));
            onDeleted();
          }}
        />
      )}
    </div>
  );
}

function MoveDialog({
  current,
  folders,
  onClose,
  onSave,
}: {
  readonly current: string | null;
  readonly folders: readonly Folder[];
  readonly onClose: () => void;
  readonly onSave: (folderId: string | null) => Promise<void>;
}) {
  const [folder, setFolder] = useState(current ?? "");
  return (
    <EditDialog
      title={t("Move to a folder")}
      action={t("Move")}
      canSave={folders.length > 0}
      onSave={() => onSave(folder || null)}
      onClose={onClose}
    >
      {folders.length === 0 ? (
        <p class="muted">{t("There is no folder yet. Create one with the button above the list.")}</p>
      ) : (
        <SelectField
          label={t("Folder")}
          name="folder_id"
          value={folder}
          onValue={setFolder}
          options={[["", t("No folder")], ...folders.map(({ id, name }) => [id, name] as const)]}
        />
      )}
    </EditDialog>
  );
}
