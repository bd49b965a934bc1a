import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { getContextBudget } from "#shared/chat/context/context-budget.ts";
import { boundPrompt } from "#shared/chat/context/token-bounds.ts";
import type { StoredMessage } from "#shared/conversations/message-store.ts";
import { promptText } from "#shared/models/prompt-text.ts";
import { type Asked, LongConversation } from "#test/support/chat/long-conversation.ts";
import { startEmbeddingServer } from "#test/support/knowledge/embedding-server.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const windows = [4_096, 8_192, 16_384, 32_768, 128_000, 1_000_000];

/** Model that writes summaries; a test replaces it. */
let summarize: (input: string, instructions: string) => string = () => "";
vi.mock("#shared/models/ask-model.ts", () => ({
  askModel: async (modelId: string, { text, instructions }: { text: string; instructions: string }) => ({
    text: summarize(text, instructions),
    modelId,
    usage: undefined,
  }),
}));

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
  const MODELS = JSON.stringify({
    providers: { main: { type: "openai-compatible", base_url: "http://127.0.0.1:1/v1" } },
    models: Object.fromEntries(
      windows.map((context_tokens) => [`w${context_tokens}`, { provider: "main", context_tokens }]),
    ),
    tiers: { default: "w8192" },
  });
  vi.stubEnv("MODELS", MODELS).stubEnv("GUARDRAIL_PROVIDER", "local");
});
afterAll(() => table?.stop());

const markersOf = (text: string) => new Set(text.match(/\bmarker\d+x\b/g));

/** Writes a summary that names all markers of its input. */
const nameMarkers = (input: string) => [...markersOf(input)].map((marker) => `- ${marker}`).join("\n");

const textOf = ({ content }: StoredMessage) => content.map((block) => ("text" in block ? block.text : "")).join("");

/** Number of random conversations, and of their turns. */
const [conversations, maxTurns] = sized({ usual: [25, 24], full: [400, 30], soak: [2_000, 30] });

it(
  "prompt of a turn has each message of its branch, or a summary or a recall of it, in random conversations",
  async () => {
    const random = seededRandom(56);
    const upTo = (n: number) => Math.floor(random() * n);
    const filler = (length: number) =>
      "the weather was calm and the crew painted the deck again ".repeat(40).slice(0, length);
    const lost: unknown[] = [];
    let [checked, omitted, recalled, warned] = [0, 0, 0, 0];
    for (let n = 0; n < conversations; n++) {
      const failureRate = random() < 0.3 ? 0.5 : 0;
      summarize = (input) => {
        if (random() < failureRate) throw new Error("scripted failure");
        return nameMarkers(input);
      };
      const conversation = await LongConversation.start();
      let marker = n * 10_000;
      const newText = () => `${filler(upTo(10) === 0 ? 2_200 : upTo(600))} marker${++marker}x.`;
      let window = windows[upTo(windows.length)] ?? 0;
      const turns = 4 + upTo(maxTurns);
      const [hasFile, hasNote, hasSources] = [random() < 0.25, random() < 0.25, random() < 0.4];
      for (let turn = 0; turn < turns; turn++) {
        if (random() < 0.05) window = windows[upTo(windows.length)] ?? 0;
        const answers = conversation.messages.filter(({ role }) => role === "assistant");
        const questions = conversation.messages.filter(({ role }) => role === "user");
        const [answer, question] = [answers[upTo(answers.length)], questions[upTo(questions.length)]];
        if (random() < 0.04 && question) await conversation.delete(random() < 0.5 && answer ? answer : question);
        const kind = random();
        const placement =
          kind < 0.04 && answer && conversation.messages.includes(answer)
            ? { after_id: answer.message_id }
            : kind < 0.07 && question && conversation.messages.includes(question)
              ? { replaces_id: question.message_id }
              : {};
        const last = conversation.messages.findLast(({ role }) => role === "user");
        const asked: Asked = {
          model: `w${window}`,
          text: newText(),
          answer: newText(),
          placement,
          ...(kind > 0.95 && last && { again: last }),
          ...(hasFile && turn > 3 && { file: "line of the file\n".repeat(3_000) }),
          ...(hasNote && { note: "The note is long. ".repeat(30) }),
          ...(hasSources && random() < 0.7 && { sources: Array.from({ length: 12 }, () => "Passage. ".repeat(90)) }),
        };
        const { turn: done, events, prompt } = await conversation.ask(asked);
        const roles = done.answer.prompt.map(({ role }) => role);
        expect(roles.slice(0, 2)).toEqual(["system", "user"]);
        expect(roles.filter((role, index) => role === roles[index - 1])).toEqual([]);
        expect(boundPrompt(done.answer.prompt)).toBeLessThanOrEqual(getContextBudget(asked.model, null).prompt);
        const missing = conversation
          .branchBefore(done.question)
          .filter(({ message_id }) => message_id < done.run.message_id)
          .filter((message) => [...markersOf(textOf(message))].some((name) => !prompt.includes(name)));
        checked++;
        if (missing.length === 0) continue;
        omitted += missing.length;
        if (events.length > 0) warned++;
        const [one] = missing.sort(() => random() - 0.5);
        const [name = ""] = one ? markersOf(textOf(one)) : [];
        const asks = `Where is ${name}?`;
        const found = await conversation.prepare(
          { ...done.question, content: [{ type: "text", text: asks }] },
          { ...asked, text: asks },
        );
        if (!promptText(found.turn.answer.prompt).replace(asks, "").includes(name)) lost.push([n, turn, name]);
        recalled++;
      }
    }
    console.log(`${checked} prompts, ${omitted} messages omitted, ${recalled} recalled, ${warned} warnings`);
    expect(lost).toEqual([]);
    expect(recalled).toBeGreaterThan(0);
  },
  sized({ usual: 120_000, full: 1_200_000, soak: 3_600_000 }),
);

