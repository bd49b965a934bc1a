import { useState } from "preact/hooks";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { blocksToMarkdown } from "../../../../shared/markdown/blocks-to-markdown.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatCost, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { useModels } from "../lib/lists.ts";
import { describeError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";
import { ListPage } from "../ui/list.tsx";
import { Badge } from "../ui/status.tsx";

type Model = ReplyOf<"/v1/models", "get">["models"][number];

/** Language models of the deployment, and those that the organization added. */
export function Models() {
  const list = useModels();
  const [editing, setEditing] = useState<Model | "new" | null>(null);
  const models = list.value?.models ?? [];
  return (
    <ListPage
      title={t("Language models")}
      intro={t("Personas and questions can name these models. Prices are US dollars per million tokens.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={models.length}
      create={
        can("models.manage") && (
          <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
            {t("New model")}
          </Button>
        )
      }
      empty={{
        icon: "sparkle",
        title: t("No model yet"),
        text: t(
          "Administrators connect models with the key of a provider; the operator of the service can add further ones.",
        ),
      }}
    >
      <div class="cards">
        {models.map((model) => (
          <article key={model.name} class="card stack tight">
            <h2>{model.name}</h2>
            <p class="muted small">
              {[model.provider === "default" ? null : model.provider, model.model_id].filter(Boolean).join(" · ")}
            </p>
            <p class="muted small">
              {[
                t("{count} tokens of context", { count: formatNumber(model.context_tokens) }),
                model.price
                  ? t("{input} in, {output} out", {
                      input: formatCost(model.price.input),
                      output: formatCost(model.price.output),
                    })
                  : t("no known price"),
              ].join(" · ")}
            </p>
            <div class="row wrap">
              {model.source === "deployment" && <Badge>{t("from the operator")}</Badge>}
              {model.has_key && <Badge kind="accent">{t("own key")}</Badge>}
              {model.group_ids.length > 0 && <Badge>{t("some groups only")}</Badge>}
              {model.choosable_with?.length === 0 && <Badge>{t("not to choose in chats")}</Badge>}
              {!model.usable && <Badge>{t("not for you")}</Badge>}
              {model.inputs.includes("image") && <Badge>{t("reads images")}</Badge>}
            </div>
            {can("models.manage") && (
              <div class="row">
                {model.source === "tenant" && (
                  <Button isSmall icon="edit" onClick={() => setEditing(model)}>
                    {t("Change")}
                  </Button>
                )}
                {model.usable && <TestButton model={model.name} />}
              </div>
            )}
          </article>
        ))}
      </div>
      {editing && <ModelDialog model={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
    </ListPage>
  );
}

/** Asks a model in a temporary conversation. @returns its answer */
async function askModel(model: string): Promise<string> {
  const { id } = await api.POST("/v1/conversations", { body: { title: null, temporary: true } });
  try {
    const request = { conversation_id: id, content: t("Answer with one word: are you there?"), model };
    for await (const { type, data } of api.chat({ ...request, tier: "QUICK" })) {
      if (type === "assistant_message" && data.final) return blocksToMarkdown(data.content);
      if (type === "error") throw new Error(describeCode(data));
    }
    return "";
  } finally {
    await api.DELETE("/v1/conversations/{id}", { params: { path: { id } } }).catch(() => {});
  }
}

/** Button that asks a model a question, to find a wrong key or id before people do. */
function TestButton({ model }: { readonly model: string }) {
  const [state, setState] = useState<{ readonly text: string; readonly isError: boolean } | "running" | null>(null);
  const test = async () => {
    setState("running");
    try {
      setState({ text: t("It answers: {text}", { text: truncate(await askModel(model)) }), isError: false });
    } catch (error) {
      const text = error instanceof Error && !isProblem(error) ? error.message : describeError(error);
      setState({ text, isError: true });
    }
  };
  return (
    <span class="stack tight">
      <span>
        <Button isSmall disabled={state === "running"} onClick={test}>
          {state === "running" ? t("Asking…") : t("Test")}
        </Button>
      </span>
      {state !== null && state !== "running" && (
        <span class={`small ${state.isError ? "error" : "muted"}`} role={state.isError ? "alert" : "status"} dir="auto">
          {state.text}
        </span>
      )}
    </span>
  );
}

const truncate = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Returns the number in a field; null if the field is empty. */
const toNumber = (text: string) => (text.trim() === "" ? null : Number(text));

function ModelDialog({ model, onClose }: { readonly model: Model | null; readonly onClose: () => void }) {
  const [name, setName] = useState(model?.name ?? "");
  const [provider, setProvider] = useState(model?.provider ?? "");
  const [modelId, setModelId] = useState(model?.model_id ?? "");
  const [contextTokens, setContextTokens] = useState(String(model?.context_tokens ?? ""));
  const [input, setInput] = useState(String(model?.price?.input ?? ""));
  const [output, setOutput] = useState(String(model?.price?.output ?? ""));
  const readImages = model?.inputs.includes("image") ?? false;
  const [readsImages, setReadsImages] = useState(readImages);
  const [timeout, setTimeout] = useState(String(model?.first_token_timeout_seconds ?? ""));
  const [unknownFields, setUnknownFields] = useState<Model["unknown_fields"]>(model?.unknown_fields ?? "refuse");
  const [reasoningTags, setReasoningTags] = useState(model?.reasoning_tags ?? true);
  const [key, setKey] = useState("");
  const [groupIds, setGroupIds] = useState<readonly string[]>(model?.group_ids ?? []);
  const groups = useResource(can("rbac.manage") ? "groups" : null, () => api.GET("/v1/groups"));
  const params = { path: { model: model?.name ?? "" } };
  const save = async () => {
    const { cached } = (model && input === String(model.price?.input) && model.price) || {};
    const price =
      input === "" && output === ""
        ? null
        : { input: Number(input), output: Number(output), ...(cached !== undefined && { cached }) };
    const others = model?.inputs.filter((kind) => kind !== "image") ?? [];
    const body = {
      ...(provider.trim() && { provider: provider.trim() }),
      model_id: modelId.trim(),
      context_tokens: toNumber(contextTokens),
      // Without a choice, the service knows the inputs by the id of the model.
      ...(readsImages !== readImages && { inputs: readsImages ? [...others, "image" as const] : others }),
      price,
      first_token_timeout_seconds: toNumber(timeout),
      unknown_fields: unknownFields,
      reasoning_tags: reasoningTags,
      group_ids: [...groupIds],
      ...(key && { api_key: key }),
    };
    if (model) await api.PATCH("/v1/models/{model}", { params, body });
    else await api.POST("/v1/models", { body: { name: name.trim(), ...body } });
    invalidate("models");
  };
  return (
    <EditDialog
      title={model?.name ?? t("New model")}
      deletion={
        model && {
          title: t("Delete {name}?", { name: model.name }),
          text: t("Personas that name it will use the model of their depth."),
          onConfirm: async () => {
            await api.DELETE("/v1/models/{model}", { params });
            invalidate("models");
          },
        }
      }
      onSave={save}
      onClose={onClose}
    >
      {!model && (
        <TextField label={t("Name")} name="name" value={name} onValue={setName} maxLength={63} required autoFocus />
      )}
      <TextField
        label={t("Provider")}
        name="provider"
        hint={t("The name that the operator gave it. Leave it empty if there is only one.")}
        value={provider}
        onValue={setProvider}
        maxLength={200}
      />
      <TextField
        label={t("Id of the model at its provider")}
        name="model_id"
        value={modelId}
        onValue={setModelId}
        maxLength={200}
        required
      />
      <TextField
        label={t("API key")}
        name="api_key"
        type="password"
        hint={
          model?.has_key
            ? t("A key is stored. Enter another one to replace it.")
            : t("Your own key at the provider, stored encrypted. Without one, the operator's is used.")
        }
        value={key}
        onValue={setKey}
        maxLength={500}
      />
      <div class="pair">
        <TextField
          label={t("Price of a million tokens in")}
          name="price.input"
          type="number"
          value={input}
          onValue={setInput}
        />
        <TextField
          label={t("Price of a million tokens out")}
          name="price.output"
          type="number"
          value={output}
          onValue={setOutput}
        />
      </div>
      <TextField
        label={t("Context in tokens")}
        name="context_tokens"
        type="number"
        value={contextTokens}
        onValue={setContextTokens}
      />
      <TextField
        label={t("Seconds until the first token")}
        name="first_token_timeout_seconds"
        type="number"
        hint={t("Up to 840 seconds for models that think long. Leave it empty for that of the operator.")}
        value={timeout}
        onValue={setTimeout}
      />
      <SelectField
        label={t("Unknown fields of API requests")}
        name="unknown_fields"
        value={unknownFields}
        onValue={setUnknownFields}
        options={[
          ["refuse", t("Refuse")],
          ["drop", t("Leave out")],
          ["pass", t("Pass on, with a key of your own")],
        ]}
      />
      <CheckField
        label={t("Text between <think> tags is reasoning")}
        checked={reasoningTags}
        onValue={setReasoningTags}
      />
      <CheckField label={t("It reads images")} checked={readsImages} onValue={setReadsImages} />
      {(groups.value?.groups.length ?? 0) > 0 && (
        <fieldset class="section">
          <legend class="label">{t("Only for these groups")}</legend>
          <div class="checks">
            {groups.value?.groups.map((group) => (
              <CheckField
                key={group.id}
                label={group.name}
                checked={groupIds.includes(group.id)}
                onValue={(isOn) =>
                  setGroupIds(isOn ? [...groupIds, group.id] : groupIds.filter((id) => id !== group.id))
                }
              />
            ))}
          </div>
        </fieldset>
      )}
    </EditDialog>
  );
}
