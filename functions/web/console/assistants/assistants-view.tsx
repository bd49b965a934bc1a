import { AreaView, type SectionViews } from "../area-view.tsx";
import { PersonaEditor } from "./persona-editor.tsx";
import { Personas } from "./personas.tsx";
import { Templates } from "./templates.tsx";
import { ToolServers } from "./tools/tool-servers.tsx";
import { WidgetKeys } from "./widget-keys.tsx";
import { WidgetVisitors } from "./widget-visitors.tsx";

const views: SectionViews = {
  personas: ({ id }) => (id ? <PersonaEditor key={id} id={id === "new" ? null : id} /> : <Personas />),
  templates: Templates,
  tools: ({ id }) => <ToolServers current={id} />,
  widget: ({ id }) => (id ? <WidgetVisitors key={id} id={id} /> : <WidgetKeys />),
};

/** Area with personas, templates, tool servers and the widget. */
export const AssistantsView = () => <AreaView name="assistants" views={views} />;
