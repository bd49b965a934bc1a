/** Data processing activities for which a front end asks users' consent. */
export const consentActivities = [
  {
    id: "conversation-processing",
    title: "Conversations",
    description: "What you write is stored and sent to a language model so that the assistant can answer.",
    required: true,
    version: "1",
  },
  {
    id: "memory",
    title: "Memory",
    description: "Facts and preferences that you confirm are remembered and used in later answers.",
    required: false,
    version: "1",
  },
  {
    id: "feedback",
    title: "Feedback",
    description:
      "Your ratings of answers are kept to improve them; the text of your question is stored only as a hash.",
    required: false,
    version: "1",
  },
  {
    id: "usage-statistics",
    title: "Usage statistics",
    description: "Numbers of requests, tokens and their cost are counted for your organization.",
    required: true,
    version: "1",
  },
] as const;
