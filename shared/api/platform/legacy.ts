import * as v from "valibot";
import { defineRoute } from "../define-route.ts";

/** Removed endpoints of earlier versions. Each returns 410 and names its successor. */
const removed = {
  group: "legacy",
  method: "ANY",
  auth: "none",
  idempotency: "none",
  replies: { 410: null },
  errors: ["gone"],
} as const;

const successor = (path: string) => ({ link: `<${path}>; rel="successor-version"` });

export const refuseChatStreamRoute = defineRoute({
  ...removed,
  id: "refuseChatStream",
  path: "/v1/chat/stream",
  headers: successor("/v1/runtime/chat"),
  summary: "Stream a chat (removed)",
  description: "Returns 410. Use `POST /v1/runtime/chat` instead.",
});

export const refuseCompletionsRoute = defineRoute({
  ...removed,
  id: "refuseCompletions",
  path: "/v1/completions",
  headers: successor("/openai/v1/chat/completions"),
  summary: "Create a completion (removed)",
  description: "Returns 410. Use `POST /openai/v1/chat/completions` instead.",
});

const assistants = {
  ...removed,
  headers: successor("/v1/personas"),
  description: "Returns 410. Use `/v1/personas` instead.",
} as const;

export const refuseAssistantsRoute = defineRoute({
  ...assistants,
  id: "refuseAssistants",
  path: "/v1/assistants",
  summary: "List assistants (removed)",
});

export const refuseAssistantRoute = defineRoute({
  ...assistants,
  id: "refuseAssistant",
  path: "/v1/assistants/{path+}",
  params: v.object({ path: v.string() }),
  summary: "Get an assistant (removed)",
});
