import { useEffect, useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatCost, formatDuration } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { upTo, useCollections, useModels, usePersonas } from "../lib/lists.ts";
import { showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { SelectField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";
import { DataTable } from "../ui/list.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { verdictKinds, verdictTexts } from "./incident-texts.ts";

type Investigation = ReplyOf<"/v1/investigations/{id}", "get">;
type Replay = ReplyOf<"/v1/investigations/{id}/replays", "get">["replays"][number];
type Runbook = NonNullable<Replay["runbook"]>;

/** The investigation itself or one of its replays. */
interface Row extends Pick<Replay, "id" | "persona_id" | "model" | "verdict" | "cause" | "usage" | "duration_ms"> {
  /** Null for the investigation. */
  readonly replay: Replay | null;
}

/** Pause between requests while a replay runs, in ms. */
const REFRESH_MS = 2_000;

const keyOf = (id: string) => `investigations:replays:${id}`;

/** Replays of a finished investigation next to it: what another persona, model or runbook would have found, at which cost. */
export function Replays({ investigation }: { readonly investigation: Investigation }) {
  const { id, started_at, ended_at } = investigation;
  const [isReplaying, setReplaying] = useState(false);
  const personas = usePersonas();
  const resource = useResource(keyOf(id), () =>
    api.GET("/v1/investigations/{id}/replays", { params: { path: { id } } }),
  );
  const replays = resource.value?.replays ?? [];
  const isRunning = replays.some(({ status }) => status === "queued");
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(resource.reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isRunning, resource.reload]);
  const rows: Row[] = [
    { ...investigation, replay: null, duration_ms: Date.parse(ended_at ?? "") - Date.parse(started_at ?? "") || null },
    ...replays.map((replay) => ({ ...replay, replay })),
  ];
  const nameOf = (personaId: string | null) =>
    personas.value?.personas.find(({ id }) => id === personaId)?.name ??
    (personaId === null ? "" : t("Another persona"));
  return (
    <section class="section stack tight">
      <div class="row wrap">
        <h2 class="grow">{t("Replays")}</h2>
        <Button isSmall icon="retry" onClick={() => setReplaying(true)}>
          {t("Replay")}
        </Button>
      </div>
      <p class="small muted">
        {t(
          "Compare another persona, model or runbook before you change it. No tool is called: recorded results are used.",
        )}
      </p>
      <ResourceStatus resource={resource} lines={2} />
      {replays.length > 0 && (
        <DataTable
          rows={rows}
          keyOf={(row) => row.id}
          columns={[
            { label: t("Started"), cell: ({ replay }) => (replay ? formatAgo(replay.created_at) : t("Investigation")) },
            {
              label: t("With"),
              cell: ({ replay, persona_id, model }) => (
                <span class="target">
                  <span class="truncate">{nameOf(persona_id)}</span>
                  <span class="truncate small muted">{model}</span>
                  {replay?.runbook && <RunbookTitle runbook={replay.runbook} />}
                </span>
              ),
            },
            { label: t("Verdict"), cell: (row) => <VerdictOf row={row} /> },
            {
              label: t("Cost"),
              className: "number",
              cell: ({ usage }) => (typeof usage?.cost_usd === "number" ? formatCost(usage.cost_usd) : "–"),
            },
            {
              label: t("Time"),
              className: "number",
              cell: ({ duration_ms }) => (duration_ms === null ? "–" : formatDuration(duration_ms)),
            },
          ]}
        />
      )}
      {isReplaying && <ReplayDialog investigation={investigation} onClose={() => setReplaying(false)} />}
    </section>
  );
}

/** Finding of a replay, and whether it is that of the investigation. */
function VerdictOf({ row: { replay, verdict, cause } }: { readonly row: Row }) {
  if (replay?.status === "queued") return <Badge>{t("is running")}</Badge>;
  return (
    <span class="stack tight">
      <span class="row wrap">
        {verdict && <Badge kind={verdictKinds[verdict]}>{verdictTexts()[verdict]}</Badge>}
        {replay && !verdict && <Badge kind="danger">{replay.status === "stopped" ? t("stopped") : t("failed")}</Badge>}
        {replay?.is_same_verdict === true && <span class="small muted">{t("as in the investigation")}</span>}
        {replay?.is_same_verdict === false && <span class="small">{t("different")}</span>}
      </span>
      {cause && <span class="small">{cause}</span>}
      {replay && !verdict && <span class="small muted">{describeEnd(replay)}</span>}
    </span>
  );
}

/** Says why a replay has no verdict. */
function describeEnd({ reason, missing }: Replay): string {
  if (reason === "missing_recording") {
    return t("It called a tool in a way that the investigation had not: {call}", { call: missing ?? "" });
  }
  if (reason === "budget") return t("The budget of the channel is used up.");
  return describeCode({ code: reason ?? "", message: t("The replay could not be completed.") });
}

function RunbookTitle({ runbook: { collection_id, document_id } }: { readonly runbook: Runbook }) {
  const path = { id: collection_id, document_id };
  const document = useResource(`documents:one:${document_id}`, () =>
    api.GET("/v1/knowledge/collections/{id}/documents/{document_id}", { params: { path } }),
  );
  const title = document.value?.title ?? (document.error === null ? "…" : t("a document that you cannot read"));
  return (
    <a class="truncate small" href={`/console/knowledge/${collection_id}/${document_id}`}>
      {t("Runbook: {title}", { title })}
    </a>
  );
}

function ReplayDialog({
  investigation: { id },
  onClose,
}: {
  readonly investigation: Investigation;
  readonly onClose: () => void;
}) {
  const [persona, setPersona] = useState("");
  const [model, setModel] = useState("");
  const [collection, setCollection] = useState("");
  const [document, setDocument] = useState("");
  const personas = usePersonas().value?.personas ?? [];
  const models = (useModels().value?.models ?? []).filter(({ usable }) => usable);
  const collections = useCollections().value?.collections ?? [];
  const query = { limit: 100 };
  const documents = useResource(collection === "" ? null : `documents:titles:${collection}`, () =>
    upTo(api.list("/v1/knowledge/collections/{id}/documents", { params: { path: { id: collection }, query } })),
  );
  const asBefore = ["", t("As in the investigation")] as const;
  const runbook = document === "" ? null : { collection_id: collection, document_id: document };
  return (
    <EditDialog
      title={t("Replay the investigation")}
      action={t("Replay")}
      canSave={collection === "" || document !== ""}
      onClose={onClose}
      onSave={async () => {
        await api.POST("/v1/investigations/{id}/replays", {
          params: { path: { id } },
          body: { persona_id: persona || null, model: model || null, runbook },
        });
        invalidate(keyOf(id));
        showToast(t("The replay has started. Its tokens count against the budget of the channel."));
      }}
    >
      <SelectField
        label={t("Persona")}
        name="persona_id"
        value={persona}
        onValue={setPersona}
        options={[asBefore, ...personas.map(({ id, name }) => [id, name] as const)]}
      />
      <SelectField
        label={t("Language model")}
        name="model"
        value={model}
        onValue={setModel}
        options={[asBefore, ...models.map(({ name }) => [name, name] as const)]}
      />
      <SelectField
        label={t("Collection of another runbook")}
        value={collection}
        onValue={(next) => {
          setCollection(next);
          setDocument("");
        }}
        options={[asBefore, ...collections.map(({ id, name }) => [id, name] as const)]}
      />
      {collection !== "" && (
        <SelectField
          label={t("Runbook")}
          name="runbook"
          value={document}
          onValue={setDocument}
          options={[
            ["", documents.value ? t("Choose a document") : t("Loading")] as const,
            ...(documents.value ?? []).map(({ id, title }) => [id, title] as const),
          ]}
        />
      )}
    </EditDialog>
  );
}
