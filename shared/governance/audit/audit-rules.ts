import { isDeepStrictEqual } from "node:util";
import type { ItemTypeName } from "../../dynamodb/item-types.ts";
import type { AuditRule, ChangeKind } from "./audit-rule.ts";
import { unauditedTypes } from "./unaudited-types.ts";

const revocation: AuditRule["verb"] = (before, after) =>
  after.is_revoked && !before?.is_revoked ? "revoked" : undefined;

/** Audit rules by item type; null for types whose changes are not recorded. */
export const auditRules: Readonly<Record<ItemTypeName, AuditRule | null>> = {
  tenant: {
    kind: "tenant",
    id: "tenant_id",
    values: ["name", "plan", "limits", "budgets", "suspended_at"],
    // The audit trail is deleted with its tenant.
    isActivity: (before) => Boolean(before.deletion_requested_at),
    verb: (before, after) => {
      if (!before || (before.suspended_at ?? null) === (after.suspended_at ?? null)) return undefined;
      return after.suspended_at ? "suspended" : "resumed";
    },
  },
  "usage-correction": {
    kind: "usage_correction",
    id: "id",
    values: ["day", "model", "user_id", "key_id", "persona_id", "cost_usd", "reason"],
  },
  user: {
    kind: "user",
    id: "user_id",
    values: ["deactivated_at"],
    redacted: ["scim"],
    verb: (before, after) => {
      if (!before || (before.deactivated_at ?? null) === after.deactivated_at) return undefined;
      return after.deactivated_at ? "deactivated" : "reactivated";
    },
  },
  policy: {
    kind: "policy",
    id: "sk",
    values: [
      "banner",
      "classification",
      "retention",
      "export",
      "approvals",
      "memory",
      "sharing",
      "guardrails",
      "version",
    ],
  },
  role: { kind: "role", id: "name", values: ["permissions"], redacted: ["description"] },
  group: { kind: "group", id: "id", values: ["name", "roles", "member_ids"] },
  "api-key": {
    kind: "api_key",
    id: "id",
    values: ["key_prefix", "scopes", "allowed_origins", "expires_at", "is_revoked"],
    redacted: ["description"],
    verb: revocation,
  },
  invitation: {
    kind: "invitation",
    id: "id",
    values: ["group_ids", "is_administrator", "expires_at", "accepted_by"],
    redacted: ["note"],
    verb: (before, after) => (before && after.accepted_by && !before.accepted_by ? "accepted" : undefined),
  },
  issuer: { kind: "issuer", id: "id", values: ["issuer", "audience", "jwks_url", "claims", "status"] },
  "embed-key": {
    kind: "embed_key",
    id: "id",
    values: [
      "key_prefix",
      "persona_id",
      "allowed_origins",
      "require_signed_visitor",
      "attachments",
      "daily_tokens",
      "is_revoked",
    ],
    redacted: ["name", "theme"],
    verb: revocation,
  },
  webhook: { kind: "webhook", id: "channel_id", values: ["conversation_id", "write_back"] },
  "incident-update": {
    kind: "incident_update",
    target: ["investigation", "investigation_id"],
    id: "id",
    values: ["action", "provider", "target", "status", "approval_id", "requested_by"],
    redacted: ["text"],
    only: ["created", "updated"],
  },
  conversation: {
    kind: "conversation",
    id: "id",
    values: ["owner_id", "tier", "folder_id", "persona_id", "pinned", "retention_days"],
    redacted: ["title"],
    // A message moves the conversation to the top of the list and sets the tier that it was asked with.
    isActivity: (before, after) => before.last_activity_at !== after.last_activity_at,
  },
  // The creation of a message is not audited: the message contains its author and time.
  message: {
    kind: "message",
    target: ["conversation", "conversation_id"],
    id: "message_id",
    redacted: ["content"],
    only: ["updated", "deleted"],
    verb: (before, after) => (before?.edited_at !== after.edited_at ? "edited" : undefined),
  },
  attachment: { kind: "attachment", target: ["conversation", "conversation_id"], id: "id", only: ["deleted"] },
  grant: {
    kind: "grant",
    target: ["conversation", "conversation_id"],
    id: "user_id",
    values: ["permission", "granted_by"],
  },
  "share-link": {
    kind: "share_link",
    target: ["conversation", "conversation_id"],
    id: "link_id",
    values: ["expires_in", "revoked_at"],
    verb: (before, after) => (after.revoked_at && !before?.revoked_at ? "revoked" : undefined),
  },
  folder: { kind: "folder", id: "id", values: ["parent_id"], redacted: ["name"] },
  "tool-call": {
    kind: "tool_call",
    target: ["conversation", "conversation_id"],
    id: "id",
    values: ["server_id", "tool", "definition_hash", "status", "duration_ms"],
    redacted: ["input"],
    only: ["created", "updated"],
  },
  "tool-consent": {
    kind: "tool_consent",
    id: "tool",
    values: ["persona_id", "server_id", "tool", "conversation_id", "definition_hash"],
  },
  "tool-server": {
    kind: "tool_server",
    id: "id",
    values: ["name", "url", "enabled", "allowed_tools", "mode", "tool_modes", "trusted_tools", "remember", "hashes"],
    redacted: ["sealed_secret"],
  },
  "language-model": {
    kind: "language_model",
    id: "name",
    values: ["provider", "model_id", "inputs", "context_tokens", "price", "group_ids"],
    redacted: ["sealed_key"],
  },
  "tool-token": {
    kind: "tool_sign_in",
    id: "server_id",
    values: ["owner", "issuer", "scope"],
    redacted: ["sealed_tokens"],
    only: ["created", "deleted"],
  },
  "event-endpoint": {
    kind: "event_endpoint",
    id: "id",
    values: [
      ...["url", "types", "format", "include_content", "description"],
      ...["enabled", "disabled_reason", "secret_version"],
    ],
    redacted: ["sealed_secret", "previous_sealed_secret", "sealed_headers"],
  },
  "slack-workspace": {
    kind: "slack_workspace",
    id: "id",
    values: ["persona_id", "enabled", "team_id", "team_name", "installed_at"],
    redacted: ["name", "sealed_token", "sealed_secret"],
    // Tokens that expire are exchanged by the service.
    isActivity: (before, after) => before.refreshing_until !== after.refreshing_until,
  },
  "teams-workspace": {
    kind: "teams_workspace",
    id: "id",
    values: ["persona_id", "enabled", "app_id", "app_tenant_id", "teams_tenant_id"],
    redacted: ["name", "sealed_secret"],
  },
  "slack-link": { kind: "slack_link", id: "id", values: ["messenger", "workspace_id", "account_id", "user_id"] },
  budget: { kind: "budget", id: "id", values: ["scope", "unit", "limit", "window", "time_zone"], redacted: ["name"] },
  persona: {
    kind: "persona",
    id: "id",
    values: ["visibility", "tier", "collection_ids", "tools", "tool_servers", "api_tools", "endpoint"],
    redacted: ["name", "description", "instructions", "greeting", "starter_prompts"],
    verb: (before, after) =>
      isDeepStrictEqual(before?.endpoint ?? null, after.endpoint)
        ? undefined
        : after.endpoint
          ? "published"
          : "unpublished",
  },
  template: {
    kind: "template",
    id: "id",
    values: ["visibility"],
    redacted: ["name", "description", "body", "variables", "category"],
  },
  collection: { kind: "collection", id: "id", values: ["visibility"], redacted: ["name", "description"] },
  document: { kind: "document", id: "id", parent: "collection_id", only: ["created", "deleted"] },
  memory: { kind: "memory", id: "id", values: ["scope", "category", "status"], redacted: ["text"] },
  note: { kind: "note", id: "id", redacted: ["title", "body", "tags", "pinned", "conversation_id"] },
  feedback: {
    kind: "feedback",
    target: ["conversation", "conversation_id"],
    id: "id",
    values: ["rating"],
    redacted: ["comment", "category"],
  },
  approval: {
    kind: "approval",
    id: "id",
    values: ["type", "risk_level", "status", "decision", "decided_by"],
    redacted: ["action", "result", "secret_given"],
    verb: (before, after) => {
      if (!before) return "requested";
      if (before.status !== after.status) return String(after.status);
      if (!isDeepStrictEqual(before.result, after.result)) return "carried_out";
      return before.secret_given !== after.secret_given ? "secret_given" : undefined;
    },
  },
  export: {
    kind: "export",
    id: "id",
    values: ["kind", "conversation_id", "format", "status", "downloads"],
    verb: (before, after) => {
      if (!before) return after.status === "delivered" ? "delivered" : "requested";
      if (before.status !== after.status) return String(after.status);
      return before.downloads !== after.downloads ? "downloaded" : undefined;
    },
  },
  deletion: {
    kind: "data_deletion",
    id: "id",
    values: ["user_id", "successor_id", "status"],
    verb: (before, after) => {
      if (after.successor_id) return before ? "handed_over" : "hand_over_requested";
      return before ? String(after.status) : "requested";
    },
  },
  ...unauditedTypes,
};

const allChanges: readonly ChangeKind[] = ["created", "updated", "deleted"];

/** Types of changes with an audit rule: `<item type>-created`, `-updated` or `-deleted`. */
export const auditedChangeTypes: readonly string[] = Object.entries(auditRules).flatMap(([itemType, rule]) =>
  rule ? (rule.only ?? allChanges).map((change) => `${itemType}-${change}`) : [],
);
