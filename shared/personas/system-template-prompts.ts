export interface SystemPrompt {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly body: string;
  /** Default values of optional variables, by name. Variables without one are required. */
  readonly defaults?: Readonly<Record<string, string>>;
}

/**
 * Prompts of the system templates. The id of a template derives from its position, so new prompts must be appended. The
 * instructions of an answer are in `shared/chat/context/build-prompt.ts`.
 */
export const systemPrompts: readonly SystemPrompt[] = [
  {
    name: "Summarize a text",
    description: "The main points of a text, for readers who will not read it",
    category: "writing",
    body: `Summarize the text below for {{audience}} in at most {{length}}.

Begin with the one sentence a busy reader needs. Then give the main points as a list, in the order of their weight. Keep figures, names and dates exactly as they stand. Say what the text leaves open or contradicts. Add nothing that is not in it.

Text:
{{text}}`,
    defaults: { audience: "a colleague who knows the field", length: "200 words" },
  },
  {
    name: "Minutes of a meeting",
    description: "Decisions, tasks and open questions out of rough notes or a transcript",
    category: "meetings",
    body: `Turn these notes into minutes of the meeting "{{meeting}}".

Use four sections:
1. Decisions: what was decided, with the reason where one was given.
2. Tasks: a table with task, who, and by when. Write "not said" where the notes do not say.
3. Open questions: what was raised and not settled, and who should settle it.
4. In short: two sentences for those who were not there.

Do not invent agreement: where the notes show different views, name them.

Notes:
{{notes}}`,
  },
  {
    name: "Agenda for a meeting",
    description: "A timed agenda that leads to a decision",
    category: "meetings",
    body: `Draft an agenda for a meeting of {{duration}} about {{topic}}. It has succeeded if: {{outcome}}.

Give a table with time, item, who leads it, and what it must result in (information, discussion or decision). Put what needs most thought first. Name what everybody should read before, in at most three lines. Leave a tenth of the time free.

Participants: {{participants}}`,
    defaults: { duration: "60 minutes", participants: "the team" },
  },
  {
    name: "Reply to an e-mail",
    description: "A clear answer in the tone you choose",
    category: "writing",
    body: `Write a {{tone}} reply to the e-mail below. What I want to say: {{message}}

Answer every question that was asked; where I gave you no answer, mark the place with [to be filled in]. Keep it shorter than the original. End with one clear next step. No empty phrases at the beginning.

E-mail:
{{email}}`,
    defaults: { tone: "friendly, direct" },
  },
  {
    name: "Answer an unhappy customer",
    description: "Take a complaint seriously without promising what you cannot keep",
    category: "support",
    body: `A customer has written the complaint below. Draft our answer.

What we can offer: {{offer}}
What we must not promise: {{limits}}

Show first that the problem was understood, in the customer's own terms. Say what happened as far as we know it, and plainly what we do not know yet. Then what we do, and by when. Apologize once, for something definite. At most 180 words, no jargon, nothing that blames the customer.

After the draft, list in one line each what I should check before I send it.

Complaint:
{{complaint}}`,
    defaults: { limits: "dates or refunds that are not named above" },
  },
  {
    name: "Decision paper",
    description: "Options weighed against criteria, with a recommendation",
    category: "strategy",
    body: `Prepare a decision on: {{question}}

Options to look at: {{options}}
What matters to us: {{criteria}}
What is fixed: {{constraints}}

1. Restate the decision in one sentence, and say what happens if we decide nothing.
2. Compare the options with each other in a table against every criterion; mark what is known and what is assumed.
3. Name the strongest argument against each option.
4. Recommend one, and say which single piece of new information would change your mind.
5. Give the first three steps, and how we notice early that it was wrong.`,
    defaults: { constraints: "nothing beyond what is stated above" },
  },
  {
    name: "Review code",
    description: "Errors first, then clarity; every remark with a reason",
    category: "engineering",
    body: `Review this {{language}} code. What it is for: {{purpose}}

Report in this order, and leave out what has no entries:
- Errors: wrong results, lost data, races, resources that are not released. For each the input that shows it.
- Security: input that is trusted, secrets, injection, missing checks of permission.
- Clarity: names that mislead, code that could be half as long, comments that repeat the code.
- Tests that are missing, each as a one-line description.

Quote the line you mean. Say how sure you are where you are not. Suggest a change as code only where it is shorter than its description.

\`\`\`
{{code}}
\`\`\``,
  },
  {
    name: "Explain an error",
    description: "From an error message to its likely cause and the next thing to try",
    category: "engineering",
    body: `Explain this error and how to get rid of it.

Where it occurs: {{environment}}
What I did before: {{context}}

First say in plain words what the message means. Then the likely causes, most likely first, each with one check that confirms or rules it out. Then the fix for the most likely one. If you need to know more, ask for the one thing that would help most.

{{error}}`,
    defaults: { context: "nothing unusual", environment: "not known" },
  },
  {
    name: "Post-mortem of an incident",
    description: "What happened, why, and what changes: without blame",
    category: "engineering",
    body: `Write a post-mortem of the incident "{{incident}}" from the material below.

Sections: summary in three sentences; impact (who, how many, how long); timeline in UTC as a table; what went wrong and the conditions that allowed it; what limited the damage; where we were lucky; measures as a table with measure, what it prevents, owner and date.

Describe systems and decisions, not people's faults. Ask "why" until the answer is something that can be changed. Mark every gap in the material as [unknown].

Material:
{{material}}`,
  },
  {
    name: "User story with acceptance criteria",
    description: "A wish as something that can be built and tested",
    category: "product",
    body: `Turn this wish into a user story: {{wish}}

Users: {{users}}

Give: the story in one sentence (who, what, why); acceptance criteria as given/when/then, the unhappy paths and the empty state included; what is expressly not part of it; questions that must be answered before work begins. If it is too large for one week, propose how to cut it so that each part is of use by itself.`,
    defaults: { users: "all who use the product" },
  },
  {
    name: "Interview guide",
    description: "Questions that bring out facts instead of opinions",
    category: "research",
    body: `Write a guide for an interview of {{duration}} with {{interviewee}}. We want to learn: {{goal}}

Begin with two easy questions about the person's daily work. Then eight open questions, ordered from general to particular, that ask for the last real case instead of habits or wishes. For each give one follow-up that digs deeper and what we would conclude from different answers. No leading questions, none that can be answered with yes or no. End with what to ask when five minutes are left.`,
    defaults: { duration: "45 minutes" },
  },
  {
    name: "Compare sources",
    description: "What several sources agree on, where they differ, and what to believe",
    category: "research",
    body: `Compare what the sources below say about: {{question}}

Make a table with a row per claim and a column per source: supports, contradicts, silent. Then say what is well established, what is disputed and why they may differ (date, method, interest), and what none of them answers. Close with the answer you would give today, and how sure it is. Cite the source for each statement; use nothing else.

Sources:
{{sources}}`,
  },
  {
    name: "Translate with care",
    description: "A translation that keeps tone and terms, with notes where there was a choice",
    category: "writing",
    body: `Translate the text below into {{language}} for {{readers}}.

Keep the tone, the formatting, placeholders and names. Use these terms: {{terms}}. Prefer what a native writer would say to what stands there word for word. After the translation list at most five places where there was a real choice, with the alternative and your reason.

{{text}}`,
    defaults: { readers: "general readers", terms: "the usual terms of the field" },
  },
  {
    name: "Make it plain",
    description: "Official or technical language in words everybody understands",
    category: "writing",
    body: `Rewrite the text below so that {{readers}} understand it at the first reading.

Short sentences, active verbs, one thought each. Explain a term once where it cannot be avoided. Keep every condition, date, amount and obligation: nothing may get weaker or stronger. If something in the original is unclear, do not guess: list it at the end.

{{text}}`,
    defaults: { readers: "people without training in the field" },
  },
  {
    name: "Learning plan",
    description: "From where you are to what you want to be able to do",
    category: "learning",
    body: `Make a plan to learn {{topic}}. What I know already: {{level}}. Time: {{time}}. At the end I want to be able to: {{goal}}

Give a table by week: what to understand, what to practice, and a small piece of work that shows it was understood. Put the things that everything else rests on first, and say what can safely be left out. Add three questions I should be able to answer half-way; if I cannot, what to repeat.`,
    defaults: { level: "the basics", time: "six weeks, three hours each" },
  },
  {
    name: "Job advertisement",
    description: "Says what the work is, and invites people beyond the usual ones",
    category: "people",
    body: `Write a job advertisement for {{role}} at {{organisation}}.

What the person will do in the first half year: {{tasks}}
What is truly needed: {{requirements}}
What we offer: {{offer}}

Begin with the work, not with us. At most six requirements; mark what can be learned on the job. No years of experience in place of abilities, no superlatives, no words that put off one sex or age. Say how the selection goes and how long it takes. At most 350 words.`,
  },
  {
    name: "Risks of a plan",
    description: "Imagine it failed, and find out why beforehand",
    category: "strategy",
    body: `It is {{horizon}} from now and the plan below has failed. Tell why.

List ten different causes that fit the plan, not generalities. For each: how likely, how bad, the earliest sign we could see, and what we could do now at little cost. Order them by likelihood times damage. Then name the two assumptions everything rests on, and how to test each within two weeks.

Plan:
{{plan}}`,
    defaults: { horizon: "one year" },
  },
];
