/** Rule of a robots.txt file. */
interface Rule {
  readonly isAllowed: boolean;
  readonly path: string;
}

/** Length limit of a robots.txt file in UTF-16 code units. */
const MAX_LENGTH = 512_000;
/** Maximum number of wildcards of a rule, which bounds the time of matching. */
const MAX_WILDCARDS = 10;

/** Returns the rules of the groups for a user agent, or else the rules of the groups for all user agents. */
function findRules(text: string, userAgent: string): Rule[] {
  const rules = new Map<string, Rule[]>();
  let agents: string[] = [];
  let isInRules = false;
  for (const line of text.slice(0, MAX_LENGTH).split(/\r\n?|\n/)) {
    const [, name = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    const field = name.toLowerCase();
    if (field === "user-agent") {
      if (isInRules) agents = [];
      isInRules = false;
      agents.push(value.trim().toLowerCase());
    } else if (field === "allow" || field === "disallow") {
      isInRules = true;
      const path = value.trim();
      if (path === "") continue;
      for (const agent of agents) {
        rules.set(agent, [...(rules.get(agent) ?? []), { isAllowed: field === "allow", path }]);
      }
    }
  }
  return rules.get(userAgent.toLowerCase()) ?? rules.get("*") ?? [];
}

/** Checks whether a path starts with a pattern, in which `*` matches any text and `$` the end. */
function matches(pattern: string, path: string): boolean {
  const parts = pattern.replace(/\$$/, "").split("*");
  if (parts.length > MAX_WILDCARDS) return false;
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const found = index === 0 ? (path.startsWith(part) ? 0 : -1) : path.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  if (!pattern.endsWith("$")) return true;
  return position === path.length || path.endsWith(parts.at(-1) ?? "");
}

/**
 * Checks whether a robots.txt file allows a path. The longest matching rule applies; if an allowing and a forbidding rule
 * are equally long, the allowing one.
 * @see https://www.rfc-editor.org/rfc/rfc9309
 */
export function isAllowedByRobots(text: string, path: string, userAgent: string): boolean {
  const applicable = findRules(text, userAgent).filter((rule) => matches(rule.path, path));
  const [best] = applicable.sort((a, b) => b.path.length - a.path.length || Number(b.isAllowed) - Number(a.isAllowed));
  return best?.isAllowed ?? true;
}
