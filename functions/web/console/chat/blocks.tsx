import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { Block } from "../../../../shared/api/blocks.ts";
import { blocksToMarkdown } from "../../../../shared/markdown/blocks-to-markdown.ts";
import { t, tn } from "../lib/i18n.ts";
import { showError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { Icon } from "../ui/icons.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { chartTitleOf } from "./diagrams/chart-title.ts";
import { previewKindOf, shownPreview } from "./diagrams/preview.ts";
import { Footnotes, findDefinitions, Markdown } from "./markdown.tsx";
import type { Citation } from "./run.ts";
import { titleOfSource } from "./source-title.ts";

const ChartTable = onDemand(() => import("./diagrams/chart-table.tsx").then((module) => module.ChartTable));
const Diagram = onDemand(() => import("./diagrams/diagram.tsx").then((module) => module.Diagram));
const PromoteDialog = onDemand(() => import("./dialogs/promote-dialog.tsx").then((module) => module.PromoteDialog));

/** Opens the panel with the passage of a citation. */
export type OpenCitation = (citation: Citation) => void;

/**
 * Returns a citation with the quote for the reference that the user clicked, because a source can be cited several times with
 * different quotes.
 */
function forReference(citation: Citation, button: HTMLElement): Citation {
  const buttons = button.closest(".prose")?.querySelectorAll(`.reference[data-index="${citation.index}"]`) ?? [];
  const position = [...buttons].indexOf(button);
  const quote = citation.quotes?.find(({ references }) => references.includes(position));
  return quote ? { ...citation, ...quote } : citation;
}

/**
 * Returns a function that renders the number of a source as a button, which opens the citation. It returns null if there is
 * no such source.
 */
function reference(citations: readonly Citation[], onOpen: OpenCitation) {
  return (index: number) => {
    const citation = citations.find((each) => each.index === index);
    return citation ? (
      <button
        type="button"
        class="reference"
        data-index={index}
        onClick={({ currentTarget }) => onOpen(forReference(citation, currentTarget))}
        aria-label={t("Source {index}: {title}", { index, title: titleOfSource(citation) })}
        title={titleOfSource(citation)}
      >
        {index}
      </button>
    ) : null;
  };
}

/** Returns the Markdown of a block that can contain links and footnotes; empty for code and charts. */
const markdownOf = (block: Block) => (block.type === "code" || block.type === "vega" ? "" : blocksToMarkdown([block]));

/** Content of a message: its blocks, followed by its sources. */
export function Blocks({
  blocks,
  conversationId,
  messageId,
  onOpenCitation,
}: {
  readonly blocks: readonly Block[];
  readonly conversationId: string;
  readonly messageId: string;
  readonly onOpenCitation: OpenCitation;
}) {
  const citations = blocks.filter((block) => block.type === "citation");
  const renderReference = useMemo(() => reference(citations, onOpenCitation), [blocks]);
  const definitions = useMemo(
    () => findDefinitions(blocks.map(markdownOf), `footnote-${messageId}-`),
    [blocks, messageId],
  );
  const context = { renderReference, definitions };
  return (
    <>
      <div class="prose">
        {blocks.map((block, index) => {
          switch (block.type) {
            case "code": {
              const actions = <PreviewButton {...block} />;
              const code = <CodeSnippet key={index} title={block.language ?? t("Code")} {...block} actions={actions} />;
              if (block.language !== "mermaid") return code;
              return (
                <Diagram key={index} kind="mermaid" title={t("Diagram")} source={block.code}>
                  {code}
                </Diagram>
              );
            }
            case "vega":
              return (
                <Diagram key={index} kind="vega" title={chartTitleOf(block.spec)} source={JSON.stringify(block.spec)}>
                  <ChartTable spec={block.spec} />
                </Diagram>
              );
            default: {
              const text = blocksToMarkdown([block]);
              return text && <Markdown key={index} text={text} {...context} />;
            }
          }
        })}
        <Footnotes definitions={definitions} />
      </div>
      {citations.length > 0 && (
        <details class="sources">
          <summary>{tn("{count} source", "{count} sources", citations.length)}</summary>
          <div>
            {citations.map((citation) => (
              <button key={citation.index} type="button" class="source" onClick={() => onOpenCitation(citation)}>
                <span class="reference" aria-hidden="true">
                  {citation.index}
                </span>
                <span class="truncate">
                  {titleOfSource(citation)}
                  {typeof citation.page === "number" && `, ${t("page {page}", { page: citation.page })}`}
                </span>
              </button>
            ))}
          </div>
        </details>
      )}
      {blocks.map((block, index) =>
        block.type === "memory_proposal" ? (
          <MemoryProposal key={index} {...block} />
        ) : block.type === "memory_deletion" ? (
          <MemoryDeletion key={index} {...block} />
        ) : block.type === "knowledge_proposal" ? (
          <KnowledgeProposal key={index} {...block} conversationId={conversationId} messageId={messageId} />
        ) : null,
      )}
    </>
  );
}

/** Button that draws code next to the conversation; nothing for code that cannot be drawn. */
function PreviewButton({ language, code }: Pick<Extract<Block, { type: "code" }>, "language" | "code">) {
  const kind = previewKindOf(language, code);
  if (!kind || !language) return null;
  const isShown = shownPreview.value?.code === code;
  return (
    <Button
      isSmall
      kind="quiet"
      aria-pressed={isShown}
      onClick={() => {
        shownPreview.value = isShown ? null : { kind, language, code };
      }}
    >
      {t("Preview")}
    </Button>
  );
}

/**
 * Decisions of the user on the assistant's proposals, by proposal. They are outside of the component, because the stored
 * message replaces the streamed one with a new component.
 */
const decisions = signal<Readonly<Record<string, "accepted" | "rejected">>>({});

const decide = (subject: string, decision: "accepted" | "rejected") => {
  decisions.value = { ...decisions.value, [subject]: decision };
};

/** Proposal of the assistant to remember a fact. */
function MemoryProposal({
  memory_id: id,
  text,
  read_untrusted: hasReadUntrusted,
  replaces,
}: Extract<Block, { type: "memory_proposal" }>) {
  const decision = decisions.value[id];
  const answer = async (accept: boolean) => {
    const params = { path: { id } };
    try {
      // The user has read where the proposal came from.
      if (accept) await api.PATCH("/v1/memories/{id}", { params, body: { status: "active", trusted: true } });
      else await api.DELETE("/v1/memories/{id}", { params });
      decide(id, accept ? "accepted" : "rejected");
    } catch (error) {
      showError(error);
    }
  };
  return (
    <div class="proposal">
      <Icon name="sparkle" />
      <div class="grow">
        <strong>{replaces ? t("Remember this instead?") : t("Remember this?")}</strong>
        <p>{text}</p>
        {replaces && <p class="muted small">{t("It replaces: {text}", { text: replaces.text })}</p>}
        {hasReadUntrusted && (
          <p class="muted small">
            {t(
              "The assistant may have taken this from text of others that it had read, such as a document or an alert. Remember it only if it is right: it will count as your own text.",
            )}
          </p>
        )}
      </div>
      {decision === undefined ? (
        <div class="row">
          <Button isSmall kind="primary" onClick={() => answer(true)}>
            {t("Remember")}
          </Button>
          <Button isSmall onClick={() => answer(false)}>
            {t("No")}
          </Button>
        </div>
      ) : (
        <span class="muted small">{decision === "accepted" ? t("Remembered") : t("Not remembered")}</span>
      )}
    </div>
  );
}

/** Proposal of the assistant to delete a memory that, according to the user, no longer applies. */
function MemoryDeletion({ memory_id: id, text }: Extract<Block, { type: "memory_deletion" }>) {
  const decision = decisions.value[id];
  const forget = async () => {
    try {
      await api.DELETE("/v1/memories/{id}", { params: { path: { id } } });
      decide(id, "accepted");
    } catch (error) {
      showError(error);
    }
  };
  return (
    <div class="proposal">
      <Icon name="sparkle" />
      <div class="grow">
        <strong>{t("Forget this?")}</strong>
        <p>{text}</p>
      </div>
      {decision === undefined ? (
        <div class="row">
          <Button isSmall kind="primary" onClick={forget}>
            {t("Forget")}
          </Button>
          <Button isSmall onClick={() => decide(id, "rejected")}>
            {t("Keep")}
          </Button>
        </div>
      ) : (
        <span class="muted small">{decision === "accepted" ? t("Forgotten") : t("Kept")}</span>
      )}
    </div>
  );
}

/** Proposal of the assistant to add a text to the knowledge. */
function KnowledgeProposal({
  title,
  text,
  collection_id,
  conversationId,
  messageId,
}: Extract<Block, { type: "knowledge_proposal" }> & { readonly conversationId: string; readonly messageId: string }) {
  const subject = `${conversationId} ${title} ${text}`;
  const [isChoosing, setChoosing] = useState(false);
  return (
    <div class="proposal">
      <Icon name="book" />
      <div class="grow">
        <strong>{t("Add to the knowledge?")}</strong>
        <p>{title || text}</p>
      </div>
      {decisions.value[subject] ? (
        <span class="muted small">{t("Added")}</span>
      ) : (
        can("knowledge.create") && (
          <Button isSmall onClick={() => setChoosing(true)}>
            {t("Add")}
          </Button>
        )
      )}
      {isChoosing && (
        <PromoteDialog
          conversationId={conversationId}
          messageId={messageId}
          title={title}
          suggestedId={collection_id}
          onDone={() => decide(subject, "accepted")}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}
