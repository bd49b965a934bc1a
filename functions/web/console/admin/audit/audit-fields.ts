import type { AuditEvent } from "../../../../../shared/api/governance/audit.ts";
import { GROUP_READER, PERSON_READER } from "../../../../../shared/api/knowledge/reader-names.ts";
import { t } from "../../lib/i18n.ts";
import { toWords } from "../../ui/value-text.tsx";

/** Resource that an audit event refers to. */
export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** Types of resources whose ids a field has. The first one that occurs names an event whose target has no name. */
const typesByField: Readonly<Record<string, string>> = {
  conversation_id: "conversation",
  collection_id: "collection",
  server_id: "tool_server",
  user_id: "user",
  persona_id: "persona",
  folder_id: "folder",
  parent_id: "folder",
  collection_ids: "collection",
  tool_servers: "tool_server",
  group_ids: "group",
  member_ids: "user",
  key_id: "api_key",
  owner_id: "user",
  successor_id: "user",
  decided_by: "user",
  granted_by: "user",
  accepted_by: "user",
  requested_by: "user",
};

const fieldTexts = (): Readonly<Record<string, string>> => ({
  conversation_id: t("Conversation"),
  collection_id: t("Collection"),
  server_id: t("Tool server"),
  user_id: t("User"),
  persona_id: t("Persona"),
  folder_id: t("Folder"),
  parent_id: t("Folder"),
  collection_ids: t("Collections"),
  tool_servers: t("Tool servers"),
  group_ids: t("Groups"),
  member_ids: t("Members"),
  key_id: t("API key"),
  owner_id: t("Owner"),
  successor_id: t("New owner"),
  decided_by: t("Decided by"),
  granted_by: t("Granted by"),
  accepted_by: t("Accepted by"),
  requested_by: t("Requested by"),
  status: t("State"),
  visibility: t("Who can use it"),
  readers: t("Who can read it"),
  tier: t("Depth of the answer"),
  roles: t("Roles"),
  permission: t("Permission"),
  permissions: t("Permissions"),
  format: t("Format"),
  kind: t("Content"),
  name: t("Name"),
  title: t("Title"),
  text: t("Text"),
  content: t("Text"),
  body: t("Text"),
  description: t("Description"),
  note: t("Note"),
  instructions: t("Instructions"),
  greeting: t("Greeting"),
  starter_prompts: t("Suggested questions"),
  temperature: t("Temperature"),
  max_output_tokens: t("Maximum length of answers"),
  api_tools: t("Tools for API clients"),
  guardrails: t("Guardrails"),
  revisions: t("Revisions in use"),
  version: t("Version"),
  latest_version: t("Newest version"),
  rollouts: t("Versions for groups and shares"),
  restored_from: t("Restored version"),
  tags: t("Tags"),
  pinned: t("Pinned"),
  category: t("Category"),
  scope: t("Applies to"),
  scopes: t("Scopes"),
  tools: t("Tools"),
  tool: t("Tool"),
  model: t("Language model"),
  provider: t("Provider"),
  url: t("Address"),
  limit: t("Limit"),
  window: t("Period"),
  time_zone: t("Time zone"),
  expires_in: t("Valid for"),
  enabled: t("Enabled"),
  action: t("Action"),
});

/** Returns the translated name of a recorded field, or its words if it has none. */
export const describeField = (name: string): string => fieldTexts()[name] ?? toWords(name.replace(/_ids?$/, ""));

/** Change of a field that an event recorded. */
interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** True if the event records that the field changed, but not its text. */
  readonly isRedacted: boolean;
}

/** Returns what an event records about fields. Events of creations have values without `before`. */
export function listChanges({ details }: AuditEvent): FieldChange[] {
  const { changed, before, after, ...values } = details;
  const [old, current] = [before ?? {}, after ?? {}] as Record<string, unknown>[];
  const names = Array.isArray(changed) ? changed.map(String) : [];
  return [
    ...Object.entries(values).map(([field, value]) => ({ field, before: undefined, after: value, isRedacted: false })),
    ...names.map((field) => ({
      ...{ field, before: old?.[field], after: current?.[field] },
      isRedacted: !(old && field in old) && !(current && field in current),
    })),
  ];
}

/** Returns the resource with the id of a field; null for a field without ids. */
export function toReference(field: string, id: unknown): Reference | null {
  if (field === "readers" && typeof id === "string") {
    if (id.startsWith(GROUP_READER)) return { type: "group", id: id.slice(GROUP_READER.length) };
    return id.startsWith(PERSON_READER) ? { type: "user", id: id.slice(PERSON_READER.length) } : null;
  }
  const type = typesByField[field];
  return type && typeof id === "string" && id !== "" ? { type, id } : null;
}

/** Returns the resources that the fields of an event refer to, the most telling first. */
export const listReferences = (event: AuditEvent): Reference[] => {
  const order = Object.keys(typesByField);
  return listChanges(event)
    .toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
    .flatMap(({ field, before, after }) => [after, before].flat().map((id) => toReference(field, id)))
    .filter((reference) => reference !== null);
};
