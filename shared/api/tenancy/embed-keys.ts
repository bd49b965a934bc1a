import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { HandoverSettings } from "../embed/handover-settings.ts";
import { VisitorForm } from "../embed/visitor-form.ts";
import { describe, Id, lineOf, Origin, Timestamp, wholeNumber } from "../fields.ts";
import { MAX_TOOLS_PER_SERVER, ServerToolName } from "../tools/tool-server.ts";

const Name = lineOf(100);

const Origins = v.pipe(
  v.array(Origin),
  v.minLength(1, "must name at least one origin"),
  v.maxLength(50, "must name at most 50 origins"),
);

/** Theme of the widget: CSS custom properties and texts by name. */
const Theme = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.regex(/^[a-z][a-z0-9_-]{0,40}$/, "must be 1 to 41 characters from a-z, 0-9, _ and -, starting with a letter"),
    ),
    v.pipe(v.string(), v.maxLength(200)),
  ),
  v.check((theme) => Object.keys(theme).length <= 40, "must have at most 40 entries"),
);

const SessionDays = wholeNumber(0, 365);

/** Tokens a day of all visitors of a website, until the owner changes the limit. */
export const DEFAULT_DAILY_TOKENS = 5_000_000;

const DailyTokens = wholeNumber(0, 1_000_000_000_000);

/** Tools of a server that the assistant can call for visitors. */
const VisitorTools = v.strictObject({
  server_id: Id,
  tools: v.pipe(
    v.array(ServerToolName),
    v.minLength(1, "must name at least one tool"),
    v.maxLength(MAX_TOOLS_PER_SERVER, `must name at most ${MAX_TOOLS_PER_SERVER} tools`),
  ),
  visitors: describe(
    v.optional(v.picklist(["signed", "anyone"]), "signed"),
    "`signed`: only visitors whom a token of the website names, as long as it is valid. `anyone`: all visitors.",
  ),
});

const Tools = describe(
  v.pipe(v.array(VisitorTools), v.maxLength(8, "must name at most 8 servers")),
  "Tools that the assistant can call for visitors. Those in `trusted_tools` of their server with the mode `auto` run without a question; before others, the visitor is asked in the widget, in the mode `confirm` always, in the mode `auto` after the assistant has read text of others. Tools with the mode `approve`, and those of a server with sign-in of users, are refused. Calls need a persona with a tier above QUICK.",
);

const Handover = describe(
  v.nullable(HandoverSettings),
  "With which visitors can be handed over to a person who has `visitors.answer`. Null if they cannot.",
);

const Form = describe(
  v.nullable(VisitorForm),
  "The form that visitors fill in before they start a chat. Their values are stored with the session, and sent to persons and tools. Null for none.",
);

/** Key for the chat widget on a website. */
export const EmbedKey = v.object({
  id: v.string(),
  name: v.string(),
  /** Start of the key, `swe_<slug>`; `shared/auth/credentials.ts` has the whole format. */
  key_prefix: v.string(),
  persona_id: v.nullable(Id),
  allowed_origins: v.array(v.string()),
  theme: v.record(v.string(), v.string()),
  require_signed_visitor: v.boolean(),
  attachments: describe(v.boolean(), "True if visitors can attach files to their messages."),
  transcripts: describe(
    v.optional(v.boolean(), false),
    "True if visitors can ask for their conversation by e-mail. The event `transcript.requested` tells the website the address; it sends the mail.",
  ),
  session_days: describe(
    SessionDays,
    "The days for which sessions of visitors are kept after the last message. 0 deletes them when visitors can no longer continue them.",
  ),
  daily_tokens: describe(
    DailyTokens,
    "The tokens that answers to all visitors of the website may take a day (UTC). Then visitors get 429 `quota_exceeded`. It is counted like a budget.",
  ),
  tools: v.optional(Tools, []),
  handover: v.optional(Handover, null),
  form: v.optional(Form, null),
  is_revoked: v.boolean(),
  created_at: Timestamp,
  last_used_at: v.nullable(Timestamp),
});
export type EmbedKey = v.InferOutput<typeof EmbedKey>;

const route = routeGroup({ group: "embed-keys", auth: "jwt", capability: "embed.manage" });

export const createEmbedKeyRoute = route("POST /v1/tenant/embed-keys", {
  id: "createEmbedKey",
  body: v.strictObject({
    name: Name,
    persona_id: v.nullish(Id, null),
    allowed_origins: Origins,
    theme: v.optional(Theme, {}),
    require_signed_visitor: v.optional(v.boolean(), false),
    attachments: v.optional(v.boolean(), false),
    transcripts: v.optional(v.boolean(), false),
    session_days: v.optional(SessionDays, 0),
    daily_tokens: v.optional(DailyTokens, DEFAULT_DAILY_TOKENS),
    tools: v.optional(Tools, []),
    handover: v.optional(Handover, null),
    form: v.optional(Form, null),
  }),
  replies: { 201: v.object({ ...EmbedKey.entries, key: v.string(), visitor_secret: v.string() }) },
  errors: ["not_found"],
  summary: "Create an embed key",
  description:
    "The response is the only one that contains `key` and `visitor_secret`. The persona must be public. The website signs the ids of its visitors with `visitor_secret`. If `require_signed_visitor` is true, only visitors with a valid signature can chat.",
});

export const listEmbedKeysRoute = route("GET /v1/tenant/embed-keys", {
  id: "listEmbedKeys",
  replies: { 200: v.object({ keys: v.array(EmbedKey) }) },
  summary: "List embed keys",
});

export const updateEmbedKeyRoute = route("PATCH /v1/tenant/embed-keys/{id}", {
  id: "updateEmbedKey",
  body: v.strictObject({
    name: v.optional(Name),
    persona_id: v.nullish(Id),
    allowed_origins: v.optional(Origins),
    theme: v.optional(Theme),
    require_signed_visitor: v.optional(v.boolean()),
    attachments: v.optional(v.boolean()),
    transcripts: v.optional(v.boolean()),
    session_days: v.optional(SessionDays),
    daily_tokens: v.optional(DailyTokens),
    tools: v.optional(Tools),
    handover: v.optional(Handover),
    form: v.optional(Form),
  }),
  replies: { 200: EmbedKey },
  summary: "Update an embed key",
});

export const revokeEmbedKeyRoute = route("DELETE /v1/tenant/embed-keys/{id}", {
  id: "revokeEmbedKey",
  summary: "Revoke an embed key",
});
