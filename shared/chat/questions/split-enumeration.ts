import { toContentWords } from "../../knowledge/search/content-words.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { extractWords } from "../../lib/language/terms.ts";

/** Maximum number of items of an enumeration, and of content words of one. */
const [MAX_ITEMS, MAX_ITEM_WORDS] = [4, 3];

/** Question about one item of an enumeration. */
interface ItemQuestion {
  readonly text: string;
  /** Normalized words of the item. */
  readonly words: readonly string[];
  /** True for a name of several words. A passage is about it only if it contains all of these words. */
  readonly isName: boolean;
}

/** Matches conjunctions between items of an enumeration. "En" and "of" are conjunctions only in Dutch. */
const conjunction = /^(?:and|und|et|y|e|och|og|и|та|sowie|or|oder|ou|o|или|vs\.?|versus)$/iu;
const dutchConjunction = /^(?:en|of)$/iu;

const article =
  /^(?:the|an?|der|die|das|den|dem|des|eine?[rsmn]?|l[aeo]s?|une?|el|los|il|gli|uma?|os|as|een|het|de[nt]?|ett?)$/iu;

/** Words that can be inside a name, such as "to" in "Letters to Cleo", and the maximum number of words of a name. */
const nameJoiner = /^(?:of|the|to|in|on|at|for|by|with|an?|de|la|du|des|del|della|di|do|da|van|von|der|den|af|av)$/u;
const MAX_NAME_WORDS = 6;

/**
 * Splits a question at its first enumeration, so that "how are burns and stings treated" becomes a question about burns
 * and one about stings. Names of several words become questions without the other words. Returns an empty array if
 * there is no enumeration.
 */
export function splitEnumeration(question: string): ItemQuestion[] {
  const language = detectLanguage(question);
  const tokens = question.match(/[,;]|[^\s,;]+/gu) ?? [];
  const isConjunction = (token: string) =>
    conjunction.test(token) || (language === "nl" && dutchConjunction.test(token));
  // German writes all nouns with a capital letter.
  const isName = (index: number) => language !== "de" && index > 0 && /^\p{Lu}|^\d/u.test(tokens[index] ?? "");
  const isSubject = (index: number) => {
    const token = tokens[index] ?? "";
    return isName(index) || (!isConjunction(token) && toContentWords(token, language).length > 0);
  };
  const endOfName = (start: number, step: 1 | -1) => {
    let end = start;
    for (let next = start; Math.abs(next - start) < MAX_NAME_WORDS; next += step) {
      if (isName(next)) end = next + step;
      else if (!nameJoiner.test(tokens[next] ?? "")) break;
    }
    return end;
  };
  const endOfWords = (start: number, step: 1 | -1) => {
    let end = start;
    while (isSubject(end) && Math.abs(end - start) < MAX_ITEM_WORDS) end += step;
    return end;
  };
  const runFrom = (start: number, step: 1 | -1) => {
    const end = (isName(start) ? endOfName : endOfWords)(start, step);
    return step === 1 ? { start, end } : { start: end + 1, end: start + 1 };
  };
  const skipArticle = (index: number) => (article.test(tokens[index] ?? "") ? index + 1 : index);
  const before = (index: number) => index - (tokens[index - 1] === "," ? 2 : 1);
  const at = tokens.findIndex(
    (token, index) =>
      index > 0 && isConjunction(token) && isSubject(skipArticle(index + 1)) && isSubject(before(index)),
  );
  if (at < 0) return [];
  const areNames = isName(before(at)) && isName(skipArticle(at + 1));
  const items = [runFrom(skipArticle(at + 1), 1)];
  for (let end = before(at); end >= 0 && (!areNames || isName(end)); ) {
    const item = runFrom(end, -1);
    if (item.start >= item.end) break;
    items.unshift(item);
    if (tokens[item.start - 1] !== ",") break;
    end = item.start - 2;
  }
  // The last item ends where the others do: in "lamps and tires cost", the verb belongs to both.
  const last = items.at(-1);
  const longest = Math.max(...items.slice(0, -1).map(({ start, end }) => end - start));
  if (last && !areNames && last.end === tokens.length && last.end - last.start > longest)
    last.end = last.start + longest;
  const head = tokens.slice(0, items[0]?.start);
  const tail = tokens.slice(items.at(-1)?.end);
  return items.slice(0, MAX_ITEMS).map(({ start, end }) => {
    const item = tokens.slice(start, end);
    const words = extractWords(item.join(" "), language).map(({ word }) => word);
    // The other words of the question would hide the passage that a name is about. A weekday or a year says nothing without them.
    const isName = areNames && words.length > 0 && item.filter((token) => /^\p{Lu}/u.test(token)).length > 1;
    const text = (isName ? item : [...head, ...item, ...tail]).join(" ").replace(/ (?=[,;])/g, "");
    return { text: isName ? text.replace(/(?<![?.!:])[?.!:]+$/, "") : text, words, isName };
  });
}