const names = ["Oslo", "Lima", "Quito", "Hanoi", "Dakar", "Turin", "Porto", "Ghent", "Cork", "Bergen"];
const things = ["The fare to", "The harbor fee in", "The office rent in", "The hotel price in"];
const facts = things.flatMap((thing, row) =>
  names.map((name, column) => ({
    statement: `${thing} ${name} is ${1_000 + 10 * row + column} crowns.`,
    question: `What was ${thing.toLowerCase()} ${name}?`,
  })),
);

/** Returns the facts that a text states. */
const statedIn = (text: string) => facts.filter(({ statement }) => text.includes(statement));

/** Length of the longest common beginning of two texts. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

it.each([
  ["keeps all facts", 0, 40],
  ["loses a third of the facts each time", 1 / 3, 38],
])(
  "prompts of a long conversation in a window of 8,192 tokens have the fact that a question names if the summary %s",
  async (_, lossRate, minimum) => {
    const random = seededRandom(7);
    summarize = (input) =>
      statedIn(input)
        .filter(() => random() >= lossRate)
        .map(({ statement }) => `- ${statement}`)
        .join("\n") || "- Nothing.";
    const conversation = await LongConversation.start();
    const filler = "The weather was calm and the crew painted the deck again. ";
    let [before, shared, total] = ["", 0, 0];
    const turns = sized({ usual: 80, full: 200 });
    for (let turn = 0; turn < turns; turn++) {
      const fact = turn % (turns / 40) === 0 ? facts[turn / (turns / 40)] : undefined;
      const text = fact ? fact.statement : `${filler.repeat(5)} ${turn}`;
      const { prompt } = await conversation.ask({ model: "w8192", text, answer: `Understood. ${filler.repeat(5)}` });
      shared += commonLength(before, prompt);
      total += prompt.length;
      before = prompt;
    }
    const found = [];
    for (const fact of facts) {
      const prompt = await conversation.promptFor({ model: "w8192", text: fact.question });
      if (prompt.includes(fact.statement)) found.push(fact);
    }
    console.log(
      `${found.length} of ${facts.length} facts, ${Math.round((100 * shared) / total)} % of the prompts repeated`,
    );
    expect(found.length).toBeGreaterThanOrEqual(minimum);
    expect(shared / total).toBeGreaterThan(0.85);
  },
);

it("prompts of a conversation do not return to a shorter summary when the next turn has fewer sources", async () => {
  summarize = (_, instructions) => `- ${instructions.length}`;
  const conversation = await LongConversation.start();
  const filler = "The weather was calm and the crew painted the deck again. ".repeat(5);
  const used: string[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const sources = turn % 2 === 0 ? [] : Array.from({ length: 12 }, (_, n) => `Passage ${n}. `.repeat(60));
    const { turn: done } = await conversation.ask({
      model: "w8192",
      text: `${filler} ${turn}`,
      answer: filler,
      sources,
    });
    used.push(done.answer.summaryUntilId ?? "");
  }
  expect(used).toEqual(used.toSorted());
  expect(new Set(used).size).toBeGreaterThan(2);
});

const paraphrases = [
  ["The physician in the village is Larsen.", "Who is our doctor?"],
  ["Our automobile is a green Volvo.", "Which car do we drive?"],
  ["Anna will restore the clock in May.", "When will they repair it?"],
  ["Their wage is 3,100 crowns.", "How high is that salary?"],
  ["The vacation starts on the third of July.", "When is my leave?"],
] as const;

it("prompts of a conversation with an embedding provider have the message that a question paraphrases", async () => {
  const server = await startEmbeddingServer();
  vi.stubEnv("EMBEDDING_PROVIDER", "openai-compatible").stubEnv("EMBEDDING_ID", "m");
  vi.stubEnv("EMBEDDING_BASE_URL", server.baseUrl).stubEnv("EMBEDDING_API_KEY", "");
  summarize = () => "- Nothing.";
  try {
    const conversation = await LongConversation.start();
    const filler = "The weather was calm and the crew painted the deck again. ".repeat(6);
    for (let turn = 0; turn < 40; turn++) {
      const text = paraphrases[turn]?.[0] ?? `${filler} ${turn}`;
      await conversation.ask({ model: "w8192", text, answer: filler });
    }
    const isRecalled = async ([statement, question]: (typeof paraphrases)[number]) =>
      (await conversation.promptFor({ model: "w8192", text: question })).includes(statement);
    const found = [];
    for (const pair of paraphrases) if (await isRecalled(pair)) found.push(pair[1]);
    expect(found).toEqual(paraphrases.map(([, question]) => question));
    // Without the provider, messages are recalled by words.
    server.isBroken = true;
    expect(await isRecalled(["Their wage is 3,100 crowns.", "What is their wage?"] as never)).toBe(true);
  } finally {
    server.close();
    vi.stubEnv("EMBEDDING_PROVIDER", "none");
  }
});
