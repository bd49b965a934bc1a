/** What is answered to a question that the safety check refuses. */
export const refusal =
  "I cannot help with this request: it did not pass this service's safety check. Please put it differently if you meant something else.";

/** What stands in place of an earlier question that the safety check refuses, for the model. */
export const leftOut = "[This message was left out: it did not pass the service's safety check.]";

/** What stands in place of an answer that the safety check refuses. */
export const withheld = "This answer was withheld: it did not pass this service's safety check.";

/** What a model is told when somebody seems to be in danger from themselves. */
export const careRules =
  "The person may be thinking of hurting or killing themselves. Answer warmly and without judging, take them seriously, do not lecture. Encourage them to talk to somebody they trust and to call their local emergency number or a crisis line (https://findahelpline.com lists them by country). Never describe ways of self-harm.";

/** What is said to somebody like that where there is no model that could find words of its own. */
export const care =
  "I am sorry that you are going through this, and I am glad that you said it. I am a program and no substitute for a person: please talk to somebody you trust, today. If you are in danger now, call your local emergency number. People who listen at any hour are listed by country at https://findahelpline.com.";
