import { describe, expect, it } from "vitest";
import { resourcesOf, synthesise } from "./synthesise.ts";

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Roles that functions take on, by the name of the function. */
const roles = new Map(
  [...synthesise().values()].flatMap((resources) =>
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

const actionsOf = (name: string) =>
  (roles.get(`switchboard-prod-${name}`)?.statements ?? []).flatMap(({ Action }) => Action);

describe("what functions may do", () => {
  it("is said in a role of each function's own, without managed policies", () => {
    const functions = resourcesOf(synthesise(), "AWS::Lambda::Function");
    expect(roles.size).toBe(functions.length);
    for (const { role } of roles.values()) expect(role.ManagedPolicyArns).toBeUndefined();
    expect(resourcesOf(synthesise(), "AWS::IAM::Policy")).toEqual([]);
  });

  it.each([...roles])("%s has no wildcards but the two that AWS leaves no choice about", (_, { statements }) => {
    const known = ["dynamodb:ListStreams", "xray:PutTelemetryRecords", "xray:PutTraceSegments"];
    for (const { Action, Resource } of statements) {
      const actions = [Action].flat();
      expect(actions.filter((action) => action.includes("*"))).toEqual([]);
      if (JSON.stringify(Resource).includes("*")) expect(known).toEqual(expect.arrayContaining(actions));
    }
  });

  it("does not include reading the whole table", () => {
    for (const { statements } of roles.values()) {
      expect(statements.flatMap(({ Action }) => Action)).not.toContain("dynamodb:Scan");
    }
  });

  it("lets nothing be deleted by reading", () => {
    expect(actionsOf("get-conversation")).toContain("dynamodb:Query");
    expect(actionsOf("get-conversation")).not.toContain("dynamodb:DeleteItem");
    expect(actionsOf("delete-conversation")).toContain("dynamodb:DeleteItem");
  });

  it("lets the authorizers of keys look up what belongs to no tenant yet, and write nothing", () => {
    for (const name of ["authorizer-api-key", "authorizer-embed-key"]) {
      const statements = roles.get(`switchboard-prod-${name}`)?.statements ?? [];
      const onTable = statements.filter(({ Action }) => JSON.stringify(Action).includes("dynamodb:"));
      expect(onTable).toMatchObject([
        {
          Action: ["dynamodb:BatchGetItem", "dynamodb:GetItem"],
          Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["~*"] } },
        },
      ]);
    }
  });

  it("keeps the authorizer of tokens away from the table", () => {
    expect(actionsOf("authorizer-jwt").filter((action) => action.startsWith("dynamodb:"))).toEqual([]);
  });
});
