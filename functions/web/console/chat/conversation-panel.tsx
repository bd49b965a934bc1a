import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { conversationTitleOf } from "../lib/conversation-title.ts";
import { invalidate, LOOK_INTERVAL_MS, repeatWhileVisible, sendForEach } from "../lib/data.ts";
import { calendarDaysSince } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { useConversations, useFolders } from "../lib/lists.ts";
import { useDebounced } from "../lib/message-search.ts";
import { doUnlessUndone, showError, showToast } from "../lib/toast.ts";
import { isUnread, showBadge } from "../lib/unread.ts";
import { onChangeInOtherTab } from "../session/other-tabs.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { Panel } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { Menu } from "../ui/menu.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { ResourceStatus } from "../ui/status.tsx";

const dialogs = () => import("./dialogs/conversation-dialogs.tsx");
const FolderDialog = onDemand(() => dialogs().then((module) => module.FolderDialog));
const NameDialog = onDemand(() => dialogs().then((module) => module.NameDialog));
const MoveDialog = onDemand(() => dialogs().then((module) => module.MoveDialog));
const SummaryDialog = onDemand(() => dialogs().then((module) => module.SummaryDialog));
const MessageResults = onDemand(() => import("./message-results.tsx").then((module) => module.MessageResults));

type ConversationSummary = ReplyOf<"/v1/conversations", "get">["conversations"][number];
type Folder = ReplyOf<"/v1/folders", "get">["folders"][number];

/** Number of folders that are shown before the user asks for all. */
const MAX_SHOWN_FOLDERS = 5;

function ageGroup({ pinned, last_activity_at }: ConversationSummary): string {
  if (pinned) return t("Pinned");
  const days = calendarDaysSince(last_activity_at);
  if (days <= 0) return t("Today");
  if (days < 7) return t("This week");
  return days < 31 ? t("This month") : t("Earlier");
}

/** Minimum number of messages of a conversation that can be summarized. */
const MIN_SUMMARY_MESSAGES = 20;

