import type { Persona } from "../../../../../shared/api/personas/persona.ts";
import { useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useGateStop } from "./gate-stop.tsx";

/** Form that publishes a version to everybody, to groups or to a share of conversations. */
export function PublishVersionDialog({
  persona,
  version,
  onClose,
}: {
  readonly persona: Persona;
  readonly version: number;
  readonly onClose: () => void;
}) {
  const rollout = persona.rollouts.find((each) => each.version === version);
  const groups = useResource("groups", () => api.GET("/v1/groups")).value?.groups ?? [];
  const path = { id: persona.id, version: String(version) };
  const { guard, link, overrideField } = useGateStop();
  return (
    <FormDialog
      title={t("Publish version {number}", { number: version })}
      action={t("Publish")}
      schema={bodySchema("/v1/personas/{id}/versions/{version}/publish", "post")}
      value={{ ...rollout, $audience: rollout ? "some" : "all" }}
      fields={(get) => [
        {
          name: "$audience",
          label: t("Who gets this version"),
          options: { all: t("Everyone"), some: t("Groups, or a share of conversations") },
        },
        get("$audience") === "some" &&
          groups.length > 0 && {
            name: "group_ids",
            label: t("Groups"),
            hint: t("Their members get no other version."),
            options: groups.map(({ id, name }) => [id, name]),
            isSearched: true,
          },
        get("$audience") === "some" && {
          name: "percent",
          label: t("Percent of the other conversations"),
          hint: t("1 to 99. Each conversation stays with its version. Only one version has a share."),
        },
        overrideField,
      ]}
      canSave={(get) =>
        get("$audience") !== "some" || String(get("percent") ?? "") !== "" || (get("group_ids") as string[]).length > 0
      }
      resource="persona"
      savedText={t("Published.")}
      onSave={(body) =>
        guard(() => api.POST("/v1/personas/{id}/versions/{version}/publish", { params: { path }, body }))
      }
      onClose={onClose}
    >
      {link}
      {persona.rollouts.length > 0 && (
        <p class="muted">{t("If everyone gets the version, publications to groups and shares end.")}</p>
      )}
    </FormDialog>
  );
}
