import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { errorResponse, type Script, startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

/** Texts of one language. The questions share no words, so that each is found in a prompt by itself. */
interface Texts {
  readonly questions: readonly [string, string, string];
  readonly edited: string;
  /** States a number about a city. */
  readonly fact: (city: string, fare: number) => string;
  readonly asksFact: (city: string) => string;
  readonly filler: string;
}

const languages: Readonly<Record<string, Texts>> = {
  English: {
    questions: ["Where is the harbor?", "When does the ferry leave?", "Who sells the tickets?"],
    edited: "Which pier is the nearest?",
    fact: (city, fare) => `The fare to ${city} is ${fare} crowns.`,
    asksFact: (city) => `What was the fare to ${city}?`,
    filler: "The weather was calm and the crew painted the deck again.",
  },
  German: {
    questions: ["Wo liegt der Hafen?", "Wann fährt die Fähre ab?", "Wer verkauft Karten?"],
    edited: "Welcher Anleger ist der nächste?",
    fact: (city, fare) => `Die Überfahrt nach ${city} kostet ${fare} Kronen.`,
    asksFact: (city) => `Was kostete die Überfahrt nach ${city}?`,
    filler: "Das Wetter war ruhig, und die Mannschaft strich wieder das Deck.",
  },
  Spanish: {
    questions: ["¿Dónde está el puerto?", "¿Cuándo sale el barco?", "¿Quién vende billetes?"],
    edited: "¿Qué muelle queda más cerca?",
    fact: (city, fare) => `El pasaje a ${city} cuesta ${fare} coronas.`,
    asksFact: (city) => `¿Cuánto costaba el pasaje a ${city}?`,
    filler: "El tiempo estaba tranquilo y la tripulación pintó otra vez la cubierta.",
  },
  Russian: {
    questions: ["Где находится порт?", "Когда отходит паром?", "Кто продаёт билеты?"],
    edited: "Какой причал ближе всего?",
    fact: (city, fare) => `Проезд до ${city} стоит ${fare} крон.`,
    asksFact: (city) => `Сколько стоил проезд до ${city}?`,
    filler: "Погода была спокойной, и команда снова красила палубу.",
  },
  Japanese: {
    questions: ["港はどこですか。", "船は何時に出ますか。", "切符は誰が売りますか。"],
    edited: "一番近い桟橋はどれですか。",
    fact: (city, fare) => `${city}までの運賃は${fare}クローネです。`,
    asksFact: (city) => `${city}までの運賃はいくらでしたか。`,
    filler: "天気は穏やかで、乗組員はまた甲板を塗りました。",
  },
  Arabic: {
    questions: ["أين يقع الميناء؟", "متى تغادر العبارة؟", "من يبيع التذاكر؟"],
    edited: "أي رصيف هو الأقرب؟",
    fact: (city, fare) => `أجرة السفر إلى ${city} هي ${fare} كرونة.`,
    asksFact: (city) => `كم كانت أجرة السفر إلى ${city}؟`,
    filler: "كان الطقس هادئا وطلى الطاقم سطح السفينة مرة أخرى.",
  },
};

const cities = ["Oslo", "Lima", "Quito", "Hanoi", "Dakar", "Turin", "Porto", "Ghent", "Cork", "Bergen"] as const;

/** Languages with dialogues of 200 turns. */
const longLanguages = sized({ usual: [], full: ["Arabic"], soak: Object.keys(languages) });

/** Tokens of the windows of the two models. */
const windows = { QUICK: 8_192, THINKING: 128_000 } as const;

interface PromptMessage {
  readonly role: string;
  readonly content: string;
}

describe.runIf(isFullRun)("prompts of dialogues", () => {
  let upstream: Upstream;
  let service: Switchboard;
  let client: Client;
  let answerCount = 0;

  beforeAll(async () => {
    upstream = await startUpstream();
    const MODELS = JSON.stringify({
      providers: { main: { type: "openai-compatible", base_url: upstream.baseUrl } },
      models: {
        small: { provider: "main", context_tokens: windows.QUICK },
        large: { provider: "main", context_tokens: windows.THINKING },
      },
      tiers: { default: "large", QUICK: "small" },
    });
    service = await startSwitchboard({ env: { MODELS, RATE_LIMIT_USER: "100000" } });
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
  });

  /** Returns true for the prompt of a turn. Other calls, such as those for summaries and memories, have other instructions. */
  const isTurn = ([system]: readonly PromptMessage[]) =>
    system?.content.includes("You are a helpful assistant.") === true;

  const answerWithNumber: Script = (response, request) =>
    streamText([isTurn(request.body.messages) ? `<${++answerCount}>` : "- Nothing."])(response, request);

  /** Sends a turn and returns the ids of its question and its answer. */
  async function send(conversation_id: string, fields: Record<string, unknown>) {
    const frames = await client.chat({ conversation_id, tier: "THINKING", ...fields });
    const { message_id, user_message_id } = frames[0]?.data ?? {};
    return { answer: message_id as string, question: user_message_id as string };
  }

  const lastPrompt = (): PromptMessage[] =>
    upstream.requests.map(({ body }): PromptMessage[] => body.messages).findLast(isTurn) ?? [];

  /** Returns the last prompt after the instructions as one text, and checks its form. */
  function readPrompt(tier: keyof typeof windows = "THINKING"): string {
    const prompt = lastPrompt();
    expect(prompt.filter(({ role }, index) => index > 0 && prompt[index - 1]?.role === role)).toEqual([]);
    // Texts of these languages have at least three UTF-8 bytes a token.
    expect(Buffer.byteLength(JSON.stringify(prompt)) / 3).toBeLessThan(windows[tier]);
    return prompt
      .slice(1)
      .map(({ role, content }) => `${role}: ${content.replace(/^\(Today is .*\)\n\n/, "")}`)
      .join("\n");
  }

  const answered = (n: number) => `assistant: <${n}>`;

  /** Asks the three questions. Returns the ids and the numbers of the answers. */
  async function askAll(id: string, { questions }: Texts) {
    const turns = [];
    for (const content of questions) turns.push({ ...(await send(id, { content })), number: answerCount });
    return turns as [(typeof turns)[0], (typeof turns)[0], (typeof turns)[0]];
  }

  /** Dialogues: each returns what the last prompt contains in this order, and what it lacks. */
  const dialogues: Readonly<
    Record<string, (id: string, texts: Texts) => Promise<{ readonly has: string[]; readonly lacks?: string[] }>>
  > = {
    "three questions": async (id, texts) => {
      const [first, second] = await askAll(id, texts);
      const [a, b, c] = texts.questions;
      return { has: [a, answered(first.number), b, answered(second.number), c] };
    },
    "an answer generated three times": async (id, { questions: [a, b] }) => {
      let turn = await send(id, { content: a });
      const discarded = [answerCount];
      turn = await send(id, { regenerate_message_id: turn.answer });
      discarded.push(answerCount);
      await send(id, { regenerate_message_id: turn.answer });
      const number = answerCount;
      await send(id, { content: b });
      return { has: [a, answered(number), b], lacks: discarded.map(answered) };
    },
    "a first question that is edited": async (id, texts) => {
      const [first, second] = await askAll(id, texts);
      const [a, b, c] = texts.questions;
      await send(id, { content: texts.edited, edit_message_id: first.question });
      await send(id, { content: c });
      return { has: [texts.edited, c], lacks: [a, b, answered(second.number)] };
    },
    "a branch that is chosen again": async (id, texts) => {
      const [first, , third] = await askAll(id, texts);
      const [a, b, c] = texts.questions;
      await send(id, { content: texts.edited, edit_message_id: first.question });
      await client.patch(`/v1/conversations/${id}`, { active_message_id: third.answer });
      await send(id, { content: "OK." });
      return { has: [a, b, c, answered(third.number), "OK."], lacks: [texts.edited] };
    },
    "a question after an earlier answer": async (id, texts) => {
      const [first, second] = await askAll(id, texts);
      const [a, b, c] = texts.questions;
      await send(id, { content: texts.edited, after_message_id: first.answer });
      return { has: [a, answered(first.number), texts.edited], lacks: [b, c, answered(second.number)] };
    },
    "a question that failed twice": async (id, { questions: [a, b] }) => {
      upstream.script = errorResponse(503, "down");
      for (let n = 0; n < 2; n++) await send(id, { content: a });
      upstream.script = answerWithNumber;
      await send(id, { content: b });
      expect(readPrompt().split(a)).toHaveLength(2);
      return { has: ["not answered, because the answer failed", a, b] };
    },
    "a question that the provider refused": async (id, { questions: [a, b, c] }) => {
      await send(id, { content: a });
      upstream.script = errorResponse(400, "The content was filtered");
      await send(id, { content: b });
      upstream.script = answerWithNumber;
      await send(id, { content: c });
      return { has: [a, "refused, is left out", c], lacks: [b] };
    },
    "an answer that is stopped": async (id, { questions: [a, b] }) => {
      upstream.script = streamText(
        Array.from({ length: 1_000 }, (_, n) => `part${n} `),
        { pauseMs: 50 },
      );
      const turn = send(id, { content: a });
      for (let stopped = false; !stopped; await sleep(100)) {
        const { body } = await client.get(`/v1/conversations/${id}/messages`);
        const running = body.messages.find(({ status }: { status: string }) => status === "streaming");
        if (running) stopped = (await client.post(`/v1/runtime/chat/${running.message_id}/stop`, {})).status < 300;
      }
      await turn;
      upstream.script = answerWithNumber;
      await send(id, { content: b });
      return { has: [a, "(The answer was stopped here.)", b], lacks: ["part999"] };
    },
    "a thread": async (id, texts) => {
      const [first] = await askAll(id, texts);
      const [a, b] = texts.questions;
      await send(id, { content: texts.edited, parent_message_id: first.answer });
      await send(id, { content: texts.filler, parent_message_id: first.answer });
      const thread = readPrompt();
      expect(thread.indexOf("writes in the thread")).toBeGreaterThan(0);
      return { has: [a, "writes in the thread", `<${first.number}>`, texts.edited, texts.filler], lacks: [b] };
    },
    "the main line after a thread": async (id, texts) => {
      const [first] = await askAll(id, texts);
      const [a, b, c] = texts.questions;
      await send(id, { content: texts.edited, parent_message_id: first.answer });
      await send(id, { content: texts.filler });
      return { has: [a, "2 replies in the thread", b, c, texts.filler], lacks: [texts.edited] };
    },
    "the thread of an alert": async (_, { questions: [a, b, c], filler }) => {
      const { post, conversation_id: id, registration } = await createChannel({}, client);
      for (const title of [a, b, c]) {
        const raw = JSON.stringify({ title, description: filler, severity: "high", alert_id: title });
        await post(raw, { "x-webhook-signature": hmacHex(registration.secret ?? "", raw) });
      }
      const { body } = await client.get(`/v1/conversations/${id}/messages`);
      const alert = body.messages.find(({ content }: { content: unknown }) => JSON.stringify(content).includes(b));
      await send(id, { content: "Why?", parent_message_id: alert.message_id });
      await send(id, { content: "And now?", parent_message_id: alert.message_id });
      return { has: ["thread of the alert", b, filler, "Why?", "And now?"], lacks: [c] };
    },
    ...Object.fromEntries(
      (["QUICK", "THINKING"] as const).map((tier) => [
        `200 turns with a window of ${windows[tier]} tokens`,
        async (id: string, texts: Texts) => {
          for (let n = 0; n < 200; n++) {
            const city = cities[n / 20];
            const content = city ? texts.fact(city, 1_000 + n) : `${texts.filler} ${n}. `.repeat(4);
            await send(id, { content, tier });
          }
          for (const [index, city] of cities.entries()) {
            await send(id, { content: texts.asksFact(city), tier });
            expect(readPrompt(tier)).toContain(texts.fact(city, 1_000 + 20 * index));
          }
          return { has: [texts.asksFact("Bergen")] };
        },
      ]),
    ),
  };

  for (const [language, texts] of Object.entries(languages)) {
    const isLong = longLanguages.includes(language);
    it.each(Object.entries(dialogues).filter(([name]) => isLong || !name.startsWith("200 turns")))(
      `prompts of dialogues contain what belongs to %s in ${language}`,
      async (_, converse) => {
        upstream.script = answerWithNumber;
        const { has, lacks = [] } = await converse(await client.createConversation(), texts);
        let rest = readPrompt();
        for (const text of has) {
          const position = rest.indexOf(text);
          expect([text, position >= 0, rest]).toEqual([text, true, rest]);
          rest = rest.slice(position + text.length);
        }
        const prompt = readPrompt();
        expect(lacks.filter((text) => prompt.includes(text))).toEqual([]);
      },
    );
  }
});
