import { describe, expect, it } from "vitest";
import { resourcesOf, synthesize } from "./synthesize.ts";

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Execution roles by function name. */
const roles = new Map(
  [...synthesize().values()].flatMap((resources) =>
    Object.values(resources)
      .filter(({ Type }) => Type === "AWS::Lambda::Function")
      .map(({ Properties }) => {
        const role = resources[Properties.Role["Fn::GetAtt"][0]]?.Properties;
        const statements: Statement[] = role.Policies.flatMap(
          (policy: { PolicyDocument: { Statement: Statement[] } }) => policy.PolicyDocument.Statement,
        );
        return [Properties.FunctionName as string, { role, statements }] as const;
      }),
  ),
);

const listActions = (name: string) =>
  (roles.get(`switchboard-prod-${name}`)?.statements ?? []).flatMap(({ Action }) => Action);

describe("function role", () => {
  it("belongs to one function and has no managed policies", () => {
    const functions = resourcesOf(synthesize(), "AWS::Lambda::Function");
    expect(roles.size).toBe(functions.length);
    for (const { role } of roles.values()) expect(role.ManagedPolicyArns).toBeUndefined();
    expect(resourcesOf(synthesize(), "AWS::IAM::Policy")).toEqual([]);
  });

  it.each([...roles])("%s allows no wildcards except where AWS requires them", (_, { statements }) => {
    // The ARN of an object contains its key, which is not known in advance.
    const objectActions = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"];
    const actionsWithoutResources = [
      "dynamodb:ListStreams",
      "xray:PutTelemetryRecords",
      "xray:PutTraceSegments",
      ...(JSON.stringify(statements).includes(":s3:::") ? objectActions : []),
    ];
    for (const { Action, Resource } of statements) {
      const actions = [Action].flat();
      expect(actions.filter((action) => action.includes("*"))).toEqual([]);
      if (JSON.stringify(Resource).includes("*"))
        expect(actionsWithoutResources).toEqual(expect.arrayContaining(actions));
    }
  });

  it("does not allow scanning the table", () => {
    for (const { statements } of roles.values()) {
      expect(statements.flatMap(({ Action }) => Action)).not.toContain("dynamodb:Scan");
    }
  });

  it("does not allow a read operation to delete items", () => {
    expect(listActions("get-conversation")).toContain("dynamodb:Query");
    expect(listActions("get-conversation")).not.toContain("dynamodb:DeleteItem");
    expect(listActions("delete-conversation")).toContain("dynamodb:DeleteItem");
  });

  it("limits a key authorizer to reading credential lookups", () => {
    for (const name of ["authorizer-api-key", "authorizer-embed-key"]) {
      const statements = roles.get(`switchboard-prod-${name}`)?.statements ?? [];
      const tableStatements = statements.filter(({ Action }) => JSON.stringify(Action).includes("dynamodb:"));
      expect(tableStatements).toMatchObject([
        {
          Action: ["dynamodb:BatchGetItem", "dynamodb:GetItem"],
          Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["~*"] } },
        },
      ]);
    }
  });

  it("gives the JWT authorizer no access to the table", () => {
    expect(listActions("authorizer-jwt").filter((action) => action.startsWith("dynamodb:"))).toEqual([]);
  });
});
