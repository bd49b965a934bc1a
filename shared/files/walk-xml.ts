import { Parser } from "htmlparser2";
import { ExtractionError } from "./extraction-error.ts";

/**
 * Maximum nesting of elements, because the parser's time is quadratic in it. Files of Office programs stay below 100.
 */
const MAX_DEPTH = 2_000;

/** Attributes of an element by local name, without namespace prefix. */
export type XmlAttributes = Readonly<Record<string, string>>;

const toLocalName = (name: string) => name.slice(name.indexOf(":") + 1);

/**
 * Returns attributes by local name. If two have the same local name, such as `id` and `r:id`, the prefixed one is
 * returned, because it refers to another part.
 */
function toLocalAttributes(attributes: Readonly<Record<string, string>>): XmlAttributes {
  const entries = Object.entries(attributes);
  const isPrefixed = ([name]: readonly [string, string]) => name.includes(":");
  const ordered = [...entries.filter((entry) => !isPrefixed(entry)), ...entries.filter(isPrefixed)];
  return Object.fromEntries(ordered.map(([name, value]) => [toLocalName(name), value]));
}

/**
 * Event handlers of `walkXml`. Names have no prefix, because programs choose different prefixes for the same namespace.
 */
interface XmlHandlers {
  open?(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Walks through an XML document and calls handlers. Document type declarations are skipped, and only predefined
 * entities and character references are decoded, so that a file can neither expand entities nor refer to other files.
 * @throws ExtractionError `corrupt` if elements are nested too deeply
 */
export function walkXml(xml: string, { open, close, text }: XmlHandlers): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth++;
        if (depth > MAX_DEPTH) throw new ExtractionError("corrupt");
        open?.(toLocalName(name), toLocalAttributes(attributes));
      },
      onclosetag: (name) => {
        depth--;
        close?.(toLocalName(name));
      },
      ontext: (data) => text?.(data),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

/** Relationship from one part of an Office file to another. */
interface Relationship {
  readonly type: string;
  readonly target: string;
}

/**
 * Parses the relationships of a part, by id. External targets, such as links to web pages, are left out.
 * @param folder folder of the part, to which targets are relative
 */
export function parseRelationships(xml: string | undefined, folder: string): ReadonlyMap<string, Relationship> {
  const relationships = new Map<string, Relationship>();
  walkXml(xml ?? "", {
    open(name, { Id = "", Type = "", Target = "", TargetMode }) {
      if (name !== "Relationship" || TargetMode === "External") return;
      const type = Type.slice(Type.lastIndexOf("/") + 1);
      relationships.set(Id, { type, target: resolvePath(folder, Target) });
    },
  });
  return relationships;
}

/** Resolves a path within an archive relative to a folder. A leading slash stands for the root of the archive. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = path.startsWith("/") ? [] : folder.split("/").filter(Boolean);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/**
 * Returns the path of the file with the relationships of a part: `ppt/slides/slide1.xml` →
 * `ppt/slides/_rels/slide1.xml.rels`.
 */
export function toRelationshipsPath(part: string): string {
  const slash = part.lastIndexOf("/") + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

/** Returns the folder of a part: `ppt/slides/slide1.xml` → `ppt/slides`. */
export function toFolder(part: string): string {
  return part.slice(0, Math.max(0, part.lastIndexOf("/")));
}
