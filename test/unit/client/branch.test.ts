import { expect, it } from "vitest";
import { type BranchMessage, findLeaf, groupVersions, selectBranch } from "#shared/client/branch.ts";

const question = (message_id: string, fields: Partial<BranchMessage> = {}): BranchMessage => ({
  message_id,
  role: "user",
  ...fields,
});
const answer = (message_id: string, question_id: string, fields: Partial<BranchMessage> = {}): BranchMessage => ({
  message_id,
  role: "assistant",
  question_id,
  ...fields,
});
const alert = (message_id: string): BranchMessage => ({ message_id, role: "alert" });

/** Ids of a branch, joined. Messages are named by their time: `1`, `2`, … */
const branchOf = (messages: readonly BranchMessage[], activeId?: string) =>
  selectBranch(messages, activeId)
    .map(({ message_id }) => message_id)
    .join(" ");

const first = [question("1"), answer("2", "1"), question("3"), answer("4", "3")];

it("selectBranch() returns all messages of a conversation without branches", () => {
  expect(branchOf([...first, alert("5")])).toBe("1 2 3 4 5");
});

it("selectBranch() returns the newest answer of a question that was answered again", () => {
  const again = [...first, answer("5", "3", { regenerated: true }), answer("6", "3", { regenerated: true })];
  expect(branchOf(again)).toBe("1 2 3 6");
  expect(branchOf([...again, question("7"), answer("8", "7")])).toBe("1 2 3 6 7 8");
});

it("selectBranch() leaves out what followed an earlier answer that was generated again", () => {
  const again = [...first, answer("5", "1", { regenerated: true })];
  expect(branchOf(again)).toBe("1 5");
  expect(branchOf([...again, question("6"), answer("7", "6")])).toBe("1 5 6 7");
  expect(branchOf(again, "4")).toBe("1 2 3 4");
});

it("selectBranch() shows a question that was asked again instead of the earlier question and all that followed it", () => {
  const edited = [...first, question("5", { replaces_id: "1" }), answer("6", "5")];
  expect(branchOf(edited)).toBe("5 6");
  expect(branchOf([...edited, question("7", { replaces_id: "5" }), answer("8", "7")])).toBe("7 8");
  const last = [...first, question("5", { replaces_id: "3" }), answer("6", "5"), question("7"), answer("8", "7")];
  expect(branchOf(last)).toBe("1 2 5 6 7 8");
  expect(branchOf([...last, question("9", { replaces_id: "5" })])).toBe("1 2 9");
});

it("selectBranch() continues the branch of the message that a question follows", () => {
  const edited = [...first, question("5", { replaces_id: "3" }), answer("6", "5")];
  expect(branchOf([...edited, question("7", { after_id: "4" }), answer("8", "7")])).toBe("1 2 3 4 7 8");
  expect(branchOf([...edited, question("7", { after_id: "2" }), answer("8", "7")])).toBe("1 2 7 8");
});

it("selectBranch() keeps alerts on every branch", () => {
  const edited = [question("1"), answer("2", "1"), alert("3"), question("4", { replaces_id: "1" })];
  expect(branchOf(edited)).toBe("3 4");
});

it("selectBranch() keeps the questions of several users who asked at the same time", () => {
  const concurrent = [question("1"), question("2"), answer("3", "1"), answer("4", "2"), question("5")];
  expect(branchOf(concurrent)).toBe("1 2 3 4 5");
});

it("selectBranch() returns only the latest of several answers to a question that are not marked as generated again", () => {
  expect(branchOf([...first, answer("5", "1")])).toBe("1 3 4 5");
});

it("selectBranch() keeps the messages before a replaced message that was deleted", () => {
  expect(branchOf([question("1"), answer("2", "1"), question("5", { replaces_id: "3" })])).toBe("1 2 5");
});

it("findLeaf() returns the newest message of a conversation without branches, but never an alert", () => {
  expect(findLeaf(first, "1")).toBe("4");
  expect(findLeaf([...first, alert("5")], "2")).toBe("4");
  expect(findLeaf(first, "4")).toBe("4");
});

it("findLeaf() returns the last message on the branch of each version of a question that was asked again twice", () => {
  const twice = [
    ...first,
    question("5", { replaces_id: "1" }),
    answer("6", "5"),
    question("7", { replaces_id: "5" }),
    answer("8", "7"),
  ];
  expect(["1", "2", "5", "7"].map((id) => findLeaf(twice, id))).toEqual(["4", "4", "6", "8"]);
  expect(branchOf(twice, findLeaf(twice, "1"))).toBe("1 2 3 4");
  const continued = [...twice, question("9", { after_id: "4" })];
  expect(["1", "5", "7"].map((id) => findLeaf(continued, id))).toEqual(["9", "6", "8"]);
});

it("findLeaf() returns for an earlier answer the last message that followed it, not one that followed the answer generated again", () => {
  const again = [...first, answer("5", "1", { regenerated: true }), question("6"), answer("7", "6")];
  expect(findLeaf(again, "2")).toBe("4");
  expect(findLeaf(again, "5")).toBe("7");
  expect(findLeaf(again, "1")).toBe("7");
});

it("findLeaf() prefers the newest of several branches that contain a message", () => {
  const forked = [...first, question("5", { replaces_id: "3" }), question("6", { after_id: "4" }), answer("7", "6")];
  expect(findLeaf(forked, "1")).toBe("7");
  expect(findLeaf(forked, "5")).toBe("5");
});

it("findLeaf() returns the message itself if it was deleted or has no successor on its branch", () => {
  expect(findLeaf(first, "9")).toBe("9");
  const orphaned = [question("1"), answer("2", "1"), question("5", { replaces_id: "3" })];
  expect(findLeaf(orphaned, "2")).toBe("5");
});

const versionsOf = (messages: readonly BranchMessage[], id: string) =>
  groupVersions(messages)
    .get(id)
    ?.map(({ message_id }) => message_id)
    .join(" ");

it("groupVersions() returns all answers to a question, also with other messages between them", () => {
  const again = [...first, answer("5", "1", { regenerated: true }), question("6"), answer("7", "1")];
  expect(["2", "5", "7"].map((id) => versionsOf(again, id))).toEqual(["2 5 7", "2 5 7", "2 5 7"]);
  expect(versionsOf(again, "4")).toBe("4");
});

it("groupVersions() returns the questions that replace each other, also several that replace the same one", () => {
  const edits = [
    ...first,
    question("5", { replaces_id: "1" }),
    question("6", { replaces_id: "5" }),
    question("7", { replaces_id: "1" }),
    question("8", { after_id: "2" }),
  ];
  expect(versionsOf(edits, "6")).toBe("1 5 6 7");
  expect(versionsOf(edits, "3")).toBe("3");
  expect(versionsOf(edits, "8")).toBe("8");
});

it("groupVersions() finds the versions of a question whose first version was deleted", () => {
  const edits = [question("5", { replaces_id: "1" }), answer("6", "5"), question("7", { replaces_id: "1" })];
  expect(versionsOf(edits, "5")).toBe("5 7");
  expect(versionsOf([...edits, question("8", { replaces_id: "5" })], "8")).toBe("5 7 8");
});

it("groupVersions() returns alerts and answers of unknown questions alone", () => {
  const odd: BranchMessage[] = [alert("1"), alert("2"), { message_id: "3", role: "assistant" }];
  expect(["1", "2", "3"].map((id) => versionsOf(odd, id))).toEqual(["1", "2", "3"]);
});
