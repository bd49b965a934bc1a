import * as v from "valibot";
import { defineRoute } from "../define-route.ts";

/** Endpoints of earlier versions that are no more: each answers 410 and names its successor. */
const removed = {
  group: "legacy",
  method: "ANY",
  auth: "none",
  idempotency: "none",
  replies: { 410: null },
  errors: ["gone"],
} as const;

const successor = (path: string) => ({ link: `<${path}>; rel="successor-version"` });

export const refuseChatStream = defineRoute({
  ...removed,
  id: "refuseChatStream",
  path: "/v1/chat/stream",
  headers: successor("/v1/runtime/chat"),
  summary: "Removed: chat stream",
  description: "Use POST /v1/runtime/chat.",
});

export const refuseCompletions = defineRoute({
  ...removed,
  id: "refuseCompletions",
  path: "/v1/completions",
  headers: successor("/openai/v1/chat/completions"),
  summary: "Removed: completions",
  description: "Use POST /openai/v1/chat/completions.",
});

const assistants = {
  ...removed,
  headers: successor("/v1/personas"),
  description: "Assistants are personas now: use /v1/personas.",
} as const;

export const refuseAssistants = defineRoute({
  ...assistants,
  id: "refuseAssistants",
  path: "/v1/assistants",
  summary: "Removed: assistants",
});

export const refuseAssistant = defineRoute({
  ...assistants,
  id: "refuseAssistant",
  path: "/v1/assistants/{path+}",
  params: v.object({ path: v.string() }),
  summary: "Removed: one assistant",
});
