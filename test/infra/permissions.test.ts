import { expect, it } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { kebabCase } from "../../infra/naming.ts";
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

/** @throws Error for a name that no function has, because an empty list would satisfy each `not.toContain` */
function listStatements(name: string): readonly Statement[] {
  const role = roles.get(`switchboard-prod-${name}`) ?? roles.get(`switchboard-prod_${name}`);
  if (!role) throw new Error(`no function is named ${name}`);
  return role.statements;
}

const listActions = (name: string) => listStatements(name).flatMap(({ Action }) => Action);

const leadingKeys = ({ Condition }: Statement): string | string[] =>
  (Condition as { "ForAllValues:StringLike": Record<string, string | string[]> } | undefined)?.[
    "ForAllValues:StringLike"
  ]?.["dynamodb:LeadingKeys"] ?? [];

const listPartitions = (name: string) => listStatements(name).flatMap((statement) => leadingKeys(statement));

it("IAM role of a function belongs to one function and has no managed policies", () => {
  const functions = resourcesOf(synthesize(), "AWS::Lambda::Function");
  expect(roles.size).toBe(functions.length);
  for (const { role } of roles.values()) expect(role.ManagedPolicyArns).toBeUndefined();
  expect(resourcesOf(synthesize(), "AWS::IAM::Policy")).toEqual([]);
});

it.each([...roles])(
  "IAM role of a function %s allows no actions or resources with wildcards except where AWS requires them",
  (_, { statements }) => {
    // The ARN of an object contains its key, which is not known in advance.
    const objectActions = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"];
    const actionsWithoutResources = [
      "dynamodb:ListStreams",
      ...(JSON.stringify(statements).includes(":s3:::") ? objectActions : []),
    ];
    for (const { Action, Resource } of statements) {
      const actions = [Action].flat();
      expect(actions.filter((action) => action.includes("*"))).toEqual([]);
      if (JSON.stringify(Resource).includes("*"))
        expect(actionsWithoutResources).toEqual(expect.arrayContaining(actions));
    }
  },
);

it("IAM role of a function does not allow scanning the table", () => {
  for (const { statements } of roles.values()) {
    expect(statements.flatMap(({ Action }) => Action)).not.toContain("dynamodb:Scan");
  }
});

// `npm run check` compares `functions/uses.json` with the code of every function. This file
// compares the roles in the synthesized templates with a few known cases.
it("IAM role of a function allows an operation on the table if the function's code contains it, in six cases", () => {
  expect(listActions("list-messages")).toContain("dynamodb:Query");
  expect(listActions("get-note")).not.toContain("dynamodb:Query");
  expect(listActions("get-conversation")).not.toContain("dynamodb:DeleteItem");
  expect(listActions("delete-conversation")).toContain("dynamodb:DeleteItem");
  expect(listActions("delete-message")).toContain("dynamodb:BatchWriteItem");
  expect(listActions("list-messages")).not.toContain("dynamodb:BatchWriteItem");
});

it("IAM role of a function allows only the partition keys that the function's code uses", () => {
  expect(listPartitions("get-note")).toContain("*#notes#*");
  expect(listPartitions("get-note")).not.toContain("*#memories#*");
  expect(listPartitions("get-memory")).not.toContain("*#notes#*");
  for (const { auth, streaming, id } of routes) {
    if (auth !== "jwt" || streaming) continue;
    expect([id, listPartitions(kebabCase(id))]).toEqual([id, expect.arrayContaining(["*#tenant", "*#user#*"])]);
  }
});

it("IAM role of a function allows reading roles and groups if the function's code looks up permissions itself", () => {
  // `shared/chat/phases/proposals.ts` looks up permissions, although the contract requires no capability.
  expect(listPartitions("start-chat")).toEqual(expect.arrayContaining(["*#roles", "*#groups"]));
  expect(listPartitions("get-note")).not.toContain("*#roles");
});

it("IAM role of a function never allows access to all partition keys", () => {
  for (const { statements } of roles.values()) {
    for (const { Action, Resource, Condition } of statements) {
      const isIndex = JSON.stringify(Resource).includes("/index/");
      if (isIndex || ![Action].flat().includes("dynamodb:GetItem")) continue;
      const patterns = [leadingKeys({ Action, Resource, Condition })].flat();
      expect(patterns.length).toBeGreaterThan(0);
      expect(patterns.filter((pattern) => /^[*#]*$/.test(pattern))).toEqual([]);
    }
  }
});

it("IAM role of a function allows only the counting of requests if the route needs no credential", () => {
  for (const name of ["route-not-found", "get-feature-flags", "get-widget"]) {
    expect(listActions(name).filter((action) => action.startsWith("dynamodb:"))).toEqual(["dynamodb:UpdateItem"]);
    expect(listPartitions(name)).toEqual(["~rate#*"]);
  }
});

it("IAM role of a function allows only what the used members of an imported object need, not the other members", () => {
  // `lexicalIndex.rank` reads what `lexicalIndex.remove` deletes.
  expect(listActions("search-knowledge")).not.toContain("dynamodb:DeleteItem");
  expect(listActions("changes-index-documents")).toContain("dynamodb:DeleteItem");
});

it("IAM role of a function allows only the operations on attached files that the function's code contains", () => {
  const attachmentActions = (name: string) =>
    listStatements(name)
      .filter(({ Resource }) => JSON.stringify(Resource).includes("-attachments-"))
      .flatMap(({ Action }) => Action);
  expect(attachmentActions("changes-cascade")).toEqual(["s3:DeleteObject"]);
  expect(attachmentActions("process-file").toSorted()).toEqual(["s3:DeleteObject", "s3:PutObject"]);
  expect(attachmentActions("build-export")).toEqual(["s3:GetObject"]);
  expect(attachmentActions("delete-data")).toEqual([]);
});

it("IAM role of a function allows queries of the table itself only if the function's code has a query without an index", () => {
  const queriedResources = (name: string) =>
    listStatements(name)
      .filter(({ Action }) => [Action].flat().includes("dynamodb:Query"))
      .map(({ Resource }) => JSON.stringify(Resource).includes("/index/"));
  expect(queriedResources("list-templates")).toEqual([true]);
  expect(queriedResources("list-messages")).toEqual([false]);
});

it("IAM role of a function allows the creation of tenants only to the functions of users and of the operator", () => {
  for (const { auth, id } of routes) {
    if (auth === "jwt" || id === "createTenant")
      expect([id, listPartitions(kebabCase(id))]).toEqual([id, expect.arrayContaining(["~slug#*"])]);
    else expect([id, listPartitions(kebabCase(id))]).toEqual([id, expect.not.arrayContaining(["~slug#*"])]);
  }
  expect(listActions("list-models")).not.toContain("dynamodb:PutItem");
});

it("IAM role of an authorizer allows no access to the table except reading credentials and, for tokens of users, issuers", () => {
  // Tokens of the identity provider of a tenant need the item that names the tenant.
  const readKeys = {
    "authorizer-api-key": ["~credential#*"],
    "authorizer-embed-key": ["~credential#*"],
    "authorizer-jwt": ["~credential#*", "~issuer#*"],
  };
  for (const [name, leadingKeys] of Object.entries(readKeys)) {
    const tableStatements = listStatements(name).filter(({ Action }) => JSON.stringify(Action).includes("dynamodb:"));
    expect(tableStatements).toMatchObject([
      {
        Action: ["dynamodb:BatchGetItem", "dynamodb:GetItem"],
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": leadingKeys } },
      },
    ]);
  }
});
