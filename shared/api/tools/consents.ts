import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Timestamp } from "../fields.ts";

/** Remembered consent of a user to calls of a tool by a persona. */
export const ToolConsent = v.object({
  id: v.string(),
  persona_id: Id,
  server_id: Id,
  tool: v.string(),
  conversation_id: describe(v.nullable(Id), "Null for all conversations with the persona."),
  created_at: Timestamp,
});
export type ToolConsent = v.InferOutput<typeof ToolConsent>;

const route = routeGroup({ group: "tools", auth: "jwt" });

export const listToolConsentsRoute = route("GET /v1/tools/consents", {
  id: "listToolConsents",
  replies: { 200: v.object({ consents: v.array(ToolConsent) }) },
  summary: "List the caller's remembered consents",
  description:
    "Consents that `confirmApproval` remembered. They apply to the definition of the tool at that time, end after 180 days, and do not apply after the model has read text of others, other than results of the same server.",
});

export const deleteToolConsentsRoute = route("DELETE /v1/tools/consents", {
  id: "deleteToolConsents",
  query: v.object({
    id: describe(v.optional(v.pipe(v.string(), v.maxLength(1_000))), "One consent; without it, all are forgotten."),
  }),
  summary: "Forget the caller's remembered consents",
});