/** Moves the focus between the search field and the conversations and messages below it with the arrow keys. */
function moveBetweenEntries(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.isComposing) return;
  const stops =
    event.currentTarget.closest(".panel")?.querySelectorAll<HTMLElement>("input[type=search], a.item") ?? [];
  const index = [...stops].indexOf(document.activeElement as HTMLElement);
  const next = index < 0 ? undefined : stops[index + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** List of conversations with search and folders. */
export function ConversationPanel({
  current,
  isOnly,
}: {
  readonly current: string | null;
  /** True if no conversation is selected, so that the list is the main content of the page on phones. */
  readonly isOnly: boolean;
}) {
  const { route } = useLocation();
  const [query, setQuery] = useState("");
  const [folder, setFolder] = useState<string | null>(null);
  const [areAllFoldersShown, setAllFoldersShown] = useState(false);
  const [isFolderDialogOpen, setFolderDialogOpen] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  // Conversations that are deleted unless the user undoes it.
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const q = useDebounced(query.trim(), 250);
  const filters = { ...(folder && { folder_id: folder }), ...(q && { q }) };
  const key = folder || q ? `conversations:${folder ?? ""}:${q}` : "conversations:";
  const list = useConversations(key, filters);
  useEffect(() => repeatWhileVisible(list.reload, LOOK_INTERVAL_MS), [key]);
  useEffect(() => onChangeInOtherTab(list.reload), [key]);
  const unreadCount = list.entries.filter((each) => each.id !== current && isUnread(each)).length;
  useEffect(() => showBadge(unreadCount), [unreadCount]);
  const folders = useFolders();
  const conversations = list.entries.filter(({ id }) => !leaving.has(id));
  const allFolders = folders.value?.folders ?? [];
  // Many folders would leave no space for the conversations.
  const shownFolders =
    areAllFoldersShown || allFolders.length <= MAX_SHOWN_FOLDERS + 1
      ? allFolders
      : allFolders.filter(({ id }, index) => index < MAX_SHOWN_FOLDERS || id === folder);
  const groups = Map.groupBy(
    [...conversations.filter(({ pinned }) => pinned), ...conversations.filter(({ pinned }) => !pinned)],
    ageGroup,
  );
  const lastSelected = useRef<string | null>(null);
  const select = (id: string, isSelected: boolean, isRange: boolean) => {
    const own = [...groups.values()].flat().filter(({ access }) => access === "owner");
    const [from, to] = [lastSelected.current, id].map((each) => own.findIndex((entry) => entry.id === each));
    const range = isRange && from !== undefined && to !== undefined && from >= 0;
    const ids = range ? own.slice(Math.min(from, to), Math.max(from, to) + 1).map((entry) => entry.id) : [id];
    lastSelected.current = id;
    setSelected((all) => {
      const rest = [...(all ?? [])].filter((each) => !ids.includes(each));
      return new Set(isSelected ? [...rest, ...ids] : rest);
    });
  };
  return (
    <Panel
      title={t("Conversations")}
      isOnly={isOnly}
      actions={
        <>
          <IconButton
            icon="check"
            label={t("Select conversations")}
            aria-pressed={selected !== null}
            onClick={() => setSelected(selected ? null : new Set())}
          />
          <IconButton icon="folder" label={t("New folder")} onClick={() => setFolderDialogOpen(true)} />
          <a
            class="icon-button"
            href={`/console/chat${folder ? `?folder=${folder}` : ""}`}
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
          placeholder={t("Search conversations")}
          aria-label={t("Search conversations")}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={moveBetweenEntries}
        />
      </div>
      <nav class="scroll" aria-label={t("Conversations")} onKeyDown={moveBetweenEntries}>
        {(folders.value?.folders.length ?? 0) > 0 && (
          <>
            <p class="group">{t("Folders")}</p>
            {shownFolders.map((each) => (
              <FolderItem
                key={each.id}
                folder={each}
                isSelected={folder === each.id}
                onSelect={() => setFolder(folder === each.id ? null : each.id)}
              />
            ))}
            {allFolders.length > shownFolders.length && (
              <Button isSmall kind="quiet" onClick={() => setAllFoldersShown(true)}>
                {t("Show all {count} folders", { count: allFolders.length })}
              </Button>
            )}
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
                isSelected={selected && conversation.access === "owner" ? selected.has(conversation.id) : null}
                onSelect={(isSelected, isRange) => select(conversation.id, isSelected, isRange)}
                onDeleted={() => conversation.id === current && route("/console/chat?list", true)}
              />
            ))}
          </div>
        ))}
        {list.value !== null && conversations.length === 0 && (
          <p class="muted small panel-note">
            {q
              ? t("No title matches.")
              : folder
                ? t("No conversation matches.")
                : t("Your conversations will appear here.")}
          </p>
        )}
        <MoreButton list={list} />
        {q && <MessageResults q={q} folderId={folder} />}
      </nav>
      {selected && (
        <SelectionBar
          ids={[...selected]}
          folders={folders.value?.folders ?? []}
          onLeave={(ids) => setLeaving(new Set([...leaving, ...ids]))}
          onReturn={(ids) => setLeaving((all) => new Set([...all].filter((id) => !ids.includes(id))))}
          onDeleted={(ids) => current !== null && ids.includes(current) && route("/console/chat?list", true)}
          onClose={() => setSelected(null)}
        />
      )}
      {isFolderDialogOpen && <FolderDialog folder={null} onClose={() => setFolderDialogOpen(false)} />}
    </Panel>
  );
}

/** Sends a request for each conversation, and loads the list again. */
const forEachConversation = (ids: readonly string[], send: (id: string) => Promise<unknown>): Promise<void> =>
  sendForEach(ids, send).finally(() => invalidate("conversations:"));

