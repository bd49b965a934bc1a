import { App, Stack } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { emailStatements } from "../../infra/constructs/grants.ts";

const statementsFor = (settings: Record<string, string>) => {
  const stack = new Stack(new App(), "S", { env: { account: "123456789012", region: "eu-west-1" } });
  return stack.resolve(emailStatements(stack, settings).map((statement) => statement.toStatementJson()));
};

it("IAM permission to send e-mails is not granted if no sender is configured", () => {
  expect(statementsFor({ EMAIL_FROM: "", EMAIL_DOMAINS: "" })).toEqual([]);
});

it("IAM permission to send e-mails names the sender, its identities and the domains of the receivers", () => {
  const [statement, ...others] = statementsFor({
    EMAIL_FROM: "bot@acme.example",
    EMAIL_DOMAINS: "acme.example,ops.example",
  });
  const identity = (name: string) => ({
    "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, `:ses:eu-west-1:123456789012:identity/${name}`]],
  });
  expect(others).toEqual([]);
  expect(statement).toMatchObject({
    Action: "ses:SendEmail",
    Resource: [identity("bot@acme.example"), identity("acme.example")],
    Condition: {
      StringEquals: { "ses:FromAddress": "bot@acme.example" },
      "ForAllValues:StringLike": { "ses:Recipients": ["*@acme.example", "*@ops.example"] },
    },
  });
});
