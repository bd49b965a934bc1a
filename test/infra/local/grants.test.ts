import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeUnusedGrants, readGrantReport } from "#test/support/grants.ts";
import {
  type ExecutionRole,
  findDenial,
  logGrants,
  setGrantLog,
} from "../../../infra/local/functions/authorization.ts";
import { statementsIn } from "../../../infra/local/functions/permissions.ts";

const directory = mkdtempSync(join(tmpdir(), "grants-"));
const file = join(directory, "grants.ndjson");
const table = "arn:aws:dynamodb:us-east-1:000000000000:table/t";

const toRole = (name: string, ...statements: object[]): ExecutionRole => ({
  name,
  sessionArn: `arn:aws:sts::000000000000:assumed-role/${name}`,
  statements: statementsIn({ Statement: statements }),
});
const allow = (Action: string[], Resource: string) => ({ Effect: "Allow", Action, Resource });
const reader = toRole("switchboard-test-reader", allow(["dynamodb:GetItem", "dynamodb:BatchGetItem"], table));

beforeAll(() => setGrantLog(file));

afterAll(() => {
  setGrantLog(undefined);
  rmSync(directory, { recursive: true });
});

it("grant log lists the permissions that roles have, those that were used, and denied requests", () => {
  logGrants(reader);
  logGrants(toRole("other-app", allow(["dynamodb:GetItem"], table)));
  expect(findDenial(reader, { action: "dynamodb:GetItem", resource: table })).toBeUndefined();
  expect(findDenial(reader, { action: "dynamodb:PutItem", resource: table })).toContain("not authorized to perform");
  const { granted, used, denied } = readGrantReport(file);
  expect([...granted]).toEqual(["reader dynamodb:GetItem on table/t", "reader dynamodb:BatchGetItem on table/t"]);
  expect([...used]).toEqual(["reader dynamodb:GetItem on table/t"]);
  expect([...denied]).toEqual(["reader dynamodb:PutItem on table/t"]);
});

it("grant log reports a permission as unused when a broader permission of the role covers it", () => {
  const role = toRole("switchboard-test-covered", allow(["dynamodb:Query"], table), allow(["dynamodb:*"], "*"));
  logGrants(role);
  expect(findDenial(role, { action: "dynamodb:Query", resource: table })).toBeUndefined();
  const report = readGrantReport(file);
  expect([...report.used].filter((grant) => grant.startsWith("covered"))).toEqual([]);
  expect(describeUnusedGrants(report)).toContain("not needed by a test: covered dynamodb:Query on table/t");
});

it("grant log counts BatchGetItem as used when GetItem is used", () => {
  expect(describeUnusedGrants(readGrantReport(file)).join()).not.toContain("BatchGetItem");
});
