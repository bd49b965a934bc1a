import { useState } from "preact/hooks";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { describeError, showToast } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button, CheckField, Dialog, TextField } from "../ui/controls.tsx";
import type { Persona } from "./persona-editor.tsx";
import { ApiSnippets } from "./snippets.tsx";

/** Form for the endpoint of a persona, with snippets that call it. */
export function PublishDialog({ persona, onClose }: { readonly persona: Persona; readonly onClose: () => void }) {
  const { endpoint } = persona;
  const [slug, setSlug] = useState(endpoint?.slug ?? "");
  const [isEnabled, setEnabled] = useState(endpoint?.enabled ?? true);
  const [error, setError] = useState<string | null>(null);
  const params = { path: { id: persona.id } };
  const act = async (action: () => Promise<unknown>, message: string) => {
    try {
      await action();
      invalidate("persona");
      showToast(message);
      setError(null);
    } catch (failure) {
      setError(describeError(failure));
    }
  };
  return (
    <Dialog title={t("Publish {name}", { name: persona.name })} onClose={onClose} isWide>
      <p class="muted">
        {t(
          "Published, the persona answers OpenAI clients under this model name. Later changes take effect when you publish again.",
        )}
      </p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void act(
            () =>
              api.POST("/v1/personas/{id}/publish", {
                params,
                body: { ...(slug && { slug }), enabled: isEnabled },
              }),
            t("Published."),
          );
        }}
      >
        <TextField
          label={t("Model name")}
          hint={t("Small letters, digits and hyphens. Without one, it is made from the name.")}
          value={slug}
          onValue={setSlug}
          pattern="[a-z0-9][a-z0-9\-]{0,62}"
          error={error}
          autoFocus
        />
        <CheckField
          label={t("Enabled")}
          hint={t("Disabled, the name stays reserved and requests fail.")}
          checked={isEnabled}
          onValue={setEnabled}
        />
        <div class="actions">
          {endpoint && (
            <Button
              onClick={() =>
                act(() => api.DELETE("/v1/personas/{id}/publish", { params }), t("The persona is no longer published."))
              }
            >
              {t("Unpublish")}
            </Button>
          )}
          <Button kind="primary" type="submit">
            {endpoint ? t("Publish this version") : t("Publish")}
          </Button>
        </div>
      </form>
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
