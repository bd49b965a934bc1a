import type { Nodes, Parents, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { t } from "../lib/i18n.ts";
import { CodeBlock } from "../ui/controls.tsx";

/** Renders the reference `[n]` to a source; null leaves it as text. */
type RenderReference = (index: number) => ComponentChildren;

const extensions = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

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

function children(node: Parents, renderReference: RenderReference): ComponentChildren[] {
  return node.children.map((child) => renderNode(child, renderReference));
}

function renderTable({ children: [head, ...rows] }: Table, renderReference: RenderReference): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div class="prose-table" role="region" aria-label={t("Table")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell) => (
              <th scope="col">{children(cell, renderReference)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.children.map((cell) => (
                <td>{children(cell, renderReference)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders a node of the syntax tree. HTML stays text, because elements are created and never parsed. */
function renderNode(node: Nodes, renderReference: RenderReference): ComponentChildren {
  switch (node.type) {
    case "text":
      return textWithReferences(node.value, renderReference);
    case "paragraph":
      return <p>{children(node, renderReference)}</p>;
    case "heading":
      // Heading levels start below the title of the page.
      return node.depth <= 2 ? <h3>{children(node, renderReference)}</h3> : <h4>{children(node, renderReference)}</h4>;
    case "strong":
      return <strong>{children(node, renderReference)}</strong>;
    case "emphasis":
      return <em>{children(node, renderReference)}</em>;
    case "delete":
      return <del>{children(node, renderReference)}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return <CodeBlock title={node.lang ?? t("Code")} code={node.value} />;
    case "blockquote":
      return <blockquote>{children(node, renderReference)}</blockquote>;
    case "list":
      return node.ordered ? (
        <ol start={node.start ?? 1}>{children(node, renderReference)}</ol>
      ) : (
        <ul>{children(node, renderReference)}</ul>
      );
    case "listItem":
      return (
        <li>
          {typeof node.checked === "boolean" && (
            <span class="task" role="img" aria-label={node.checked ? t("Done") : t("Open")}>
              {node.checked ? "☑ " : "☐ "}
            </span>
          )}
          {node.children.map((child) =>
            // In a tight list, Markdown renders the text of an item without a paragraph.
            child.type === "paragraph" && !node.spread
              ? children(child, renderReference)
              : renderNode(child, renderReference),
          )}
        </li>
      );
    case "table":
      return renderTable(node, renderReference);
    case "link":
      return safeScheme.test(node.url) ? (
        <a href={node.url} target="_blank" rel="noopener noreferrer nofollow ugc">
          {children(node, renderReference)}
        </a>
      ) : (
        <span>{children(node, renderReference)}</span>
      );
    case "image":
      // Loading an image would tell its host that the answer was read.
      return safeScheme.test(node.url) ? (
        <a href={node.url} target="_blank" rel="noopener noreferrer nofollow ugc">
          {node.alt || node.url}
        </a>
      ) : (
        node.alt
      );
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "html":
      return node.value;
    default:
      return "children" in node ? children(node, renderReference) : null;
  }
}

const noReference: RenderReference = () => null;

/** One top-level block of Markdown; it is parsed again only when its source changes. */
const MarkdownBlock = memo(
  ({ source, renderReference }: { readonly source: string; readonly renderReference: RenderReference }) => (
    <>{children(fromMarkdown(source, extensions), renderReference)}</>
  ),
);

/** Splits text at blank lines outside of code, lists and tables, so that finished blocks are parsed only once. */
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

/** Renders Markdown as elements. */
export function Markdown({
  text,
  renderReference = noReference,
}: {
  readonly text: string;
  readonly renderReference?: RenderReference;
}) {
  return (
    <>
      {splitBlocks(text).map((source, index) => (
        <MarkdownBlock key={index} source={source} renderReference={renderReference} />
      ))}
    </>
  );
}
