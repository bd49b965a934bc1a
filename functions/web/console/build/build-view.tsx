import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { buildSections, isBuildSection } from "../navigation.ts";
import { SectionPanel } from "../ui/layout.tsx";
import { NotAllowed, NotFound } from "../ui/status.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { EventEndpoints } from "./events/event-endpoints.tsx";
import { Memories } from "./memory/memories.tsx";
import { Notes } from "./memory/notes.tsx";
import { Models } from "./models.tsx";
import { PersonaEditor } from "./persona-editor.tsx";
import { Personas } from "./personas.tsx";
import { SlackWorkspaces } from "./slack/slack-workspaces.tsx";
import { TeamsWorkspaces } from "./teams/teams-workspaces.tsx";
import { Templates } from "./templates.tsx";
import { ToolServers } from "./tools/tool-servers.tsx";
import { Webhooks } from "./webhooks.tsx";
import { WidgetKeys } from "./widget-keys.tsx";
import { WidgetVisitors } from "./widget-visitors.tsx";

/** View with personas, templates, memories, notes, widget keys, API keys, tool servers, webhooks and events. */
export function BuildView() {
  const { section, id } = useRoute().params;
  const { route } = useLocation();
  const sections = buildSections();
  const isWide = matchMedia("(min-width: 761px)").matches;
  useEffect(() => {
    if (!section && isWide) route("/console/build/personas", true);
  }, [section, isWide, route]);
  const path = `/console/build/${section ?? "personas"}`;
  const isAllowed = sections.some((each) => each.path === path);
  return (
    <div class={`split ${section ? "detail" : "list"}`}>
      <SectionPanel title={t("Build")} sections={sections} current={path} isOnly={!section} />
      {!isBuildSection(path) ? (
        <NotFound />
      ) : !isAllowed ? (
        <NotAllowed />
      ) : section === "templates" ? (
        <Templates />
      ) : section === "memories" ? (
        <Memories />
      ) : section === "notes" ? (
        <Notes />
      ) : section === "widget" ? (
        id ? (
          <WidgetVisitors key={id} id={id} />
        ) : (
          <WidgetKeys />
        )
      ) : section === "api-keys" ? (
        <ApiKeys />
      ) : section === "models" ? (
        <Models />
      ) : section === "tools" ? (
        <ToolServers current={id ?? null} />
      ) : section === "slack" ? (
        <SlackWorkspaces current={id ?? null} />
      ) : section === "teams" ? (
        <TeamsWorkspaces current={id ?? null} />
      ) : section === "events" ? (
        <EventEndpoints current={id ?? null} />
      ) : section === "webhooks" ? (
        <Webhooks current={id ?? null} />
      ) : id ? (
        <PersonaEditor key={id} id={id === "new" ? null : id} />
      ) : (
        <Personas />
      )}
    </div>
  );
}
