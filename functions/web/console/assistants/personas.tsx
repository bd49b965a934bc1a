import { formatAgo } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { Icon } from "../ui/icons.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";

/** Labels of the visibilities of a persona. */
export const audienceTexts = () => ({
  private: t("Only me"),
  team: t("My groups"),
  org: t("Everyone in the organization"),
  public: t("Public"),
});

export function Personas() {
  const list = usePersonas();
  const texts = audienceTexts();
  return (
    <ResourcePage
      title={t("Personas")}
      intro={t(
        "A persona gives the assistant a role: instructions, knowledge, tools and a greeting. Published, it is a model of the OpenAI-compatible API.",
      )}
      resource={list}
      entries={list.value?.personas}
      name="personas"
      create={() => (
        <a class="button primary" href="/console/assistants/personas/new">
          <Icon name="plus" />
          {t("New persona")}
        </a>
      )}
      empty={{
        icon: "sparkle",
        title: t("No persona yet"),
        text: t("Create one for a team or a task, for example a support assistant that knows your handbook."),
      }}
      textOf={({ name, description }) => `${name} ${description}`}
      card={({ id, name, description, visibility, endpoint, updated_at }) => (
        <a key={id} class="card stack tight" href={`/console/assistants/personas/${id}`}>
          <div class="row">
            <span class="avatar" aria-hidden="true">
              {name.slice(0, 2)}
            </span>
            <h2 class="truncate">{name}</h2>
          </div>
          <p class="muted small">{description || t("No description")}</p>
          <div class="row wrap">
            <Badge>{texts[visibility]}</Badge>
            {endpoint && (
              <Badge kind={endpoint.enabled ? "success" : "warning"}>
                {endpoint.enabled ? endpoint.slug : t("disabled")}
              </Badge>
            )}
            <span class="muted small">{formatAgo(updated_at)}</span>
          </div>
        </a>
      )}
    />
  );
}
