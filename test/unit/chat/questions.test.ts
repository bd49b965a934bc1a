import { expect, it } from "vitest";
import { needsContext } from "#shared/chat/questions/needs-context.ts";
import { splitEnumeration, splitQuestion } from "#shared/chat/questions/split-question.ts";
import { addContext } from "#shared/chat/questions/standalone-question.ts";

it.each([
  ["How many days of annual leave do employees get?", "and for interns?"],
  ["How many days of annual leave do employees get?", "Who approves it and when?"],
  ["How is the espresso machine descaled?", "How often?"],
  ["When is the canteen open?", "Until when?"],
  ["How is the espresso machine descaled?", "What about the milk frother of the large model?"],
  ["How is the espresso machine descaled?", "Is that covered by the service contract?"],
  ["Wie viele Urlaubstage habe ich?", "und für Praktikanten?"],
  ["Wie viele Urlaubstage habe ich?", "Wer genehmigt ihn im Sommer?"],
  ["Wie viele Urlaubstage habe ich?", "Was gilt dafür in der Probezeit?"],
  ["Combien de jours de congé ai-je ?", "et pour les stagiaires ?"],
  ["Combien de jours de congé ai-je ?", "Qui les approuve, et cela prend combien de temps ?"],
  ["¿Cuántos días de vacaciones tengo?", "¿y para los becarios?"],
  ["¿Cuántos días de vacaciones tengo?", "¿Quién aprueba esto en verano?"],
  ["Quanti giorni di ferie ho?", "e per gli stagisti?"],
  ["Quantos dias de férias tenho?", "e para os estagiários?"],
  ["Hoeveel vakantiedagen heb ik?", "en voor stagiairs?"],
  ["Ile dni urlopu mam?", "a dla stażystów?"],
  ["Сколько дней отпуска у меня есть?", "а для стажёров?"],
  ["有給休暇は何日ありますか？", "インターンは？"],
  ["年假有多少天？", "实习生呢？"],
  ["연차는 며칠인가요?", "인턴은요?"],
])('needsContext() is true for a question that continues "%s": %s', (previous, question) => {
  expect(needsContext(question, previous)).toBe(true);
});

it.each([
  "How many characters must a password have?",
  "When the fire alarm sounds, who checks that it is no false alarm?",
  "Is it possible to bring a dog to the office?",
  "Until when does the canteen serve lunch on weekdays?",
  "Which batteries do the lamps of the trailer need this year?",
  "Wie lange gilt die Garantie der Espressomaschine?",
  "Gibt es einen Zuschuss für das Deutschlandticket?",
  "Combien dure la garantie de la machine à café ?",
  "¿Cuánto dura la garantía de la cafetera?",
  "Quanto dura la garanzia della macchina del caffè?",
  "Hoe lang duurt de garantie van de koffiemachine?",
  "コーヒーマシンの保証期間はどのくらいですか？",
  "咖啡机的保修期是多长时间？",
])("needsContext() is false for a complete question: %s", (question) => {
  expect(needsContext(question, question)).toBe(false);
});

it("addContext() adds to an incomplete question the words of the previous questions, back to the last complete one", () => {
  const earlier = [
    { role: "user", text: "How many days of annual leave do employees get?" },
    { role: "assistant", text: "Thirty." },
    { role: "user", text: "and for interns?" },
    { role: "assistant", text: "Ten." },
  ] as const;
  const text = addContext("Who approves it?", earlier);
  expect(text).toBe("days annual leave employees interns Who approves it?");
});

it("addContext() completes a question that has a personal pronoun with the name from the previous answer", () => {
  const earlier = [
    { role: "user", text: "Who leads the territory Alps?" },
    { role: "assistant", text: "The territory is led by Beat Zumstein." },
  ] as const;
  expect(addContext("What is his phone number?", earlier)).toContain("Beat Zumstein");
});

it.each([
  [
    "How long is the warranty and who pays for the return shipping?",
    ["How long is the warranty", "who pays for the return shipping?"],
  ],
  [
    "Compare how burns and wasp stings are treated, and how to stop a nosebleed",
    ["Compare how burns and wasp stings are treated", "how to stop a nosebleed"],
  ],
  ["When does it open? What did the lamp burn?", ["When does it open?", "What did the lamp burn?"]],
  [
    "I lost my badge. Who replaces it? What does a new badge cost?",
    ["I lost my badge. Who replaces it?", "What does a new badge cost?"],
  ],
  ["Who wrote it, and for whom did J. Lind y. Moe paint?", ["Who wrote it, and for whom did J. Lind y. Moe paint?"]],
  ["The ferry stops in Lund, but where does the bus stop?", ["The ferry stops in Lund", "where does the bus stop?"]],
  [
    "Cuánto cuesta la entrada y cuál es el horario en invierno?",
    ["Cuánto cuesta la entrada", "cuál es el horario en invierno?"],
  ],
  ["Wie hoch ist die Miete und was kostet ein Stellplatz?", ["Wie hoch ist die Miete", "was kostet ein Stellplatz?"]],
  ["会议室怎么预订，停车费是多少？", ["会议室怎么预订", "停车费是多少？"]],
  ["Who leads research and development?", ["Who leads research and development?"]],
  ["Where and when does the choir rehearse?", ["Where and when does the choir rehearse?"]],
  [
    "My boiler leaks. It is a Vitodens 200 from 2012. How is it drained?",
    ["My boiler leaks. It is a Vitodens 200 from 2012. How is it drained?"],
  ],
])("splitQuestion() splits at questions only: %s", (text, parts) => {
  expect(splitQuestion(text)).toEqual(parts);
});

it.each([
  [
    "Compare how burns and wasp stings are treated",
    ["Compare how burns are treated", "Compare how wasp stings are treated"],
  ],
  ["What do lamps, hitches and tires cost?", ["What do lamps cost?", "What do hitches cost?", "What do tires cost?"]],
  [
    "Wie werden Verbrennungen und Wespenstiche behandelt?",
    ["Wie werden Verbrennungen behandelt?", "Wie werden Wespenstiche behandelt?"],
  ],
  ["Are the Blue Lamp and In the Shade of the Oak both novels?", ["Blue Lamp", "In the Shade of the Oak"]],
  ["Which ferry is faster, the Letter to Ada or the Old Tern?", ["Letter to Ada", "Old Tern"]],
  [
    "Is the canteen open on Saturday and Sunday?",
    ["Is the canteen open on Saturday", "Is the canteen open on Sunday?"],
  ],
  [
    "How did revenue change between 2024 and 2025?",
    ["How did revenue change between 2024", "How did revenue change between 2025?"],
  ],
  ["Who pays and when?", []],
  ["How many days of annual leave do I have?", []],
])("splitEnumeration() returns one search for each item: %s", (question, texts) => {
  expect(splitEnumeration(question).map(({ text }) => text)).toEqual(texts);
});
