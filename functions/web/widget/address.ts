/** Returns a URL that is safe to link to; null for other schemes, such as `javascript:`. */
export function safeAddress(text: string): string | null {
  try {
    const url = new URL(text);
    return /^(https?|mailto):$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const countCharacter = (text: string, character: string) => text.split(character).length - 1;

/** Returns the URL at the start of a text, without trailing punctuation but with closing parentheses that it opened itself. */
export function bareAddress(text: string): string {
  const [match = ""] = /^(?:https?:\/\/|mailto:)[^\s<>"'`]+/.exec(text) ?? [];
  const trimmed = match.replace(/(?<![.,;:!?)\]}*_~])[.,;:!?)\]}*_~]+$/, "");
  const [closing = ""] = /^\)*/.exec(match.slice(trimmed.length)) ?? [];
  return trimmed + closing.slice(0, Math.max(0, countCharacter(trimmed, "(") - countCharacter(trimmed, ")")));
}
