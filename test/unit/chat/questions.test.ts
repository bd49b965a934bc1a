import { expect, it } from "vitest";
import { splitEnumeration } from "#shared/chat/questions/split-enumeration.ts";
import { splitQuestion } from "#shared/knowledge/search/split-question.ts";

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
  [
    "When is the kiln fired and are dogs allowed on the ferry?",
    ["When is the kiln fired", "are dogs allowed on the ferry?"],
  ],
  [
    "Compare how splinters are drawn with how frostbite is warmed.",
    ["Compare how splinters are drawn", "how frostbite is warmed."],
  ],
  [
    "Was kosten Leihschuhe, und muss Sperrmüll angemeldet werden?",
    ["Was kosten Leihschuhe", "muss Sperrmüll angemeldet werden?"],
  ],
  ["Aylık aidat ne kadar ve asansör bakımı hangi gün?", ["Aylık aidat ne kadar", "asansör bakımı hangi gün?"]],
  ["花火は何発で、露天風呂の入れ替えは何時？", ["花火は何発で", "露天風呂の入れ替えは何時？"]],
  ["Who leads research and development?", ["Who leads research and development?"]],
  ["Where and when does the choir rehearse?", ["Where and when does the choir rehearse?"]],
  [
    "My boiler leaks. It is a Vitodens 200 from 2012. How is it drained?",
    ["My boiler leaks. It is a Vitodens 200 from 2012. How is it drained?"],
  ],
])("splitQuestion() splits where both sides can be searched alone: %s", (text, parts) => {
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
