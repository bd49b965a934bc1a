import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatAgo } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { upTo } from "../../lib/lists.ts";
import { showError } from "../../lib/toast.ts";
import { api, can } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";
import { DataTable, ListPage } from "../../ui/list.tsx";
import { Badge } from "../../ui/status.tsx";

type Memory = ReplyOf<"/v1/memories/{id}", "get">;

const categories = () =>
  [
    ["preference", t("Preference")],
    ["fact", t("Fact")],
    ["instruction", t("Instruction")],
    ["profile", t("Profile")],
    ["other", t("Other")],
  ] as const;

const scopeNames = (): Readonly<Record<Memory["scope"], string>> => ({
  user: t("All my conversations"),
  conversation: t("One conversation"),
  persona: t("One persona"),
  tenant: t("Everyone in the organization"),
});

const canEdit = ({ scope }: Memory) => scope !== "tenant" || can("rbac.manage");

/** List of memories and of proposals for them. */
export function Memories() {
  const list = useResource("memories", () => upTo(api.list("/v1/memories", { params: { query: { limit: 100 } } })));
  const [editing, setEditing] = useState<Memory | "new" | null>(null);
  const [filter, setFilter] = useState("");
  const memories = list.value ?? [];
  const shown = memories.filter(({ text }) => text.toLowerCase().includes(filter.trim().toLowerCase()));
  const accept = async (memory: Memory) => {
    try {
      // The page shows the origin of an untrusted memory, so that a user who accepts it vouches for it.
      const body = { status: "active" as const, ...(memory.trusted === false && { trusted: true as const }) };
      await api.PATCH("/v1/memories/{id}", { params: { path: { id: memory.id } }, body });
      invalidate("memories");
    } catch (error) {
      showError(error);
    }
  };
  return (
    <ListPage
      title={t("Memories")}
      intro={t("What the assistant remembers about you and your organization. It uses memories in every answer.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={memories.length}
      create={
        <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
          {t("New memory")}
        </Button>
      }
      empty={{
        icon: "sparkle",
        title: t("Nothing is remembered yet"),
        text: t("Add what every answer should know, such as your role or the language you prefer."),
      }}
    >
      {memories.length > 8 && <TextField label={t("Filter")} type="search" value={filter} onValue={setFilter} />}
      <DataTable
        rows={shown}
        keyOf={({ id }) => id}
        columns={[
          { label: t("Memory"), className: "text", cell: (memory) => <MemoryText memory={memory} /> },
          {
            label: t("Category"),
            cell: ({ category }) => categories().find(([name]) => name === category)?.[1] ?? category,
          },
          { label: t("Applies to"), cell: ({ scope }) => scopeNames()[scope] },
          { label: t("Changed"), cell: ({ updated_at }) => formatAgo(updated_at) },
          {
            label: null,
            cell: (memory) =>
              canEdit(memory) && (
                <>
                  {memory.status === "proposed" && (
                    <Button isSmall onClick={() => void accept(memory)}>
                      {t("Accept")}
                    </Button>
                  )}
                  <Button isSmall onClick={() => setEditing(memory)}>
                    {t("Edit")}
                  </Button>
                </>
              ),
          },
        ]}
      />
      {editing && <MemoryDialog memory={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
    </ListPage>
  );
}

function MemoryText({ memory: { text, status, trusted, read_untrusted, replaces } }: { readonly memory: Memory }) {
  return (
    <>
      <span dir="auto">{text}</span>
      <span class="row wrap">
        {status === "proposed" && <Badge kind="accent">{t("proposed")}</Badge>}
        {trusted === false && <Badge kind="warning">{t("not confirmed")}</Badge>}
      </span>
      {read_untrusted && (
        <span class="small muted">
          {t("Proposed after a document, an alert or another text of others was read. Check it.")}
        </span>
      )}
      {replaces && <span class="small muted">{t("Replaces: {text}", { text: replaces.text })}</span>}
    </>
  );
}

function MemoryDialog({ memory, onClose }: { readonly memory: Memory | null; readonly onClose: () => void }) {
  const [text, setText] = useState(memory?.text ?? "");
  const [category, setCategory] = useState<Memory["category"]>(memory?.category ?? "fact");
  const [scope, setScope] = useState<"user" | "tenant">("user");
  const params = { path: { id: memory?.id ?? "" } };
  const save = async () => {
    if (memory) await api.PATCH("/v1/memories/{id}", { params, body: { text, category } });
    else await api.POST("/v1/memories", { body: { text, category, scope } });
    invalidate("memories");
  };
  return (
    <EditDialog
      title={memory ? t("Edit the memory") : t("New memory")}
      deletion={
        memory && {
          title: t("Forget this?"),
          text: memory.text,
          onConfirm: async () => {
            await api.DELETE("/v1/memories/{id}", { params });
            invalidate("memories");
          },
        }
      }
      canSave={text.trim() !== ""}
      onSave={save}
      onClose={onClose}
    >
      <TextField
        label={t("Text")}
        name="text"
        value={text}
        onValue={setText}
        rows={4}
        maxLength={2_000}
        required
        autoFocus
      />
      <SelectField
        label={t("Category")}
        name="category"
        value={category}
        onValue={setCategory}
        options={categories()}
      />
      {!memory && can("rbac.manage") && (
        <SelectField
          label={t("Applies to")}
          name="scope"
          value={scope}
          onValue={setScope}
          options={[
            ["user", scopeNames().user],
            ["tenant", scopeNames().tenant],
          ]}
        />
      )}
    </EditDialog>
  );
}
