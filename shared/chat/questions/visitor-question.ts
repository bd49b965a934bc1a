import type { Block } from "../../api/blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { hasSubject } from "../../knowledge/search/content-words.ts";
import { truncate } from "../../lib/truncate.ts";
import type { Turn } from "../turn.ts";
import { findIntent } from "./find-intent.ts";

/** Matches sentences in which a model says that it does not know the answer, in the most frequent languages. */
const unknownPhrases =
  /\b(?:I (?:do not|don['’]t) (?:know|have (?:any |enough |that |this |specific )?(?:information|details))|I (?:could not|couldn['’]t|cannot|can['’]t|was unable to) find|(?:not|n['’]t) (?:contain|include|mention|provide) (?:any |enough |that |this |specific )?(?:information|details|answer)|no (?:information|details) (?:about|on|regarding))|\b(?:ich weiß (?:es |das )?(?:leider )?nicht|(?:habe|finde|liegen) (?:ich |mir )?(?:dazu |hierzu |leider )*keine (?:Informationen|Angaben|Hinweise)|keine (?:Informationen|Angaben) (?:dazu|hierzu|darüber|zu|über))|je ne sais pas|je n['’]ai pas (?:trouvé|d['’]informations?)|no (?:lo )?sé\b|no (?:tengo|encuentro|he encontrado) (?:esa )?información|non (?:lo )?so\b|non ho (?:trovato )?informazioni|não sei\b|não (?:tenho|encontrei) informaç|(?:ik weet (?:het|dat) niet|geen informatie (?:over|gevonden))/iu;

/** Maximum length in characters of a visitor's question in the lists for the owner of a website. */
const MAX_QUESTION_LENGTH = 500;

/**
 * Returns why an answer leaves the question open: `unknown` if it says that it does not know, `no_source` if it cites
 * nothing although the question has a subject to search for; null if it answers the question.
 */
export function findGap(
  text: string,
  content: readonly Block[],
  searchedQuestion: string,
): "no_source" | "unknown" | null {
  if (unknownPhrases.test(text)) return "unknown";
  const isQuestion = hasSubject(searchedQuestion) && findIntent(searchedQuestion).intent === null;
  const isUncited = !content.some(({ type }) => type === "citation");
  return isUncited && isQuestion ? "no_source" : null;
}

/**
 * Returns the question of a visitor for the lists of the website's owner, with the searched form if it differs, and the
 * gap that the answer leaves.
 */
export function toVisitorQuestion(
  { answer, questionText, searchedQuestion }: Pick<Turn, "answer" | "questionText" | "searchedQuestion">,
  content: readonly Block[],
): NonNullable<StoredMessage["visitor_question"]> {
  const gap = findGap(answer.text, content, searchedQuestion);
  const isComplete = searchedQuestion === "" || searchedQuestion === questionText;
  return {
    text: truncate(questionText, MAX_QUESTION_LENGTH),
    ...(!isComplete && { searched: truncate(searchedQuestion, MAX_QUESTION_LENGTH) }),
    ...(gap && { gap }),
  };
}
