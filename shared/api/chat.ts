import * as v from "valibot";
import { defineRoute } from "./define-route.ts";
import { Id } from "./fields.ts";
import { Message, MessageText } from "./messages.ts";
import { Tier } from "./tiers.ts";

export const startChat = defineRoute({
  id: "startChat",
  group: "chat",
  method: "POST",
  path: "/v1/runtime/chat",
  auth: "jwt",
  streaming: true,
  body: v.strictObject({ conversation_id: Id, content: MessageText, tier: v.optional(Tier) }),
  replies: { 200: Message },
  errors: ["not_found", "forbidden", "model_error", "unavailable"],
  summary: "Say something and stream the assistant's reply",
  description:
    "Answers `text/event-stream`; with `Accept: application/json` the finished message. An omitted `tier` means THINKING.",
});
