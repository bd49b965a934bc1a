import { findGap } from "../../chat/questions/visitor-question.ts";
import type { TrialAnswer } from "../../chat/trial/trial.ts";

/** Matches sentences in which a model declines a request, in the most frequent languages. */
const refusals =
  /\bI(?:['’]m| am) (?:sorry|afraid|unable|not able|not allowed)|\bI (?:can(?:no|['’])t|will not|won['’]t|must decline|have to decline|do not|don['’]t) (?:help|assist|provide|answer|share|do that|discuss|support|comply)|\b(?:das|dabei|damit|hierbei) (?:kann|darf|werde) ich (?:Ihnen |dir )?(?:leider )?nicht|\bich (?:kann|darf|werde) (?:Ihnen |dir )?(?:dabei|damit|das|hierbei|diese Frage) (?:leider )?nicht|tut mir leid|je (?:ne peux pas|suis désolé)|no puedo (?:ayudar|responder|proporcionar)|lo siento|non posso (?:aiutar|rispondere)|mi dispiace|não posso (?:ajudar|responder)|desculpe/iu;

/** Number of characters at the beginning of an answer in which a refusal is looked for. Later, it is about something else. */
const BEGINNING_CHARACTERS = 300;

/** Returns true if an answer refuses its question: the guardrail did, or its beginning declines or says that it does not know. */
export function isRefusal({ text, isBlocked }: Pick<TrialAnswer, "text" | "isBlocked">): boolean {
  const beginning = text.slice(0, BEGINNING_CHARACTERS);
  return isBlocked || refusals.test(beginning) || findGap(beginning, [], "") === "unknown";
}
