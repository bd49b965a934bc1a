import type { Root } from "mdast";
import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { parseMarkdown } from "../../../../shared/markdown/parse-markdown.ts";
import {
  definitionsOf,
  type MarkdownDefinitions,
  type MarkdownElements,
  renderFootnotes,
  renderMarkdown,
} from "../../../../shared/markdown/render-markdown.ts";
import { t } from "../lib/i18n.ts";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { FormulaView } from "./formulas/formula.tsx";

/** Renders the reference `[n]` to a source as a link or button; null keeps the text. */
type RenderReference = (index: number) => ComponentChildren;

/** Definitions of reference links and footnotes in a message. A block can refer to definitions in another block. */
export interface Definitions extends MarkdownDefinitions {
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
  table: (table, columns) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div class="prose-table" role="region" aria-label={columns || t("Table")} tabIndex={0} dir="auto">
      {table}
    </div>
  ),
  footnoteLabel: (number) => t("Footnote {number}", { number }),
  task: (isDone) => (
    <span class="task" role="img" aria-label={isDone ? t("Done") : t("Open")}>
      {isDone ? "☑ " : "☐ "}
    </span>
  ),
});

const noReference: RenderReference = () => null;

const noDefinitions: Definitions = { source: "", urls: new Map(), footnotes: new Map(), prefix: null };

/** Top-level block of a Markdown text. It is parsed again only when its source or the definitions change. */
function MarkdownBlock({
  source,
  renderReference,
  definitions,
}: {
  readonly source: string;
  readonly renderReference: RenderReference;
  readonly definitions: Definitions;
}) {
  return useMemo(() => {
    // The definitions come first, because an open code block would swallow them.
    const prefix = definitions.source ? `${definitions.source}\n\n` : "";
    const root = parseMarkdown(prefix + source);
    // A line can look like a definition and be text, which its own block shows.
    const own = root.children.filter(({ position }) => (position?.start.offset ?? 0) >= prefix.length);
    return <>{renderMarkdown(own, elementsWith(renderReference), definitions)}</>;
  }, [source, renderReference, definitions]);
}

/** Start of a line that defines a link or footnote. The label can contain escaped brackets and line breaks. */
const definitionLine = /^ {0,3}\[(?:[^[\]\\]|\\[\s\S])+\]:/;

/**
 * Collects the definitions of links and footnotes in a message.
 * @param texts Markdown of the message's blocks
 * @param prefix prefix of the HTML ids of footnotes
 */
export function findDefinitions(texts: readonly string[], prefix: string): Definitions {
  const blocks = texts.flatMap(splitBlocks);
  const source = blocks.filter((block) => definitionLine.test(block)).join("\n\n");
  return source === "" ? noDefinitions : { source, ...definitionsOf(parseMarkdown(texts.join("\n\n")), prefix) };
}

export function Footnotes({ definitions }: { readonly definitions: Definitions }) {
  const root = useMemo((): Root => parseMarkdown(definitions.source), [definitions.source]);
  return <>{renderFootnotes(root, elementsWith(noReference), definitions)}</>;
}

/** Start of a line after which blank lines belong to a code block or formula. */
const openingFence = /^ {0,3}(`{3,}|~{3,}|\$\$|\\\[)/;
const closingMarks: Readonly<Record<string, RegExp>> = { $$: /\$\$\s*$/, "\\[": /\\\]\s*$/ };

/**
 * Splits a text at blank lines outside of code, formulas, lists and tables. While a text grows, only its last part must be parsed
 * again.
 */
function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let current: string[] = [];
  let fence: string | null = null;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (fence === null) {
      const [start = "", mark = ""] = openingFence.exec(line) ?? [];
      const isClosed = closingMarks[mark]?.test(line.slice(start.length)) ?? false;
      if (mark && !isClosed) fence = mark;
    } else if (closingMarks[fence]?.test(line) ?? line.trimStart().startsWith(fence)) fence = null;
    current.push(line);
    const next = lines[index + 1];
    const endsBlock = line.trim() === "" && fence === null && next !== undefined && /^[^\s\d*+>-]/.test(next);
    if (endsBlock) {
      blocks.push(current.join("\n"));
      current = [];
    }
  }
  return [...blocks, current.join("\n")];
}

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
  const own = useMemo(() => definitions ?? findDefinitions([text], ""), [text, definitions]);
  return (
    <>
      {splitBlocks(text).map((source, index) => (
        <MarkdownBlock key={index} source={source} renderReference={renderReference} definitions={own} />
      ))}
    </>
  );
}
