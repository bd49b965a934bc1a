import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MessageHit } from "../../../../shared/api/conversations/message-search.ts";
import { formatAgo } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { type MessageFilters, messagePath, useMessageSearch } from "../lib/message-search.ts";
import { Menu } from "../ui/menu.tsx";
import { ResourceStatus } from "../ui/status.tsx";

function markHighlights({ snippet, highlights }: MessageHit): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let position = 0;
  for (const { start, end } of highlights) {
    parts.push(snippet.slice(position, start), <mark>{snippet.slice(start, end)}</mark>);
    position = end;
  }
  return [...parts, snippet.slice(position)];
}

const periods = () => [
  [7, t("Last 7 days")] as const,
  [31, t("Last 31 days")] as const,
  [366, t("Last year")] as const,
];

const roles = () =>
  [
    ["user", t("Questions")],
    ["assistant", t("Answers")],
    ["alert", t("Alerts")],
  ] as const;

/** Search results: messages that contain the words of the search field, with filters. */
export function MessageResults({ q, folderId }: { readonly q: string; readonly folderId: string | null }) {
  const [role, setRole] = useState<MessageHit["role"] | null>(null);
  const [days, setDays] = useState<number | null>(null);
  const midnight = new Date().setHours(0, 0, 0, 0);
  const filters: MessageFilters = {
    ...(folderId && { folder_id: folderId }),
    ...(role && { role }),
    ...(days && { created_after: new Date(midnight - days * 86_400_000).toISOString() }),
  };
  const search = useMessageSearch(q, filters);
  if (q.length < 2) return null;
  return (
    <section aria-label={t("Messages")}>
      <div class="row between group-row">
        <p class="group">{t("Messages")}</p>
        <Menu
          label={t("Filter messages")}
          icon="sliders"
          entries={[
            { label: t("All messages"), isChecked: role === null, onSelect: () => setRole(null) },
            ...roles().map(([value, label]) => ({ label, isChecked: role === value, onSelect: () => setRole(value) })),
            null,
            { label: t("Any time"), isChecked: days === null, onSelect: () => setDays(null) },
            ...periods().map(([value, label]) => ({
              label,
              isChecked: days === value,
              onSelect: () => setDays(value),
            })),
          ]}
        />
      </div>
      <ResourceStatus resource={search} lines={3} />
      {search.value?.map((hit) => (
        <a key={hit.message_id} class="item hit" href={messagePath(hit)}>
          <span class="row between">
            <strong class="truncate">{hit.conversation_title}</strong>
            <span class="muted nowrap">{formatAgo(hit.created_at)}</span>
          </span>
          <span class="muted snippet">{markHighlights(hit)}</span>
        </a>
      ))}
      {search.value?.length === 0 && <p class="muted small panel-note">{t("No message matches.")}</p>}
    </section>
  );
}
