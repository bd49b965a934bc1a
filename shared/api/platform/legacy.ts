import * as v from "valibot";
import { routeGroup } from "../define-route.ts";

/** Removed endpoints of earlier versions. Each returns 410 and names its successor. */
const removed = {
  group: "legacy",
  auth: "none",
  idempotency: "none",
  replies: { 410: null },
  errors: ["gone"],
} as const;
const route = routeGroup(removed);

const successor = (path: string) => ({ link: `<${path}>; rel="successor-version"` });

export const refuseChatStreamRoute = route("ANY /v1/chat/stream", {
  id: "refuseChatStream",
  headers: successor("/v1/runtime/chat"),
  summary: "Stream a chat (removed)",
  description: "Returns 410. Use `POST /v1/runtime/chat` instead.",
});

export const refuseCompletionsRoute = route("ANY /v1/completions", {
  id: "refuseCompletions",
  headers: successor("/openai/v1/chat/completions"),
  summary: "Create a completion (removed)",
  description: "Returns 410. Use `POST /openai/v1/chat/completions` instead.",
});

const assistantsRoute = routeGroup({
  ...removed,
  headers: successor("/v1/personas"),
  description: "Returns 410. Use `/v1/personas` instead.",
});

export const refuseAssistantsRoute = assistantsRoute("ANY /v1/assistants", {
  id: "refuseAssistants",
  summary: "List assistants (removed)",
});

export const refuseAssistantRoute = assistantsRoute("ANY /v1/assistants/{path+}", {
  id: "refuseAssistant",
  params: v.object({ path: v.string() }),
  summary: "Get an assistant (removed)",
});
