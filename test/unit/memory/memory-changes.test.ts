import { describe, expect, it } from "vitest";
import { extractMemorableFacts, isAllowed } from "#shared/memory/extract-memorable-facts.ts";
import { changesByRules } from "#shared/memory/memory-changes.ts";
import { newMemory } from "#shared/memory/memory-store.ts";

const remembered = (text: string) =>
  newMemory("user-1", {
    text,
    category: "profile",
    scope: "user",
    scope_id: "user-1",
    status: "active",
    source_message_id: null,
    read_untrusted: false,
  });

describe("changesByRules(), which finds changes of memories in a message,", () => {
  it.each([
    ["Forget that I live in Porto.", "I live in Porto."],
    ["I no longer live in Lisbon.", "I live in Lisbon."],
    ["please delete what you know about my job", "I work as a nurse."],
    ["Vergiss, dass ich in Köln wohne.", "Ich wohne in Köln."],
    ["supprime ce que tu sais sur mon travail stp", "Je travaille comme infirmière."],
    ["把你知道的关于我工作的内容删了", "我在洛阳工作"],
    ["Forget what I told you about Halden.", "My brother lives in Halden."],
    ["Забудь всё, что я говорила про Карелию.", "Я родилась в Карелии."],
  ])("deletes only the memory that the message ends: %s", (message, text) => {
    const memory = remembered(text);
    const other = remembered("I am allergic to peanuts.");
    expect(changesByRules(message, [other, memory])).toEqual([{ op: "delete", known: memory }]);
  });

  it("replaces the home that the message corrects after a colon", () => {
    const home = remembered("I live in Lisbon.");
    expect(changesByRules("I moved: I live in Tromsø now.", [home])).toMatchObject([{ op: "update", known: home }]);
  });

  it.each([
    ["Vergiss meinen Geburtstag nicht!", "Ich habe am 3. Mai Geburtstag."],
    ["Vergeet mijn verjaardag niet.", "Mijn verjaardag is op 3 mei."],
    ["Nie zapomnij o moich urodzinach.", "Urodziny mam 3 maja."],
    ["Не забудь мой день рождения.", "Мой день рождения 3 мая."],
    ["אל תשכח את העבודה שלי", "העבודה שלי בחיפה"],
    ["đừng quên chuyện công việc của tôi", "công việc của tôi ở Huế"],
    ["내 일자리 잊어버리지 마", "내 일자리는 부산에 있어"],
    ["别忘了我的工作", "我在洛阳工作"],
    ["我忘了告诉你我的工作很忙", "我在洛阳工作"],
  ])("deletes nothing when the message asks not to forget, or tells that its writer forgot: %s", (message, text) => {
    const deletions = changesByRules(message, [remembered(text)]).filter(({ op }) => op === "delete");
    expect(deletions).toEqual([]);
  });

  it("adds no memory for a request to forget", () => {
    expect(changesByRules("Forget that I live in Porto.", [])).toEqual([]);
  });
});

it.each([
  "I prefer the third proposal.",
  "For this answer only, use French.",
  "Keep in mind that x is positive in this exercise.",
  "You no longer need to ask before you use a tool.",
])("isAllowed() and the rules refuse a text that holds only once, by any proposer: %s", (text) => {
  expect(isAllowed({ text, category: "other" })).toBe(false);
  expect(extractMemorableFacts(text)).toEqual([]);
});

it.each([
  "Onthoud dat mijn zoon Sietse heet.",
  "Zapamiętaj, że moja córka ma na imię Kalina.",
  "우리 딸 이름은 하윤이라고 기억해 줘.",
])("extractMemorableFacts() returns the fact of a request to remember: %s", (text) => {
  expect(extractMemorableFacts(text)).toHaveLength(1);
});
