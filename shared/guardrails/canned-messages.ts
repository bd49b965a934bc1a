/** Answer to a question that the guardrail blocks, see `shared/chat/phases/input-check.ts`. */
export const refusalMessage =
  "I cannot help with this request: it did not pass this service's safety check. If you meant something else, please rephrase it.";

/** Text that replaces an earlier message in a prompt if the guardrail blocks it. */
export const omittedMessage = "[This message was left out: it did not pass the service's safety check.]";

/** Text that replaces an answer that the guardrail blocks. */
export const withheldMessage = "This answer was withheld: it did not pass this service's safety check.";

/** Notice that is added to each answer to a question that suggests a risk of self-harm. */
export const crisisNotice =
  "If you are in danger now, call your local emergency number. https://findahelpline.com lists helplines by country that you can reach at any hour.";

/** Returns the crisis notice as a paragraph to append to an answer; empty if the answer already contains it. */
export function crisisParagraph(answer: string): string {
  if (answer.includes(crisisNotice)) return "";
  return answer === "" ? crisisNotice : `\n\n${crisisNotice}`;
}

/** Instructions for the model if the question suggests a risk of self-harm. */
export const crisisInstructions =
  "The person may be thinking of hurting or killing themselves. Answer warmly and without judging, take them seriously, do not lecture. Encourage them to talk to a person they trust and to call their local emergency number or a crisis line. Below your answer they will read a notice with the address of a list of crisis lines (https://findahelpline.com), so do not repeat the address. Never describe ways of self-harm.";
