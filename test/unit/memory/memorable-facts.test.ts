import { expect, it } from "vitest";
import { extractMemorableFacts } from "#shared/memory/extract-memorable-facts.ts";
import { fourthTexts, thirdTexts } from "#test/support/memory/later-memorable-texts.ts";
import {
  developmentTexts,
  heldOutTexts,
  type MemorableTexts,
  secondTexts,
} from "#test/support/memory/memorable-texts.ts";

it.each([
  ["My name is Ada and I live in Paris. What is the weather?", "My name is Ada and I live in Paris.", "profile"],
  ["I prefer tea over coffee", "I prefer tea over coffee", "preference"],
  ["Remember that the meeting is on Friday", "The meeting is on Friday", "other"],
  ["please always answer in German", "Please always answer in German", "instruction"],
  ["Thanks! From now on, use metric units.", "From now on, use metric units.", "instruction"],
  ["I'm a software engineer at ACME.", "I'm a software engineer at ACME.", "profile"],
  ["I am allergic to peanuts. Any recipes?", "I am allergic to peanuts.", "profile"],
  ["Our company uses Kubernetes for everything", "Our company uses Kubernetes for everything", "fact"],
  ["Ich heiße Max und arbeite bei Siemens.", "Ich heiße Max und arbeite bei Siemens.", "profile"],
  ["Me llamo Inés.", "Me llamo Inés.", "profile"],
  ["Je m’appelle Zoé.", "Je m’appelle Zoé.", "profile"],
  ["J'habite à Lyon", "J'habite à Lyon", "profile"],
  ["About me: I live in Oslo", "I live in Oslo", "profile"],
  ["I'm a translator.", "I'm a translator.", "profile"],
  ["Merk dir bitte, dass ich Vegetarierin bin.", "Ich bin Vegetarierin.", "profile"],
  [
    "Vergiss nicht, dass wir seit März in Graz wohnen, und zwar alle.",
    "Wir wohnen seit März in Graz, und zwar alle.",
    "profile",
  ],
  ["Merk dir, dass ich mich vegan ernähre.", "Ich ernähre mich vegan.", "profile"],
])(
  "extractMemorableFacts(), which finds lasting facts in a message, returns one fact for: %s",
  (message, text, category) => {
    expect(extractMemorableFacts(message)).toMatchObject([{ text, category }]);
  },
);

it.each([
  "What is a lighthouse?",
  "I am a bit confused",
  "If I prefer tea, what should I buy?",
  "I love this!",
  "Do you know where I live in the game?",
  "Write a poem about a teacher",
  'He said "I live in Paris"',
  "I like to know how it works",
  "Translate: <p>My name is Ada</p>",
  "```\nlog\nMy name is Ada\n```",
  "> My name is Ada",
  "He goes: I live in Paris",
  "Example user: I live in Paris. I prefer tea.",
  "",
  "x".repeat(32_000),
  `My name is ${"very ".repeat(80)}long`,
])("extractMemorableFacts(), which finds lasting facts in a message, returns no fact for: %.40s", (message) => {
  expect(extractMemorableFacts(message)).toEqual([]);
});

it("extractMemorableFacts(), which finds lasting facts in a message, returns at most three facts", () => {
  const message = "I prefer tea. I live in Paris. I hate rain. I work at ACME. My dog is called Rex.";
  expect(extractMemorableFacts(message)).toHaveLength(3);
});

const isFound = ([message, word]: MemorableTexts["good"][number]) =>
  extractMemorableFacts(message).some(({ text }) => text.toLowerCase().includes(word.toLowerCase()));

it.each([
  ["known", developmentTexts, 40, 60],
  ["second", secondTexts, 20, 30],
  ["held-out", heldOutTexts, 20, 30],
  ["third", thirdTexts, 40, 60],
  ["fourth", fourthTexts, 40, 60],
])(
  "extraction of memories by rules in nine languages finds at least 80 %% of the good %s texts, and proposes at most 5 %% of the bad ones",
  (name, texts, good, bad) => {
    expect([texts.good.length, texts.bad.length]).toEqual([good, bad]);
    const found = texts.good.filter(isFound).length;
    const proposed = texts.bad.filter((message) => extractMemorableFacts(message).length > 0).length;
    console.log(`${name} texts: ${found} of ${good} good found, ${proposed} of ${bad} bad proposed`);
    expect(found / good).toBeGreaterThanOrEqual(0.8);
    expect(proposed / bad).toBeLessThanOrEqual(0.05);
  },
);
