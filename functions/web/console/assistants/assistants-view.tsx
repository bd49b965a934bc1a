import { AreaView, type SectionViews } from "../area-view.tsx";
import { NotFound } from "../ui/status.tsx";
import { TestRunPage } from "./evaluations/test-run.tsx";
import { TestSetPage } from "./evaluations/test-set.tsx";
import { PersonaEditor } from "./persona-editor.tsx";
import { Personas } from "./personas.tsx";
import { Templates } from "./templates.tsx";
import { ToolServers } from "./tools/tool-servers.tsx";
import { WidgetKeys } from "./widget-keys.tsx";
import { WidgetVisitors } from "./widget-visitors.tsx";

export { AnswerItemDialog } from "./evaluations/answer-item-dialog.tsx";

const views: SectionViews = {
  "test-sets": ({ id }) => (id ? <TestSetPage key={id} id={id} /> : <NotFound />),
  "test-runs": ({ id }) => (id ? <TestRunPage key={id} id={id} /> : <NotFound />),
  personas: ({ id }) => (id ? <PersonaEditor key={id} id={id === "new" ? null : id} /> : <Personas />),
  templates: Templates,
  tools: ({ id }) => <ToolServers current={id} />,
  widget: ({ id }) => (id ? <WidgetVisitors key={id} id={id} /> : <WidgetKeys />),
};

/** Area with personas, templates, tool servers and the widget. */
export const AssistantsView = () => (
  <AreaView name="assistants" views={views} parents={{ "test-sets": "personas", "test-runs": "personas" }} />
);
