import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { forget, invalidate, updateResource, useResource } from "../../lib/data.ts";
import { formatAgo } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { beginToolSignIn } from "../../lib/tool-sign-in.ts";
import { api, can } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { TryToolDialog } from "./try-tool.tsx";

type Server = Awaited<ReturnType<typeof getServer>>;
type Tool = Server["tools"][number];
type Mode = Server["mode"];

const getServer = (id: string) => api.GET("/v1/tools/servers/{id}", { params: { path: { id } } });

/** Names of the modes, from weak to strict. */
const modes = (): readonly (readonly [Mode, string])[] => [
  ["auto", t("Without asking")],
  ["confirm", t("The asker confirms")],
  ["approve", t("Someone else approves")],
];

/** Tool server: its sign-in, its tools with their modes, and definitions that wait for an approval. */
export function ToolServerPage({ id }: { readonly id: string }) {
  const { route } = useLocation();
  const key = `tool-servers:${id}`;
  const params = { path: { id } };
  const resource = useResource(key, () => getServer(id));
  const [isBusy, setBusy] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const [tried, setTried] = useState<Tool | null>(null);
  const server = resource.value;
  const isManager = can("tools.manage");
  const act = async (action: () => Promise<Server>, message: string) => {
    if (isBusy) return;
    setBusy(true);
    try {
      const next = await action();
      updateResource<Server>(key, () => next);
      showToast(message);
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  };
  const change = (body: Parameters<typeof api.PATCH<"/v1/tools/servers/{id}">>[1]["body"], message = t("Saved.")) =>
    act(() => api.PATCH("/v1/tools/servers/{id}", { params, body }), message);
  const check = () =>
    act(() => api.POST("/v1/tools/servers/{id}/check", { params }), t("The tools were listed again."));
  const pending = server?.tools.filter(({ status }) => status !== "approved") ?? [];
  const approved = server?.tools.filter(({ status }) => status === "approved") ?? [];
  const setMode = (tool: Tool, mode: Mode) => change({ tool_modes: { ...server?.tool_modes, [tool.name]: mode } });
  const approve = (tools: readonly Tool[]) =>
    change({ approved: Object.fromEntries(tools.map(({ name, hash }) => [name, hash])) }, t("Approved."));
  return (
    <PageLayout
      title={server?.name ?? ""}
      back={{ path: "/console/assistants/tools", label: t("Tool servers") }}
      actions={
        isManager &&
        server?.kind === "mcp" && (
          <Button kind="primary" icon="retry" disabled={isBusy} onClick={check}>
            {t("Check")}
          </Button>
        )
      }
    >
      <ResourceStatus resource={resource} />
      {server && (
        <>
          <p class="muted small mono truncate">{server.url}</p>
          <div class="row wrap">
            {!server.enabled && <Badge>{t("Disabled")}</Badge>}
            <span class="muted small">
              {server.checked_at === null
                ? t("The tools were not listed yet.")
                : t("Checked {time}", { time: formatAgo(server.checked_at) })}
            </span>
          </div>
          {server.auth.issuer !== undefined && <SignInState server={server} />}
          {server.caller_context !== null && (
            <p class="muted small">
              {t("Each call names its user, signed by {issuer} for {audience}.", server.caller_context)}
            </p>
          )}
          {Object.keys(server.bind).length > 0 && (
            <p class="muted small">
              {t("Set by the service: {arguments}", {
                arguments: Object.entries(server.bind)
                  .map((entry) => entry.join(" = "))
                  .join(", "),
              })}
            </p>
          )}
          {pending.length > 0 && (
            <section class="section">
              <div class="row between wrap">
                <h2>{t("Definitions to approve")}</h2>
                {isManager && (
                  <Button isSmall kind="primary" disabled={isBusy} onClick={() => approve(pending)}>
                    {t("Approve all")}
                  </Button>
                )}
              </div>
              <p class="muted small">
                {t("The model does not see these tools. Read what the server says before you approve it.")}
              </p>
              {pending.map((tool) => (
                <ToolCard key={tool.name} tool={tool}>
                  {isManager && (
                    <Button isSmall disabled={isBusy} onClick={() => approve([tool])}>
                      {tool.status === "removed" ? t("Forget") : t("Approve")}
                    </Button>
                  )}
                </ToolCard>
              ))}
            </section>
          )}
          <section class="section">
            <h2>{t("Tools")}</h2>
            {approved.length === 0 && <p class="muted">{t("No tool can be used yet.")}</p>}
            {approved.map((tool) => (
              <ToolCard key={tool.name} tool={tool}>
                <SelectField
                  label={t("Mode")}
                  value={server.tool_modes[tool.name] ?? server.mode}
                  options={modes()}
                  disabled={!isManager || isBusy}
                  onValue={(mode) => setMode(tool, mode)}
                />
                {isManager && (
                  <Button isSmall onClick={() => setTried(tool)}>
                    {t("Try it")}
                  </Button>
                )}
              </ToolCard>
            ))}
            {server.skipped_tools.map(({ name, reason }) => (
              <p key={name} class="muted small">
                {t("{name} cannot be used: {reason}", { name, reason })}
              </p>
            ))}
          </section>
          {isManager && (
            <div class="row wrap">
              <Button
                isSmall
                disabled={isBusy}
                onClick={() => change({ caller_context: server.caller_context === null })}
              >
                {server.caller_context === null ? t("Tell the server who calls") : t("Do not tell who calls")}
              </Button>
              <Button isSmall disabled={isBusy} onClick={() => change({ enabled: !server.enabled })}>
                {server.enabled ? t("Disable the server") : t("Enable the server")}
              </Button>
              <Button isSmall kind="danger-outline" onClick={() => setRemoving(true)}>
                {t("Delete the server")}
              </Button>
            </div>
          )}
          {tried && <TryToolDialog server={server} tool={tried} onClose={() => setTried(null)} />}
        </>
      )}
      {isRemoving && server && (
        <ConfirmDialog
          title={t("Delete the server {name}?", { name: server.name })}
          text={t("Personas continue without its tools. All sign-ins to it end.")}
          action={t("Delete")}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.DELETE("/v1/tools/servers/{id}", { params });
            forget(key);
            invalidate("tool-servers");
            route("/console/assistants/tools");
          }}
        />
      )}
    </PageLayout>
  );
}

