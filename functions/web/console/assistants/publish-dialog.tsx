import type { Persona } from "../../../../shared/api/personas/persona.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ApiSnippets } from "../ui/snippets.tsx";
import { useGateStop } from "./versions/gate-stop.tsx";

/** Form for the endpoint of a persona, with snippets that call it. */
export function PublishDialog({
  persona,
  version,
  onClose,
}: {
  readonly persona: Persona;
  /** Version that the endpoint answers with. */
  readonly version: number;
  readonly onClose: () => void;
}) {
  const { endpoint } = persona;
  const params = { path: { id: persona.id } };
  const { guard, link, overrideField } = useGateStop();
  const unpublish = async () => {
    await api.DELETE("/v1/personas/{id}/publish", { params });
    invalidate("persona");
    showToast(t("The persona is no longer published."));
  };
  return (
    <FormDialog
      title={t("Publish {name}", { name: persona.name })}
      action={endpoint ? t("Publish version {number}", { number: version }) : t("Publish")}
      isWide
      schema={bodySchema("/v1/personas/{id}/publish", "post")}
      value={endpoint}
      fields={[
        {
          name: "slug",
          label: t("Model name"),
          hint: t("For example: {names}. Without one, it is made from the name.", { names: "helper, gpt-4.1" }),
        },
        {
          name: "aliases",
          label: t("Aliases"),
          hint: t(
            "For programs that expect certain names, with commas between them. {pattern} stands for all names that begin so.",
            { pattern: "claude-*" },
          ),
        },
        { name: "enabled", label: t("Enabled"), hint: t("Disabled, the name stays reserved and requests fail.") },
        overrideField,
      ]}
      resource="persona"
      savedText={t("Published.")}
      onSave={(body) => guard(() => api.POST("/v1/personas/{id}/publish", { params, body: { ...body, version } }))}
      onSaved={() => {}}
      actions={endpoint && <Button onClick={() => unpublish().catch(showError)}>{t("Unpublish")}</Button>}
      below={
        endpoint && (
          <>
            <h3>{t("Call it")}</h3>
            <ApiSnippets model={endpoint.slug} apiKey={null} />
            {can("rbac.manage") && (
              <p class="small muted">
                {t("The snippets read the key from SWITCHBOARD_API_KEY.")}{" "}
                <a href="/console/admin/api-keys">{t("Create an API key")}</a>
              </p>
            )}
          </>
        )
      }
      onClose={onClose}
    >
      {link}
      <p class="muted">
        {t(
          "Published, the persona answers OpenAI clients under this model name. Later changes take effect when you publish again.",
        )}
      </p>
    </FormDialog>
  );
}
