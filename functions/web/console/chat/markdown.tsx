import type { FootnoteDefinition, Nodes, Parents, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { mathFromMarkdown, mathSyntax } from "../../../../shared/client/markdown-math.ts";
import { t } from "../lib/i18n.ts";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { FormulaView } from "./formulas/formula.tsx";

/** Renders the reference `[n]` to a source as a link or button; null keeps the text. */
type RenderReference = (index: number) => ComponentChildren;

/** Definitions of reference links and footnotes in a message. A block can refer to definitions in another block. */
export interface Definitions {
  /** Markdown of all definitions of a message. Each block is parsed with it in front. */
  readonly source: string;
  /** Numbers of the footnotes by identifier, in the order in which the text refers to them. */
  readonly footnotes: ReadonlyMap<string, number>;
  /** Prefix of the HTML ids of footnotes, which makes them unique on the page. */
  readonly prefix: string;
}

interface Context {
  readonly renderReference: RenderReference;
  readonly definitions: Definitions;
  /** URLs of reference links, by identifier. */
  readonly urls: ReadonlyMap<string, string>;
}

const extensions = { extensions: [gfm(), mathSyntax], mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown] };

/** URL schemes that are rendered as links. */
const safeScheme = /^(?:https?:|mailto:)/i;

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

function children(node: Parents, context: Context): ComponentChildren[] {
  return node.children.map((child) => renderNode(child, context));
}

function renderLink(url: string, content: ComponentChildren): ComponentChildren {
  return safeScheme.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow ugc">
      {content}
    </a>
  ) : (
    <span>{content}</span>
  );
}

function renderTable({ children: [head, ...rows] }: Table, context: Context): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div class="prose-table" role="region" aria-label={t("Table")} tabIndex={0} dir="auto">
      <table>
        <thead>
          <tr>
            {head?.children.map((cell) => (
              <th scope="col">{children(cell, context)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.children.map((cell) => (
                <td>{children(cell, context)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders a node of the syntax tree. HTML in Markdown is shown as text, so that a message cannot inject elements. */
function renderNode(node: Nodes, context: Context): ComponentChildren {
  switch (node.type) {
    case "text":
      return textWithReferences(node.value, context.renderReference);
    case "paragraph":
      return <p dir="auto">{children(node, context)}</p>;
    case "heading":
      // Heading levels start below the title of the page.
      return node.depth <= 2 ? (
        <h3 dir="auto">{children(node, context)}</h3>
      ) : (
        <h4 dir="auto">{children(node, context)}</h4>
      );
    case "strong":
      return <strong>{children(node, context)}</strong>;
    case "emphasis":
      return <em>{children(node, context)}</em>;
    case "delete":
      return <del>{children(node, context)}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return <CodeSnippet title={node.lang ?? t("Code")} language={node.lang} code={node.value} />;
    case "blockquote":
      return <blockquote>{children(node, context)}</blockquote>;
    case "list":
      return node.ordered ? (
        <ol dir={node.spread ? undefined : "auto"} start={node.start ?? 1}>
          {children(node, context)}
        </ol>
      ) : (
        <ul dir={node.spread ? undefined : "auto"}>{children(node, context)}</ul>
      );
    case "listItem":
      return (
        <li class={typeof node.checked === "boolean" ? "task-item" : undefined}>
          {typeof node.checked === "boolean" && (
            <span class="task" role="img" aria-label={node.checked ? t("Done") : t("Open")}>
              {node.checked ? "☑ " : "☐ "}
            </span>
          )}
          {node.children.map((child) =>
            // In a tight list, Markdown renders the text of an item without a paragraph.
            child.type === "paragraph" && !node.spread ? children(child, context) : renderNode(child, context),
          )}
        </li>
      );
    case "table":
      return renderTable(node, context);
    case "link":
      return renderLink(node.url, children(node, context));
    case "linkReference":
      return renderLink(context.urls.get(node.identifier) ?? "", children(node, context));
    // Loading an image would tell its host that the answer was read.
    case "image":
      return renderLink(node.url, node.alt || node.url);
    case "imageReference":
      return renderLink(context.urls.get(node.identifier) ?? "", node.alt || node.identifier);
    case "footnoteReference": {
      const { footnotes, prefix } = context.definitions;
      const number = footnotes.get(node.identifier);
      return number === undefined ? (
        `[^${node.label ?? node.identifier}]`
      ) : (
        <sup>
          <a class="footnote" href={`#${prefix}${number}`} aria-label={t("Footnote {number}", { number })}>
            {number}
          </a>
        </sup>
      );
    }
    case "footnoteDefinition":
    case "definition":
      return null;
    case "math":
      return <FormulaView {...node} />;
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "html":
      return node.value;
    default:
      return "children" in node ? children(node, context) : null;
  }
}

const noReference: RenderReference = () => null;

const noDefinitions: Definitions = { source: "", footnotes: new Map(), prefix: "" };

const parse = (source: string) => fromMarkdown(source, extensions);

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
    const root = parse(prefix + source);
    // A line can look like a definition and be text, which its own block shows.
    const own = root.children.filter(({ position }) => (position?.start.offset ?? 0) >= prefix.length);
    const urls = new Map(
      root.children.flatMap((node) => (node.type === "definition" ? [[node.identifier, node.url]] : [])),
    );
    return <>{children({ ...root, children: own }, { renderReference, definitions, urls })}</>;
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
  if (source === "") return noDefinitions;
  const defined = new Set(footnotesOf(source).map(({ identifier }) => identifier));
  const referenced = blocks.flatMap((block) => [...block.matchAll(/\[\^([^\][\s]{1,60})\](?!:)/g)]);
  const identifiers = new Set(
    referenced.map(([, label = ""]) => label.toLowerCase()).filter((each) => defined.has(each)),
  );
  const footnotes = new Map([...identifiers].map((identifier, index) => [identifier, index + 1]));
  return { source, footnotes, prefix };
}

/** Returns the definitions of footnotes in a text. */
function footnotesOf(source: string): FootnoteDefinition[] {
  return parse(source).children.filter((node) => node.type === "footnoteDefinition");
}

export function Footnotes({ definitions }: { readonly definitions: Definitions }) {
  const { source, footnotes, prefix } = definitions;
  if (footnotes.size === 0) return null;
  const nodes = new Map(footnotesOf(source).map((node) => [node.identifier, node]));
  const context = { renderReference: noReference, definitions, urls: new Map() };
  return (
    <ol class="footnotes" dir="auto">
      {[...footnotes].map(([identifier, number]) => {
        const node = nodes.get(identifier);
        return (
          <li key={identifier} id={prefix + number} tabIndex={-1}>
            {node && children(node, context)}
          </li>
        );
      })}
    </ol>
  );
}

/**
 * Splits a text at blank lines outside of code, lists and tables. While a text grows, only its last part must be parsed
 * again.
 */
function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let current: string[] = [];
  let fence: string | null = null;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (mark !== null && fence === null) fence = mark;
    else if (mark !== null && fence !== null && mark.startsWith(fence)) fence = null;
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