function ToolCard({ tool, children }: { readonly tool: Tool; readonly children: preact.ComponentChildren }) {
  const { name, title, description, input_schema, hints, status } = tool;
  // The schemas of 64 tools take longer to render than the rest of the page.
  const [isOpen, setOpen] = useState(false);
  const texts = { new: t("new"), changed: t("changed"), removed: t("removed"), approved: null };
  return (
    <article class="card stack tight">
      <div class="row wrap">
        <h3>{title}</h3>
        {texts[status] && <Badge kind="warning">{texts[status]}</Badge>}
        {hints.read_only ? (
          <Badge>{t("only reads, it claims")}</Badge>
        ) : (
          hints.destructive && <Badge>{t("can destroy data")}</Badge>
        )}
      </div>
      <p class="muted small mono">{name}</p>
      {description && <p>{description}</p>}
      <details class="definition" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="small">{t("Inputs")}</summary>
        {isOpen && <pre>{JSON.stringify(input_schema, null, 2)}</pre>}
      </details>
      <div class="row wrap">{children}</div>
    </article>
  );
}

function SignInState({ server }: { readonly server: Server }) {
  const list = useResource("tool-sign-ins", () => api.GET("/v1/tools/sign-ins"));
  const state = list.value?.sign_ins.find(({ server_id }) => server_id === server.id);
  const isForAll = server.auth.type === "oauth_tenant";
  if (!state) return null;
  const isAllowed = !isForAll || can("tools.manage");
  const params = { path: { id: server.id } };
  return (
    <div class={`notice ${state.signed_in ? "" : "warning"}`}>
      <span class="grow">
        {state.signed_in
          ? isForAll
            ? t("An administrator is signed in for all users.")
            : t("You are signed in at {issuer}.", { issuer: server.auth.issuer ?? "" })
          : isForAll
            ? t("An administrator has to sign in for all users.")
            : t("You are not signed in. Each user signs in with an own account.")}
      </span>
      {isAllowed &&
        (state.signed_in ? (
          <Button
            isSmall
            onClick={async () => {
              try {
                await api.DELETE("/v1/tools/servers/{id}/sign-in", { params });
                list.reload();
              } catch (error) {
                showError(error);
              }
            }}
          >
            {t("Sign out")}
          </Button>
        ) : (
          <Button isSmall kind="primary" onClick={() => beginToolSignIn(server.id).catch(showError)}>
            {t("Sign in")}
          </Button>
        ))}
    </div>
  );
}
