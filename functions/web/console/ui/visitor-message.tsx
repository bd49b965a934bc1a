import type { ComponentChildren } from "preact";
import type { EmbedMessage } from "../../../../shared/api/embed/embed-message.ts";
import { blocksToMarkdown } from "../../../../shared/markdown/blocks-to-markdown.ts";
import { Markdown } from "../chat/markdown.tsx";
import { describeToolCall } from "../lib/codes/server-texts.ts";
import { formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";

/** Message of a visitor, of the assistant or of a person in the session of a visitor. */
export function VisitorMessage({
  message: { role, content, created_at, attachments, tool_cards = [], person },
  children,
}: {
  readonly message: EmbedMessage;
  readonly children?: ComponentChildren;
}) {
  return (
    <article class="card stack tight">
      <div class="row between">
        <strong>
          {person ? (person.name ?? t("A person of the team")) : role === "user" ? t("Visitor") : t("Assistant")}
        </strong>
        <span class="small muted">{formatDateTime(created_at)}</span>
      </div>
      <div class="prose">
        <Markdown text={blocksToMarkdown(content.flatMap((block) => (block.type === "citation" ? [] : [block])))} />
      </div>
      {content.map(
        (block, index) =>
          block.type === "citation" && (
            <p key={index} class="small muted">
              [{block.index}] {block.title}
            </p>
          ),
      )}
      {attachments && <p class="small muted">{attachments.map(({ file_name }) => file_name).join(", ")}</p>}
      {tool_cards.map(({ title, status }, index) => (
        <p key={index} class="small muted">
          {title}: {describeToolCall(status, null)}
        </p>
      ))}
      {children}
    </article>
  );
}
