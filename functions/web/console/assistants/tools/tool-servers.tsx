import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Badge } from "../../ui/status.tsx";
import { ToolServerPage } from "./tool-server.tsx";

/** List of tool servers, or one server with its tools. */
export function ToolServers({ current }: { readonly current: string | null }) {
  return current ? <ToolServerPage key={current} id={current} /> : <ServerList />;
}

function ServerList() {
  // With 64 tools in each, a hundred servers take seconds to read.
  const list = usePages(
    "tool-servers:list",
    (page) => api.GET("/v1/tools/servers", { params: { query: page } }),
    (reply) => reply.servers,
  );
  return (
    <ResourcePage
      title={t("Tool servers")}
      intro={t(
        "Personas call the tools of these servers. Each tool has a mode: free, confirmed by the asker, or approved by others.",
      )}
      resource={list}
      entries={list.entries}
      name="tool-servers"
      newText={t("New server")}
      dialog={(_, close) => <NewServerDialog onClose={close} />}
      empty={{
        icon: "bolt",
        title: t("No tool server yet"),
        text: t("Add a server of the Model Context Protocol, and name it in a persona."),
      }}
      textOf={({ name, url }) => `${name} ${url}`}
      card={({ id, name, url, enabled, tool_count, pending_count }) => (
        <a key={id} class="card stack tight" href={`/console/assistants/tools/${id}`}>
          <h2 class="truncate">{name}</h2>
          <p class="muted small truncate mono">{url}</p>
          <div class="row wrap">
            <Badge>{tn("{count} tool", "{count} tools", tool_count)}</Badge>
            {pending_count > 0 && <Badge kind="warning">{t("{count} to approve", { count: pending_count })}</Badge>}
            {!enabled && <Badge>{t("Disabled")}</Badge>}
          </div>
        </a>
      )}
    />
  );
}

interface FoundTool {
  readonly name: string;
  readonly description: string;
}

const FoundTools = ({ tools }: { readonly tools: readonly FoundTool[] }) => (
  <section class="stack tight" role="status">
    <h3>{tn("{count} tool found", "{count} tools found", tools.length)}</h3>
    <p class="muted small">{t("Saving approves these definitions. A later change needs a new approval.")}</p>
    <ul>
      {tools.map(({ name, description }) => (
        <li key={name}>
          <strong class="mono">{name}</strong> <span class="muted small">{description}</span>
        </li>
      ))}
    </ul>
  </section>
);

const isSignIn = (type: unknown) => type === "oauth_user" || type === "oauth_tenant";

function NewServerDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const [found, setFound] = useState<readonly FoundTool[] | null>(null);
  const onChange = () => {
    setFound(null);
    return {};
  };
  return (
    <FormDialog
      title={t("New server")}
      // Tools behind a sign-in can be listed after it only.
      action={(get) => (found !== null || isSignIn(get("auth.type")) ? t("Save") : t("Check"))}
      isWide
      schema={bodySchema("/v1/tools/servers", "post")}
      value={{ auth: { type: "none", header: "authorization" } }}
      fields={(get) => [
        { name: "name", label: t("Name") },
        { name: "url", label: t("Address"), type: "url", isRequired: true, onChange },
        {
          name: "auth.type",
          label: t("Sign-in"),
          options: {
            none: t("None"),
            header: t("Secret in a header"),
            oauth_user: t("Each user signs in"),
            oauth_tenant: t("An administrator signs in for all"),
          },
          onChange,
        },
        ...(get("auth.type") === "header"
          ? [
              { name: "auth.header", label: t("Header"), isRequired: true, onChange } as const,
              {
                name: "auth.secret",
                label: t("Value"),
                type: "password",
                hint: t("For example: Bearer and the token. It is stored encrypted."),
                isRequired: true,
                onChange,
              } as const,
            ]
          : []),
        isSignIn(get("auth.type")) && {
          name: "auth.client_id",
          label: t("Client ID"),
          hint: t("Only if the server does not register clients itself."),
        },
        isSignIn(get("auth.type")) &&
          get("auth.client_id") !== "" && { name: "auth.client_secret", label: t("Client secret"), type: "password" },
        found && <FoundTools tools={found} />,
      ]}
      onSave={async (body) => {
        if (found !== null || isSignIn(body.auth?.type)) return api.POST("/v1/tools/servers", { body });
        setFound((await api.POST("/v1/tools/servers", { body: { ...body, dry_run: true } })).tools);
        return null;
      }}
      onSaved={(server) => {
        if (server === null) return;
        invalidate("tool-servers");
        route(`/console/assistants/tools/${server.id}`);
      }}
      onClose={onClose}
    />
  );
}
