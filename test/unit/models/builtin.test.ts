import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { applyRules } from "#shared/guardrails/local/local-detector.ts";
import { rules } from "#shared/guardrails/local/rules.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { builtinModel } from "#shared/models/builtin/builtin.ts";
import { findIntent } from "#shared/models/builtin/intents.ts";
import { builtinLanguages, textsFor } from "#shared/models/builtin/texts.ts";

const userMessage = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const assistantMessage = (text: string) => ({ role: "assistant" as const, content: [{ type: "text" as const, text }] });

/** Returns the built-in model's answer to a prompt with the facts that the pipeline passes. */
async function answerTo(prompt: LanguageModelV4Prompt, builtin: Record<string, unknown> = {}): Promise<string> {
  const { content } = await builtinModel("builtin").doGenerate({ prompt, providerOptions: { builtin } as never });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const ask = (question: string, builtin?: Record<string, unknown>) => answerTo([userMessage(question)], builtin);

it("built-in model, which needs no provider, ends an answer at the maximum number of tokens and before a stop sequence", async () => {
  const prompt = [userMessage("What can you do?")];
  const model = builtinModel("builtin");
  const whole = await answerTo(prompt);
  const short = await model.doGenerate({ prompt, maxOutputTokens: 5 });
  expect(short.finishReason.unified).toBe("length");
  expect(short.usage.outputTokens.total).toBeLessThanOrEqual(5);
  const { content, finishReason } = await model.doGenerate({ prompt, stopSequences: ["assistant", "never"] });
  expect(content).toEqual([{ type: "text", text: whole.slice(0, whole.indexOf("assistant")) }]);
  expect(finishReason.unified).toBe("stop");
});

it("built-in model, which needs no provider, rejects output formats and tool choices that it does not support", async () => {
  const prompt = [userMessage("What can you do?")];
  const model = builtinModel("builtin");
  const paths = (fields: string[]) => ({ errors: fields.map((path) => expect.objectContaining({ path })) });
  await expect(
    model.doGenerate({ prompt, responseFormat: { type: "json" }, toolChoice: { type: "required" } }),
  ).rejects.toMatchObject(paths(["response_format", "tool_choice"]));
  await expect(model.doStream({ prompt, toolChoice: { type: "tool", toolName: "f" } })).rejects.toMatchObject(
    paths(["tool_choice"]),
  );
  await expect(model.doStream({ prompt, toolChoice: { type: "auto" } })).resolves.toBeDefined();
});

it.each([
  ["What can you do?", "en", "Quote passages from your knowledge collections"],
  ["Hello! What can you do?", "en", "Quote passages"],
  ["Who are you?", "en", "assistant of this Switchboard deployment"],
  ["Was kannst du?", "de", "Passagen aus Ihren Wissenssammlungen"],
  ["¿Qué puedes hacer?", "es", "Citar pasajes"],
  ["Que peux-tu faire ?", "fr", "Citer des passages"],
  ["Cosa puoi fare?", "it", "Citare passaggi"],
  ["O que você pode fazer?", "pt", "Citar passagens"],
])(
  "built-in model, which needs no provider, describes itself in the language of the question: %s",
  async (question, language, expected) => {
    expect(findIntent(question)).toEqual({ intent: "self", language });
    const answer = await ask(question, {
      sources: [{ title: "Manual", text: "You can do a lot." }],
      canRemember: true,
    });
    expect(answer).toContain(expected);
    expect(answer).not.toContain(textsFor(language).nothingFound);
    expect(answer).not.toContain("Manual");
  },
);

it.each([
  "Hi",
  "hello!",
  "Thanks a lot!",
  "Good morning",
  "Danke",
  "Merci beaucoup !",
  "Bye",
  "How are you?",
  "Ciao",
  "Thanks, that helped me a lot",
  "Danke, das hat geholfen",
  "OK, I have to go, bye!",
])("built-in model, which needs no provider, answers small talk without mentioning knowledge: %s", async (message) => {
  const answer = await ask(message);
  expect(answer.length).toBeLessThan(100);
  for (const language of builtinLanguages) expect(answer).not.toContain(textsFor(language).nothingFound);
});

it.each(["What can you do about rust?", "Who are you selling to?", "Help me with my taxes", "Is help available?"])(
  "built-in model, which needs no provider, searches the knowledge for a question that only begins like one about the model: %s",
  (question) => expect(findIntent(question).intent).toBeNull(),
);

it("built-in model, which needs no provider, says in the language of the question that it found nothing", async () => {
  expect(await ask("Wie lange dauert die Lieferung nach Island?")).toContain("nichts gefunden");
  expect(await ask("How long is the delivery to Iceland?")).toContain("I found nothing in your knowledge");
});

it("built-in model, which needs no provider, says that it did not search on the tier QUICK", async () => {
  const answer = await ask("How long is the delivery?", { hasSearched: false });
  expect(answer).toContain("did not search");
  expect(answer).not.toContain("found nothing");
});

it("built-in model, which needs no provider, quotes sentences and table cells, but no headings and no Markdown syntax", async () => {
  const text =
    "# Delivery times\n\n## Delivery\n\n- **Delivery** takes two days. Returns are free.\n\n| Region | Delivery |\n|---|---|\n| Europe | 3 days of delivery |";
  const answer = await ask("How long is delivery?", { sources: [{ title: "Handbook", text }] });
  expect(answer).toContain("> Delivery takes two days. [1]");
  expect(answer).toContain("> Europe, 3 days of delivery [1]");
  expect(answer).not.toMatch(/#|\||---|> Delivery times/);
});

it("built-in model, which needs no provider, mentions the setting MODEL_PROVIDER once per conversation", async () => {
  const first = await ask("What is the price?");
  expect(first).toContain("MODEL_PROVIDER");
  const history = [userMessage("What is the price?"), assistantMessage(first), userMessage("And the weight?")];
  expect(await answerTo(history)).not.toContain("MODEL_PROVIDER");
  expect(await ask("What is the price?", { isVisitor: true })).not.toContain("MODEL_PROVIDER");
});

it.each(builtinLanguages)(
  "built-in model, which needs no provider, has fixed sentences in the language %s that the guardrail does not report",
  (language) => {
    const { toolNames, ...texts } = textsFor(language);
    for (const text of [...Object.values(texts), ...Object.values(toolNames)] as string[]) {
      expect([text, applyRules(text, rules)]).toEqual([text, []]);
      expect([text, findSensitiveSpans(text)]).toEqual([text, []]);
    }
  },
);
