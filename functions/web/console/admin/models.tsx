import { useState } from "preact/hooks";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { blocksToMarkdown } from "../../../../shared/markdown/blocks-to-markdown.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { useResource } from "../lib/data.ts";
import { formatCost, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { useModels } from "../lib/lists.ts";
import { describeError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CheckField } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";

type Model = ReplyOf<"/v1/models", "get">["models"][number];

/** Language models of the deployment, and those that the organization added. */
export function Models() {
  const list = useModels();
  return (
    <ResourcePage
      title={t("Language models")}
      intro={t("Personas and questions can name these models. Prices are US dollars per million tokens.")}
      resource={list}
      entries={list.value?.models}
      name="models"
      newText={can("models.manage") && t("New model")}
      dialog={(model, close) => <ModelDialog model={model} onClose={close} />}
      empty={{
        icon: "sparkle",
        title: t("No model yet"),
        text: t(
          "Administrators connect models with the key of a provider; the operator of the service can add further ones.",
        ),
      }}
      textOf={({ name, provider, model_id }) => `${name} ${provider} ${model_id}`}
      keyOf={({ name }) => name}
      card={(model, { edit }) => (
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
                <Button isSmall icon="edit" onClick={() => edit(model)}>
                  {t("Change")}
                </Button>
              )}
              {model.usable && <TestButton model={model.name} />}
            </div>
          )}
        </article>
      )}
    />
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

function ModelDialog({ model, onClose }: { readonly model: Model | null; readonly onClose: () => void }) {
  const readImages = model?.inputs.includes("image") ?? false;
  const groups = useResource(can("rbac.manage") ? "groups" : null, () => api.GET("/v1/groups")).value?.groups ?? [];
  const params = { path: { model: model?.name ?? "" } };
  return (
    <FormDialog
      title={model?.name ?? t("New model")}
      schema={bodySchema("/v1/models", "post")}
      value={{ ...model, $images: readImages }}
      fields={[
        !model && { name: "name", label: t("Name") },
        {
          name: "provider",
          label: t("Provider"),
          hint: t("The name that the operator gave it. Leave it empty if there is only one."),
        },
        { name: "model_id", label: t("Id of the model at its provider") },
        {
          name: "api_key",
          label: t("API key"),
          type: "password",
          hint: model?.has_key
            ? t("A key is stored. Enter another one to replace it.")
            : t("Your own key at the provider, stored encrypted. Without one, the operator's is used."),
        },
        [
          { name: "price.input", label: t("Price of a million tokens in") },
          { name: "price.output", label: t("Price of a million tokens out") },
        ],
        { name: "context_tokens", label: t("Context in tokens") },
        {
          name: "first_token_timeout_seconds",
          label: t("Seconds until the first token"),
          hint: t("Up to 840 seconds for models that think long. Leave it empty for that of the operator."),
        },
        {
          name: "unknown_fields",
          label: t("Unknown fields of API requests"),
          options: { refuse: t("Refuse"), drop: t("Leave out"), pass: t("Pass on, with a key of your own") },
        },
        { name: "reasoning_tags", label: t("Text between <think> tags is reasoning") },
        {
          name: "$images",
          label: t("It reads images"),
          render: ({ label, value, onValue }) => (
            <CheckField label={label} checked={value === true} onValue={onValue} />
          ),
        },
        groups.length > 0 && {
          name: "group_ids",
          label: t("Only for these groups"),
          options: groups.map(({ id, name }) => [id, name]),
        },
      ]}
      resource="models"
      onSave={({ name, price, api_key, provider, ...body }, get) => {
        const readsImages = get("$images") === true;
        const others = model?.inputs.filter((kind) => kind !== "image") ?? [];
        const { cached } = (model && price?.input === model.price?.input && model.price) || {};
        const values = {
          ...body,
          ...(provider && { provider }),
          ...(api_key && { api_key }),
          // Without a choice, the service knows the inputs by the id of the model.
          ...(readsImages !== readImages && { inputs: readsImages ? [...others, "image" as const] : others }),
          price: price ? { ...price, ...(cached !== undefined && { cached }) } : null,
        };
        return model
          ? api.PATCH("/v1/models/{model}", { params, body: values })
          : api.POST("/v1/models", { body: { name, ...values } });
      }}
      entity={{ path: "/v1/models", id: model?.name }}
      deletion={{ text: t("Personas that name it will use the model of their depth.") }}
      onClose={onClose}
    />
  );
}
