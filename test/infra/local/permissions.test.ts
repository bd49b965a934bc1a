import { expect, it } from "vitest";
import { modelRequests } from "../../../infra/local/functions/model-requests.ts";
import { type AccessRequest, evaluatePolicy, statementsIn } from "../../../infra/local/functions/permissions.ts";

const evaluate = (statements: object[], request: Partial<AccessRequest>) =>
  evaluatePolicy(statementsIn({ Statement: statements }), {
    action: "s3:GetObject",
    resource: "arn:aws:s3:::uploads/a",
    ...request,
  });

const statement = { Effect: "Allow", Action: "s3:Get*", Resource: "arn:aws:s3:::uploads/*" };
const withCondition = (Condition: object) => [{ ...statement, Condition }];

it("local evaluation of IAM policies ignores upper and lower case in actions, but not in resources", () => {
  expect(evaluate([statement], { action: "S3:getobject" })).toBe("allow");
  expect(evaluate([statement], { resource: "arn:aws:s3:::Uploads/a" })).toBe("neither");
});

it("local evaluation of IAM policies lets an explicit deny override any allow", () => {
  const deny = { ...statement, Effect: "Deny", Resource: "arn:aws:s3:::uploads/secret/*" };
  expect(evaluate([statement, deny], {})).toBe("allow");
  expect(evaluate([statement, deny], { resource: "arn:aws:s3:::uploads/secret/a" })).toBe("deny");
});

it("local evaluation of IAM policies applies a deny only if the condition of the deny is met", () => {
  const deny = { ...statement, Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } };
  expect(evaluate([statement, deny], { context: { "aws:securetransport": ["true"] } })).toBe("allow");
  expect(evaluate([statement, deny], { context: { "aws:securetransport": ["false"] } })).toBe("deny");
});

it("local evaluation of IAM policies requires every condition of a statement and one of the values of each", () => {
  const both = withCondition({ StringEquals: { "aws:a": ["1", "2"] }, StringLike: { "aws:b": "x*" } });
  expect(evaluate(both, { context: { "aws:a": ["2"], "aws:b": ["xy"] } })).toBe("allow");
  expect(evaluate(both, { context: { "aws:a": ["3"], "aws:b": ["xy"] } })).toBe("neither");
  expect(evaluate(both, { context: { "aws:a": ["2"] } })).toBe("neither");
});

it.each([
  ["ForAllValues:StringLike", ["own#1", "own#2"], "allow"],
  ["ForAllValues:StringLike", ["own#1", "other"], "neither"],
  ["ForAllValues:StringLike", [], "allow"],
  ["ForAnyValue:StringLike", ["own#1", "other"], "allow"],
  ["ForAnyValue:StringLike", ["other"], "neither"],
  ["ForAnyValue:StringLike", [], "neither"],
  ["StringLikeIfExists", [], "allow"],
  ["StringNotLike", ["other"], "allow"],
  ["StringNotLike", ["own#1"], "neither"],
  ["StringLike", ["OWN#1"], "neither"],
])('local evaluation of IAM policies evaluates %s with the leading keys %j to "%s"', (operator, values, decision) => {
  const conditional = withCondition({ [operator]: { "dynamodb:LeadingKeys": ["own#*"] } });
  expect(evaluate(conditional, { context: { "dynamodb:leadingkeys": values } })).toBe(decision);
});

it("local evaluation of IAM policies throws an error for policy elements and operators that it does not support", () => {
  expect(() => evaluate([{ Effect: "Allow", NotAction: "s3:*", Resource: "*" }], {})).toThrow("NotAction");
  expect(() => evaluate(withCondition({ NumericLessThan: { "s3:max-keys": "1" } }), {})).toThrow("NumericLessThan");
});

const profile = "arn:aws:bedrock:us-east-1:000000000000:application-inference-profile/a";

it.each([
  ["/model/amazon.nova-lite-v1%3A0/converse", ["bedrock:InvokeModel foundation-model/amazon.nova-lite-v1:0"]],
  [
    "/model/eu.amazon.nova-lite-v1%3A0/converse-stream",
    [
      "bedrock:InvokeModelWithResponseStream inference-profile/eu.amazon.nova-lite-v1:0",
      "bedrock:InvokeModelWithResponseStream foundation-model/amazon.nova-lite-v1:0",
    ],
  ],
  [`/model/${encodeURIComponent(profile)}/converse`, ["bedrock:InvokeModel application-inference-profile/a"]],
  ["/guardrail/g1/version/1/apply", ["bedrock:ApplyGuardrail guardrail/g1"]],
])(
  "local permission check of a Bedrock request requires for the request path %s the permissions %j",
  (path, permissions) => {
    expect(
      modelRequests(path).map(({ action, resource }) => `${action} ${resource.split(":").slice(5).join(":")}`),
    ).toEqual(permissions);
  },
);
