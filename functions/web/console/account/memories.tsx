import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { upTo } from "../lib/lists.ts";
import { showError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";

type Memory = ReplyOf<"/v1/memories/{id}", "get">;

const categories = (): Readonly<Record<Memory["category"], string>> => ({
  preference: t("Preference"),
  fact: t("Fact"),
  instruction: t("Instruction"),
  profile: t("Profile"),
  other: t("Other"),
});

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
  const accept = async (memory: Memory) => {
    // The page shows the origin of an untrusted memory, so that a user who accepts it vouches for it.
    const body = { status: "active" as const, ...(memory.trusted === false && { trusted: true as const }) };
    await api.PATCH("/v1/memories/{id}", { params: { path: { id: memory.id } }, body });
    invalidate("memories");
  };
  return (
    <ResourcePage
      title={t("Memories")}
      intro={t("What the assistant remembers about you and your organization. It uses memories in every answer.")}
      resource={list}
      entries={list.value ?? undefined}
      name="memories"
      newText={t("New memory")}
      dialog={(memory, close) => <MemoryDialog memory={memory} onClose={close} />}
      empty={{
        icon: "sparkle",
        title: t("Nothing is remembered yet"),
        text: t("Add what every answer should know, such as your role or the language you prefer."),
      }}
      textOf={({ text }) => text}
      columns={({ edit }) => [
        { label: t("Memory"), className: "text", cell: (memory) => <MemoryText memory={memory} /> },
        {
          label: t("Category"),
          sortBy: ({ category }) => categories()[category],
          cell: ({ category }) => categories()[category],
        },
        { label: t("Applies to"), cell: ({ scope }) => scopeNames()[scope] },
        {
          label: t("Changed"),
          sortBy: ({ updated_at }) => updated_at,
          cell: ({ updated_at }) => formatAgo(updated_at),
        },
        {
          label: null,
          cell: (memory) =>
            canEdit(memory) && (
              <>
                {memory.status === "proposed" && (
                  <Button isSmall onClick={() => accept(memory).catch(showError)}>
                    {t("Accept")}
                  </Button>
                )}
                <Button isSmall onClick={() => edit(memory)}>
                  {t("Edit")}
                </Button>
              </>
            ),
        },
      ]}
    />
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
  const { user, tenant } = scopeNames();
  return (
    <FormDialog
      title={memory ? t("Edit the memory") : t("New memory")}
      schema={bodySchema("/v1/memories", "post")}
      value={memory ?? { category: "fact" }}
      fields={[
        { name: "text", label: t("Text"), rows: 4 },
        { name: "category", label: t("Category"), options: categories() },
        !memory && can("rbac.manage") && { name: "scope", label: t("Applies to"), options: { user, tenant } },
      ]}
      resource="memories"
      entity={{ path: "/v1/memories", id: memory?.id }}
      deletion={{ title: t("Forget this?"), text: memory?.text ?? "" }}
      onClose={onClose}
    />
  );
}
