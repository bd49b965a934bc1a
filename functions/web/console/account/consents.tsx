import { useResource } from "../lib/data.ts";
import { formatDate } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { useTargetNames } from "../lib/target-names.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Empty, ResourceStatus } from "../ui/status.tsx";

/** Calls that the user does not confirm any more, each of which can be withdrawn. */
export function ToolConsents() {
  const list = useResource("tool-consents", () => api.GET("/v1/tools/consents"));
  const consents = list.value?.consents ?? [];
  const find = useTargetNames(
    consents.flatMap(({ server_id, persona_id, conversation_id }) => [
      { type: "tool_server", id: server_id },
      { type: "persona", id: persona_id },
      ...(conversation_id === null ? [] : [{ type: "conversation", id: conversation_id }]),
    ]),
  );
  const nameOf = (type: string, id: string) => find({ type, id }).name ?? id;
  const withdraw = async (id: string) => {
    await api.DELETE("/v1/tools/consents", { params: { query: { id } } });
    list.reload();
    showToast(t("You are asked again."));
  };
  return (
    <PageLayout
      title={t("Consents to tools")}
      intro={t("Calls that you no longer confirm, because you chose so in a conversation.")}
    >
      <ResourceStatus resource={list} lines={2} />
      {list.value !== null && consents.length === 0 && (
        <Empty icon="check" title={t("You confirm each call")}>
          {t("If you allow a tool once and for all, the consent is here, and you can withdraw it.")}
        </Empty>
      )}
      <DataTable
        rows={consents}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t("Tool"),
            cell: ({ server_id, tool }) => (
              <>
                {nameOf("tool_server", server_id)}: <span class="mono">{tool}</span>
              </>
            ),
          },
          { label: t("Persona"), cell: ({ persona_id }) => nameOf("persona", persona_id) },
          {
            label: t("Conversation"),
            cell: ({ conversation_id }) =>
              conversation_id === null ? (
                t("all")
              ) : (
                <a href={`/console/chat/${conversation_id}`}>{nameOf("conversation", conversation_id)}</a>
              ),
          },
          { label: t("Since"), cell: ({ created_at }) => formatDate(created_at) },
          {
            label: null,
            cell: ({ id }) => (
              <Button isSmall onClick={() => withdraw(id).catch(showError)}>
                {t("Ask me again")}
              </Button>
            ),
          },
        ]}
      />
    </PageLayout>
  );
}
