import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { Form, FormActions } from "../../ui/form.tsx";
import { ListPage, MoreButton } from "../../ui/list.tsx";
import { Badge } from "../../ui/status.tsx";
import { ToolConsents } from "./consents.tsx";
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
  const [isCreating, setCreating] = useState(false);
  const servers = list.entries;
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t("New server")}
    </Button>
  );
  return (
    <ListPage
      title={t("Tool servers")}
      intro={t(
        "Personas call the tools of these servers. Each tool has a mode: free, confirmed by the asker, or approved by others.",
      )}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={servers.length}
      create={create}
      empty={{
        icon: "bolt",
        title: t("No tool server yet"),
        text: t("Add a server of the Model Context Protocol, and name it in a persona."),
      }}
    >
      <div class="cards">
        {servers.map(({ id, name, url, enabled, tool_count, pending_count }) => (
          <a key={id} class="card stack tight" href={`/console/build/tools/${id}`}>
            <h2 class="truncate">{name}</h2>
            <p class="muted small truncate mono">{url}</p>
            <div class="row wrap">
              <Badge>{tn("{count} tool", "{count} tools", tool_count)}</Badge>
              {pending_count > 0 && <Badge kind="warning">{t("{count} to approve", { count: pending_count })}</Badge>}
              {!enabled && <Badge>{t("Disabled")}</Badge>}
            </div>
          </a>
        ))}
      </div>
      <MoreButton list={list} />
      <ToolConsents />
      {isCreating && <NewServerDialog onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

type AuthType = "none" | "header" | "oauth_user" | "oauth_tenant";

function NewServerDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [type, setType] = useState<AuthType>("none");
  const [header, setHeader] = useState("authorization");
  const [secret, setSecret] = useState("");
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const [found, setFound] = useState<readonly { readonly name: string; readonly description: string }[] | null>(null);
  const isSignIn = type === "oauth_user" || type === "oauth_tenant";
  // Tools behind a sign-in can be listed after it only.
  const isChecked = found !== null || isSignIn;
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setFound(null);
  };
  const submit = async () => {
    const auth =
      type === "none"
        ? ({ type } as const)
        : type === "header"
          ? ({ type, header, secret } as const)
          : { type, ...(clientId && { client_id: clientId }), ...(clientSecret && { client_secret: clientSecret }) };
    const body = { name, url, auth };
    if (!isChecked) {
      setFound((await api.POST("/v1/tools/servers", { body: { ...body, dry_run: true } })).tools);
      return;
    }
    const { id } = await api.POST("/v1/tools/servers", { body });
    invalidate("tool-servers");
    route(`/console/build/tools/${id}`);
  };
  return (
    <Dialog title={t("New server")} onClose={onClose} isWide>
      <Form onSubmit={submit}>
        <TextField label={t("Name")} name="name" value={name} onValue={setName} required maxLength={60} autoFocus />
        <TextField label={t("Address")} name="url" type="url" value={url} onValue={change(setUrl)} required />
        <SelectField
          label={t("Sign-in")}
          name="auth.type"
          value={type}
          onValue={(value) => {
            setType(value);
            setFound(null);
          }}
          options={[
            ["none", t("None")],
            ["header", t("Secret in a header")],
            ["oauth_user", t("Each user signs in")],
            ["oauth_tenant", t("An administrator signs in for all")],
          ]}
        />
        {type === "header" && (
          <>
            <TextField label={t("Header")} name="auth.header" value={header} onValue={change(setHeader)} required />
            <TextField
              label={t("Value")}
              name="auth.secret"
              type="password"
              hint={t("For example: Bearer and the token. It is stored encrypted.")}
              value={secret}
              onValue={change(setSecret)}
              required
            />
          </>
        )}
        {isSignIn && (
          <>
            <TextField
              label={t("Client ID")}
              name="auth.client_id"
              hint={t("Only if the server does not register clients itself.")}
              value={clientId}
              onValue={setClientId}
            />
            {clientId !== "" && (
              <TextField
                label={t("Client secret")}
                name="auth.client_secret"
                type="password"
                value={clientSecret}
                onValue={setClientSecret}
              />
            )}
          </>
        )}
        {found !== null && (
          <section class="stack tight" role="status">
            <h3>{tn("{count} tool found", "{count} tools found", found.length)}</h3>
            <p class="muted small">{t("Saving approves these definitions. A later change needs a new approval.")}</p>
            <ul>
              {found.map((tool) => (
                <li key={tool.name}>
                  <strong class="mono">{tool.name}</strong> <span class="muted small">{tool.description}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        <FormActions>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" type="submit">
            {isChecked ? t("Save") : t("Check")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
