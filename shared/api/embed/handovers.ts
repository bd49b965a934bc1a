import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import {
  Cursor,
  describe,
  Email,
  Id,
  Integer,
  Limit,
  lineOf,
  nonEmptyText,
  pageOf,
  Timestamp,
  textOfAtMost,
  UserId,
} from "../fields.ts";
import { SessionId } from "./embed.ts";
import { EmbedMessage } from "./embed-message.ts";
import { VisitorEntries } from "./visitor-form.ts";

const HandoverStatus = describe(
  v.picklist(["waiting", "missed", "claimed", "returned", "closed"]),
  "`waiting` for a person; `missed`: no person answered in time, and the assistant answers again; `claimed` by a person; `returned` to the assistant; `closed` by the person, and the assistant answers again.",
);
export type HandoverStatus = v.InferOutput<typeof HandoverStatus>;

const After = v.object({
  after: describe(
    v.optional(Id),
    "The id of the last message that the caller has. By default, the latest 100 are returned.",
  ),
});

/** Hand-over of a session to a person, as its visitor sees it. */
export const EmbedHandover = v.object({
  status: HandoverStatus,
  place: describe(v.nullable(Integer), "While waiting: the place in the queue of the website, from 1."),
  person: describe(
    v.nullable(v.object({ name: v.nullable(v.string()) })),
    "The person who has the session. The name is null if the website does not show names.",
  ),
  is_typing: v.boolean(),
  has_contact: describe(v.boolean(), "True if the visitor left an address."),
});
export type EmbedHandover = v.InferOutput<typeof EmbedHandover>;

const embedRoute = routeGroup({ group: "embed", auth: "embed-key", params: v.object({ id: SessionId }) });
const sessionErrors = ["origin_not_allowed", "not_found", "session_expired", "visitor_not_verified"] as const;

export const getEmbedHandoverRoute = embedRoute("GET /v1/embed/sessions/{id}/handover", {
  id: "getEmbedHandover",
  query: After,
  replies: { 200: v.object({ handover: v.nullable(EmbedHandover), messages: v.array(EmbedMessage) }) },
  errors: sessionErrors,
  summary: "Get the hand-over of a widget session",
  description:
    "Returns whether the session is with a person, and the messages after `after`; of a session that was never handed over, null and no messages. Widgets call it every few seconds while a visitor waits or talks to a person.",
});

export const requestEmbedHandoverRoute = embedRoute("PUT /v1/embed/sessions/{id}/handover", {
  id: "requestEmbedHandover",
  body: v.strictObject({
    contact_email: describe(
      v.optional(Email),
      "The address that the visitor agrees to leave, for an answer if no person is there.",
    ),
  }),
  replies: { 200: EmbedHandover },
  errors: [...sessionErrors, "forbidden"],
  summary: "Ask for a person",
  description:
    "Only for keys with `handover`. From then on, messages are stored for a person, and the assistant does not answer, until the person returns the session, the visitor does, or the minutes of the key have passed. Outside of the opening hours, the status is `missed` at once. Emits `handover.requested`.",
});

export const endEmbedHandoverRoute = embedRoute("DELETE /v1/embed/sessions/{id}/handover", {
  id: "endEmbedHandover",
  errors: sessionErrors,
  summary: "Go back to the assistant",
  description: "The visitor no longer waits for a person or talks to one. Does nothing if neither is the case.",
});

/** Hand-over of a session to a person, as persons see it. */
export const Handover = v.object({
  id: describe(Id, "The id of the visitor's session for its owner."),
  key_id: Id,
  site: describe(v.string(), "The name of the embed key."),
  persona_id: describe(v.nullable(Id), "The persona of the session."),
  status: HandoverStatus,
  reason: describe(
    v.picklist(["visitor", "assistant", "word", "unanswered"]),
    "Why a person was asked for: the visitor or the assistant asked, a word of the key's list, or answers without a source.",
  ),
  question: describe(v.string(), "The first 200 characters of the visitor's latest message."),
  visitor: describe(
    v.nullable(v.object({ id: v.string(), email: v.nullable(v.string()) })),
    "The visitor as the website's token names it. Null without one.",
  ),
  form: describe(v.nullable(VisitorEntries), "The values that the visitor entered before the chat."),
  contact_email: describe(v.nullable(v.string()), "The address that the visitor left."),
  person: v.nullable(v.object({ user_id: v.string(), name: v.nullable(v.string()) })),
  note: describe(v.string(), "The internal note. Neither the visitor nor the assistant sees it."),
  outcome: v.nullable(v.string()),
  last_message_id: describe(v.nullable(Id), "The latest message since the request, of visitor or person."),
  requested_at: Timestamp,
  waits_until: Timestamp,
  claimed_at: v.nullable(Timestamp),
  ended_at: v.nullable(Timestamp),
});
export type Handover = v.InferOutput<typeof Handover>;

const route = routeGroup({ group: "handovers", auth: "jwt", capability: "visitors.answer" });

export const listHandoversRoute = route("GET /v1/handovers", {
  id: "listHandovers",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("handovers", Handover) },
  summary: "List hand-overs",
  description: "Returns the sessions that wait for a person, waited in vain, or are with one, oldest first.",
});

export const getHandoverRoute = route("GET /v1/handovers/{id}", {
  id: "getHandover",
  query: After,
  replies: { 200: v.object({ handover: Handover, messages: v.array(EmbedMessage) }) },
  summary: "Get a hand-over with its conversation",
});

export const updateHandoverRoute = route("PATCH /v1/handovers/{id}", {
  id: "updateHandover",
  // Persons answer in their own name.
  keys: "on_behalf",
  body: v.strictObject({
    status: describe(
      v.optional(v.picklist(["claimed", "returned", "closed"])),
      "`claimed`: the caller takes the session, and an answer of the assistant in progress is stopped. `returned`: the assistant continues. `closed`: the matter is settled.",
    ),
    take_over_from: describe(v.optional(UserId), "With `claimed`: the person who has the session until now."),
    outcome: describe(v.optional(lineOf(500)), "With `returned` and `closed`: the reason."),
    note: v.optional(textOfAtMost(4_000)),
    is_typing: describe(v.optional(v.literal(true)), "The visitor sees for six seconds that the person is typing."),
  }),
  replies: { 200: Handover },
  errors: ["conflict"],
  summary: "Claim, return or close a hand-over",
  description:
    "Returns 409 `conflict` if another person has the session. Emits `handover.claimed`, `handover.returned` or `handover.closed`.",
});

export const sendHandoverMessageRoute = route("POST /v1/handovers/{id}/messages", {
  id: "sendHandoverMessage",
  keys: "on_behalf",
  body: v.strictObject({ content: nonEmptyText(8_000) }),
  replies: { 201: EmbedMessage },
  errors: ["conflict"],
  summary: "Answer a visitor",
  description: "Only for the person who claimed the session; 409 `conflict` for others. `content` is Markdown.",
});
