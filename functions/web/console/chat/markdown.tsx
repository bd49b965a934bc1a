import type { Root, RootContent } from "mdast";
import { type ComponentChildren, h } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { GrowingMarkdown } from "../../../../shared/markdown/growing-markdown.ts";
import { parseMarkdown } from "../../../../shared/markdown/parse-markdown.ts";
import {
  definitionsIn,
  definitionsOf,
  type MarkdownDefinitions,
  type MarkdownElements,
  renderFootnotes,
  renderMarkdown,
} from "../../../../shared/markdown/render-markdown.ts";
import { t } from "../lib/i18n.ts";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { AnswerTable } from "./answer-table.tsx";
import { FormulaView } from "./formulas/formula.tsx";

/** Renders the reference `[n]` to a source as a link or button; null keeps the text. */
type RenderReference = (index: number) => ComponentChildren;

/** Definitions of reference links and footnotes in a message. A block can refer to definitions in another block. */
interface Definitions extends MarkdownDefinitions {
  /** Markdown of all definitions of a message. Each block is parsed with it in front. */
  readonly source: string;
}

const reference = /\[(\d{1,3})\]/g;

function textWithReferences(text: string, renderReference: RenderReference): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(reference)) {
    const rendered = renderReference(Number(match[1]));
    if (rendered === null) continue;
    parts.push(text.slice(end, match.index).replace(/\s$/, ""), rendered);
    end = match.index + match[0].length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(end)];
}

const elementsWith = (renderReference: RenderReference): MarkdownElements<ComponentChildren> => ({
  element: (tag, attributes, children) => h(tag, attributes, ...children),
  text: (value) => textWithReferences(value, renderReference),
  code: (language, code) => <CodeSnippet title={language ?? t("Code")} language={language} code={code} />,
  formula: (formula) => <FormulaView {...formula} />,
  table: (table, columns) => <AnswerTable label={columns}>{table}</AnswerTable>,
  footnoteLabel: (number) => t("Footnote {number}", { number }),
  task: (isDone) => (
    <span class="task" role="img" aria-label={isDone ? t("Done") : t("Open")}>
      {isDone ? "☑ " : "☐ "}
    </span>
  ),
});

const noReference: RenderReference = () => null;

const noDefinitions: Definitions = { source: "", urls: new Map(), footnotes: new Map(), prefix: null };

/** Block of a Markdown text. It is drawn again only when it or the definitions change. */
function MarkdownBlock({
  block,
  renderReference,
  definitions,
}: {
  readonly block: RootContent;
  readonly renderReference: RenderReference;
  readonly definitions: Definitions;
}) {
  return useMemo(
    () => <>{renderMarkdown([block], elementsWith(renderReference), definitions)}</>,
    [block, renderReference, definitions],
  );
}

/** Line that defines a link or footnote, or looks like it. The label can contain escaped brackets and line breaks. */
const definitionLine = /^ {0,3}\[(?:[^[\]\\]|\\[\s\S])+\]:/m;

/**
 * Collects the definitions of links and footnotes in a message.
 * @param texts Markdown of the message's blocks
 * @param prefix prefix of the HTML ids of footnotes
 */
export function findDefinitions(texts: readonly string[], prefix: string): Definitions {
  const text = texts.join("\n\n");
  if (!definitionLine.test(text)) return noDefinitions;
  const root = parseMarkdown(text);
  const sources = definitionsIn(root).map(({ position }) => text.slice(position?.start.offset, position?.end.offset));
  return { source: sources.join("\n\n"), ...definitionsOf(root, prefix) };
}

export function Footnotes({ definitions }: { readonly definitions: Definitions }) {
  const root = useMemo((): Root => parseMarkdown(definitions.source), [definitions.source]);
  return <>{renderFootnotes(root, elementsWith(noReference), definitions)}</>;
}

/** Markdown text. When it grows at its end, only its last block is parsed and drawn again. */
export function Markdown({
  text,
  renderReference = noReference,
  definitions,
}: {
  readonly text: string;
  readonly renderReference?: RenderReference;
  /** Definitions of the whole message; by default, those in `text`. */
  readonly definitions?: Definitions;
}) {
  const parser = useRef<GrowingMarkdown>(null);
  parser.current ??= new GrowingMarkdown();
  const own = useMemo(() => definitions ?? findDefinitions([text], ""), [text, definitions]);
  const blocks = useMemo(() => parser.current?.parse(text, own.source) ?? [], [text, own.source]);
  return (
    <>
      {blocks.map((block, index) => (
        <MarkdownBlock key={index} block={block} renderReference={renderReference} definitions={own} />
      ))}
    </>
  );
}
