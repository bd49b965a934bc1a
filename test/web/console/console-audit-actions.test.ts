import { expect, it } from "vitest";
import { Approval } from "#shared/api/governance/approvals.ts";
import { DataDeletion } from "#shared/api/governance/data-deletions.ts";
import { auditRules } from "#shared/governance/audit/audit-rules.ts";
import { describeAction, findAction, listActions } from "../../../functions/web/console/admin/audit/audit-actions.ts";

const rules = [...auditRules.values()];
const actions = listActions();

it("console words for audit actions exist for each resource type of the audit trail", () => {
  const named = new Set(actions.map(({ code }) => code));
  expect(rules.map(({ kind }) => kind).filter((kind) => !named.has(kind))).toEqual([]);
});

it("console words for audit actions exist for each change that a rule records under its own name", () => {
  const codes = rules
    .filter(({ verb }) => verb === undefined)
    .flatMap(({ kind, only = ["created", "updated", "deleted"] }) => only.map((change) => `${kind}.${change}`));
  expect(codes.length).toBeGreaterThan(50);
  expect(codes.filter((code) => describeAction(code) === code)).toEqual([]);
});

it("console words for audit actions exist for each status of an approval and of an erasure", () => {
  const codes = [
    ...Approval.entries.status.options.filter((status) => status !== "pending").map((status) => `approval.${status}`),
    ...DataDeletion.entries.status.options.map((status) => `data_deletion.${status}`),
  ];
  expect(codes.filter((code) => describeAction(code) === code)).toEqual([]);
});

it("console words for audit actions differ between all types and actions", () => {
  const words = actions.map((action) => action.words);
  expect(words.filter((each, index) => words.indexOf(each) !== index)).toEqual([]);
});

it("console words for audit actions leave an unknown code as it is", () => {
  expect(describeAction("satellite.launched")).toBe("satellite.launched");
  expect(describeAction("persona.promoted")).toBe("persona.promoted");
});

it.each([
  ["", ""],
  ["Conversation", "conversation"],
  [" persona published ", "persona.published"],
  ["grant.created", "grant.created"],
  ["withdrawn from pub", "persona.unpublished"],
  ["deleted", null],
  ["satellite.launched", "satellite.launched"],
])("findAction() reads %j as %j", (text, code) => {
  expect(findAction(text, actions)).toBe(code);
});
