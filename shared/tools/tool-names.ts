import { sha256 } from "../lib/hash.ts";

/** Maximum length of a function name that all model providers accept. It may contain letters, digits, `_` and `-`. */
const MAX_NAME_CHARACTERS = 64;

const toWord = (text: string) =>
  text
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replaceAll(/^_+|(?<!_)_+$/g, "");

/**
 * Returns the unique function name of a tool for models: `<server>__<tool>`. A name that is too long or taken ends with
 * a hash.
 * @param taken names of other tools, to which the name is added
 */
export function toFunctionName(server: string, tool: string, taken: Set<string>): string {
  const prefix = toWord(server).toLowerCase().slice(0, 24) || "server";
  const full = `${prefix}__${toWord(tool)}`;
  const suffix = `_${sha256(`${server} ${tool}`)
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .slice(0, 6)}`;
  const isUsable = full.length <= MAX_NAME_CHARACTERS && !taken.has(full);
  const name = isUsable ? full : full.slice(0, MAX_NAME_CHARACTERS - suffix.length) + suffix;
  taken.add(name);
  return name;
}
