import { useState } from "preact/hooks";
import { modelNamePattern } from "../../../../shared/api/personas/model-name.ts";
import type { Persona } from "../../../../shared/api/personas/personas.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { ApiSnippets } from "./snippets.tsx";

/** Form for the endpoint of a persona, with snippets that call it. */
export function PublishDialog({ persona, onClose }: { readonly persona: Persona; readonly onClose: () => void }) {
  const { endpoint } = persona;
  const [slug, setSlug] = useState(endpoint?.slug ?? "");
  const [aliases, setAliases] = useState(endpoint?.aliases.join(", ") ?? "");
  const [isEnabled, setEnabled] = useState(endpoint?.enabled ?? true);
  const params = { path: { id: persona.id } };
  const act = async (action: () => Promise<unknown>, message: string) => {
    await action();
    invalidate("persona");
    showToast(message);
  };
  return (
    <Dialog title={t("Publish {name}", { name: persona.name })} onClose={onClose} isWide>
      <p class="muted">
        {t(
          "Published, the persona answers OpenAI clients under this model name. Later changes take effect when you publish again.",
        )}
      </p>
      <Form
        onSubmit={() =>
          act(
            () =>
              api.POST("/v1/personas/{id}/publish", {
                params,
                body: {
                  ...(slug && { slug }),
                  aliases: aliases.split(/[\s,]+/).filter(Boolean),
                  enabled: isEnabled,
                },
              }),
            t("Published."),
          )
        }
      >
        <TextField
          label={t("Model name")}
          name="slug"
          hint={t("For example: {names}. Without one, it is made from the name.", { names: "helper, gpt-4.1" })}
          value={slug}
          onValue={setSlug}
          pattern={modelNamePattern}
          autoFocus
        />
        <TextField
          label={t("Aliases")}
          name="aliases"
          hint={t(
            "For programs that expect certain names, with commas between them. {pattern} stands for all names that begin so.",
            {
              pattern: "claude-*",
            },
          )}
          value={aliases}
          onValue={setAliases}
          maxLength={1_300}
        />
        <CheckField
          label={t("Enabled")}
          hint={t("Disabled, the name stays reserved and requests fail.")}
          checked={isEnabled}
          onValue={setEnabled}
        />
        <FormActions>
          {endpoint && (
            <Button
              onClick={() =>
                act(
                  () => api.DELETE("/v1/personas/{id}/publish", { params }),
                  t("The persona is no longer published."),
                ).catch(showError)
              }
            >
              {t("Unpublish")}
            </Button>
          )}
          <Button kind="primary" type="submit">
            {endpoint ? t("Publish this version") : t("Publish")}
          </Button>
        </FormActions>
      </Form>
      {endpoint && (
        <>
          <h3>{t("Call it")}</h3>
          <ApiSnippets model={endpoint.slug} apiKey={null} />
          {can("rbac.manage") && (
            <p class="small muted">
              {t("The snippets read the key from SWITCHBOARD_API_KEY.")}{" "}
              <a href="/console/build/api-keys">{t("Create an API key")}</a>
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
