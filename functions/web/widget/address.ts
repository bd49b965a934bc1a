/** An address that a link may lead to; null for any other, such as one that would run a script. */
export function safeAddress(text: string): string | null {
  try {
    const url = new URL(text);
    return /^(https?|mailto):$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const countOf = (text: string, character: string) => text.split(character).length - 1;

/** The address that a text begins with, without what belongs to the sentence around it; brackets it opens, it closes. */
export function bareAddress(text: string): string {
  const [found = ""] = /^(?:https?:\/\/|mailto:)[^\s<>"'`]+/.exec(text) ?? [];
  const trimmed = found.replace(/[.,;:!?)\]}*_~]+$/, "");
  const [closing = ""] = /^\)*/.exec(found.slice(trimmed.length)) ?? [];
  return trimmed + closing.slice(0, Math.max(0, countOf(trimmed, "(") - countOf(trimmed, ")")));
}
