import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { runPreflightChecks } from "../../infra/commands/preflight.ts";

/** Replies of the account by operation: a result, or the name of an error. */
let account: Record<string, object | string>;
let server: Server;

const healthy = {
  GetServiceQuota: { Quota: { Value: 1_000 } },
  GetParameter: { Parameter: { Value: "21" } },
  DescribeCertificate: { Certificate: { Status: "ISSUED", SubjectAlternativeNames: ["*.example.com"] } },
  DescribeTable: "ResourceNotFoundException",
  DescribeSecret: "ResourceNotFoundException",
  converse: { output: {} },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const operation = String(request.headers["x-amz-target"] ?? request.url).replace(/^.*[./]/, "");
    const reply = account[operation];
    const isError = typeof reply === "string";
    response.writeHead(isError ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isError ? { __type: reply, message: `${reply}.` } : reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => server.close());

afterEach(() => {
  vi.unstubAllEnvs();
});

beforeEach(() => {
  account = healthy;
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${port}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
  vi.stubEnv("JWT_ISSUER", "https://issuer.example.com/");
  vi.stubEnv("JWT_AUDIENCE", "switchboard");
  vi.stubEnv("JWT_JWKS_URL", "https://issuer.example.com/keys");
  vi.stubEnv("MODEL_PROVIDER", "bedrock");
  vi.stubEnv("MODEL_ID", "eu.amazon.nova-lite-v1:0");
});

const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/1";

/** Returns the problems by check. */
async function findProblems(domain = "chat.example.com") {
  const findings = await runPreflightChecks({ stage: "prod", domain, certificate });
  return Object.fromEntries(findings.flatMap(({ check, isProblem, text }) => (isProblem ? [[check, text]] : [])));
}

it("runPreflightChecks() finds no problem in an account that is ready, and names its quota", async () => {
  const findings = await runPreflightChecks({ stage: "prod", domain: "chat.example.com", certificate });
  expect(findings.filter(({ isProblem }) => isProblem)).toEqual([]);
  expect(findings.find(({ check }) => check === "quota")?.text).toContain("CONCURRENCY_QUOTA=1000");
});

it.each([
  ["quota", { GetServiceQuota: { Quota: { Value: 10 } } }, /may run 10 functions.*request-service-quota-increase/],
  ["bootstrap", { GetParameter: "ParameterNotFound" }, /npx cdk bootstrap/],
  ["certificate", { DescribeCertificate: { Certificate: { Status: "PENDING_VALIDATION" } } }, /Validate it/],
  ["model", { converse: "AccessDeniedException" }, /Bedrock refuses eu\.amazon\.nova-lite-v1:0: AccessDenied/],
  ["quota", { GetServiceQuota: "AccessDeniedException" }, /Not checked: AccessDeniedException/],
])("runPreflightChecks() says what to do about a problem of the %s", async (check, replies, text) => {
  account = { ...healthy, ...replies };
  expect(await findProblems()).toEqual({ [check]: expect.stringMatching(text) });
});

it("runPreflightChecks() finds a certificate for another domain, a region without function URLs and missing settings", async () => {
  expect(await findProblems("chat.example.org")).toEqual({
    certificate: "The certificate is for *.example.com, not for chat.example.org.",
  });
  expect(await findProblems("chat.example.com,acme.example.com,acme.chat.example.com")).toEqual({
    certificate: "The certificate is for *.example.com, not for acme.chat.example.com.",
  });
  vi.stubEnv("AWS_REGION", "eu-south-2");
  expect((await findProblems()).settings).toContain("no function URLs in eu-south-2");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("JWT_AUDIENCE", "");
  expect((await findProblems()).settings).toContain("requires JWT_AUDIENCE");
});

it("runPreflightChecks() names the table that an earlier deployment left behind", async () => {
  account = { ...healthy, DescribeTable: { Table: {} } };
  const findings = await runPreflightChecks({ stage: "prod" });
  expect(findings.find(({ check }) => check === "names")?.text).toContain("switchboard-prod-table exist.");
});