function SelectionBar({
  ids,
  folders,
  onLeave,
  onReturn,
  onDeleted,
  onClose,
}: {
  readonly ids: readonly string[];
  readonly folders: readonly Folder[];
  /** Hides conversations that are about to be deleted. */
  readonly onLeave: (ids: readonly string[]) => void;
  readonly onReturn: (ids: readonly string[]) => void;
  readonly onDeleted: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const [isMoving, setMoving] = useState(false);
  const remove = () => {
    onLeave(ids);
    onClose();
    const work = async () => {
      await forEachConversation(ids, (id) => api.DELETE("/v1/conversations/{id}", { params: { path: { id } } }));
      onDeleted(ids);
    };
    doUnlessUndone(
      tn("{count} conversation is deleted.", "{count} conversations are deleted.", ids.length),
      () =>
        work().catch((error) => {
          onReturn(ids);
          throw error;
        }),
      () => onReturn(ids),
    );
  };
  return (
    <div class="selection-bar">
      <span class="grow small">{tn("{count} selected", "{count} selected", ids.length)}</span>
      <IconButton
        icon="folder"
        label={t("Move to a folder")}
        disabled={ids.length === 0}
        onClick={() => setMoving(true)}
      />
      <IconButton icon="trash" label={t("Delete")} disabled={ids.length === 0} onClick={remove} />
      <IconButton icon="close" label={t("Cancel")} onClick={onClose} />
      {isMoving && (
        <MoveDialog
          current={null}
          folders={folders}
          onClose={() => setMoving(false)}
          onSave={async (folder_id) => {
            await forEachConversation(ids, (id) =>
              api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body: { folder_id } }),
            );
            onClose();
          }}
        />
      )}
    </div>
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

function ConversationItem({
  conversation,
  folders,
  isCurrent,
  isSelected,
  onSelect,
  onDeleted,
}: {
  readonly conversation: ConversationSummary;
  readonly folders: readonly Folder[];
  readonly isCurrent: boolean;
  /**
   * True if the conversation is selected for a bulk action; null if it cannot be selected or no bulk action is being
   * prepared.
   */
  readonly isSelected: boolean | null;
  /**
   * Called when the user selects or deselects the conversation. With `isRange`, the change applies to all conversations from
   * the previously selected one to this one.
   */
  readonly onSelect: (isSelected: boolean, isRange: boolean) => void;
  readonly onDeleted: () => void;
}) {
  const { id, pinned, access } = conversation;
  const title = conversationTitleOf(conversation);
  const [dialog, setDialog] = useState<"rename" | "move" | "delete" | "summary" | null>(null);
  const params = { path: { id } };
  const update = async (body: { title?: string; pinned?: boolean; folder_id?: string | null }) => {
    await api.PATCH("/v1/conversations/{id}", { params, body });
    invalidate("conversations:");
    invalidate(`conversation:${id}`);
  };
  if (isSelected !== null) {
    return (
      <label class="item check">
        <input
          type="checkbox"
          checked={isSelected}
          onClick={({ currentTarget, shiftKey }) => onSelect(currentTarget.checked, shiftKey)}
        />
        <span class="truncate grow">{title}</span>
      </label>
    );
  }
  return (
    <div class="item-row">
      <a class="item" href={`/console/chat/${id}`} aria-current={isCurrent ? "page" : undefined}>
        <span class="truncate grow">{title}</span>
        {access !== "owner" && <Icon name="people" />}
        {isUnread(conversation) && !isCurrent && (
          <span class="unread">
            <span class="visually-hidden">{t("unread")}</span>
          </span>
        )}
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
            ...(conversation.message_count > MIN_SUMMARY_MESSAGES
              ? [{ label: t("Show summary"), icon: "document" as const, onSelect: () => setDialog("summary") }]
              : []),
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
      {dialog === "summary" && <SummaryDialog conversationId={id} onClose={() => setDialog(null)} />}
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
