import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../lib/parse-json.ts";
import type { CallResult } from "./mcp/protocol.ts";

type Part = CallResult["content"][number];

/** Result of a tool call in the form that is sent to the model. */
interface ToolResult {
  readonly text?: string;
  readonly structured?: unknown;
  readonly links?: readonly { readonly uri: string; readonly name: string }[];
  /** Descriptions of content other than text, such as `image/png, 12 KB`. */
  readonly attachments?: readonly string[];
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** Describes a binary part by media type and size, such as `image/png, 12 KB`. */
function describeBinary({ type, mimeType, data, blob }: Readonly<Record<string, unknown>>): string {
  const bytes = Math.floor((textOf(data ?? blob).length * 3) / 4);
  return `${textOf(mimeType).slice(0, 100) || textOf(type)}, ${Math.ceil(bytes / 1_024)} KB`;
}

/**
 * Converts the result of a call for the model. Images and audio are replaced by descriptions, because models read tool
 * results as text.
 */
export function toToolResult({ content, structuredContent }: CallResult): ToolResult {
  const texts: string[] = [];
  const links: { uri: string; name: string }[] = [];
  const attachments: string[] = [];
  const addResource = (resource: Readonly<Record<string, unknown>>) => {
    if (typeof resource.text === "string") texts.push(resource.text);
    else attachments.push(describeBinary(resource));
  };
  for (const part of content as readonly Part[]) {
    const { type, text, uri, name, title, resource } = part;
    if (type === "text") texts.push(textOf(text));
    else if (type === "resource_link") links.push({ uri: textOf(uri), name: textOf(title ?? name) });
    else if (type === "resource" && typeof resource === "object" && resource !== null) addResource({ ...resource });
    else attachments.push(describeBinary(part));
  }
  const text = texts.join("\n");
  // Servers repeat structured content as text for clients that do not read it.
  const isRepeated = structuredContent !== undefined && isDeepStrictEqual(parseJson(text), structuredContent);
  return {
    ...(text !== "" && !isRepeated && { text }),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(links.length > 0 && { links }),
    ...(attachments.length > 0 && { attachments }),
  };
}
