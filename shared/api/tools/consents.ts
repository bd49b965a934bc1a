import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Id, Timestamp } from "../fields.ts";

/** Remembered consent of a user to calls of a tool by a persona. */
export const ToolConsent = v.object({
  persona_id: Id,
  server_id: Id,
  tool: v.string(),
  conversation_id: v.pipe(v.nullable(Id), v.description("Null for all conversations with the persona.")),
  created_at: Timestamp,
});
export type ToolConsent = v.InferOutput<typeof ToolConsent>;

export const listToolConsentsRoute = defineRoute({
  group: "tools",
  auth: "jwt",
  id: "listToolConsents",
  method: "GET",
  path: "/v1/tools/consents",
  replies: { 200: v.object({ consents: v.array(ToolConsent) }) },
  summary: "List the caller's remembered consents",
  description:
    "Consents that `confirmApproval` remembered. They apply to the definition of the tool at that time, end after 180 days, and do not apply after the model has read text of others.",
});

export const deleteToolConsentsRoute = defineRoute({
  group: "tools",
  auth: "jwt",
  id: "deleteToolConsents",
  method: "DELETE",
  path: "/v1/tools/consents",
  replies: { 204: null },
  summary: "Forget the caller's remembered consents",
});
