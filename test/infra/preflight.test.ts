import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { runPreflightChecks } from "../../infra/commands/preflight.ts";
import { awsLimits } from "../../infra/limits.ts";

// A synthesis takes seconds, and most tests have the same configuration.
vi.mock("../../infra/placeholder-templates.ts", async (importOriginal) => {
  const { synthesizePlaceholders } = await importOriginal<typeof import("../../infra/placeholder-templates.ts")>();
  const known = new Map<string, ReturnType<typeof synthesizePlaceholders>>();
  const synthesizeOnce: typeof synthesizePlaceholders = (config, root, routes) => {
    const { stage, isProduction, waf, alarms, hasProbe, hasCustomerKey, settings } = config;
    const { EMBEDDING_PROVIDER } = settings.model;
    const key = JSON.stringify([
      stage,
      isProduction,
      waf,
      alarms,
      hasProbe,
      hasCustomerKey,
      settings.probe,
      EMBEDDING_PROVIDER,
      routes?.length,
    ]);
    const templates = known.get(key) ?? synthesizePlaceholders(config, root, routes);
    known.set(key, templates);
    return templates;
  };
  return { synthesizePlaceholders: synthesizeOnce };
});

/** Replies of the account by operation, or by operation and code of a quota: a result, or the name of an error. */
let account: Record<string, object | string>;
let server: Server;
/** Operations that were called. */
let requests: string[];

const identity =
  "<GetCallerIdentityResponse><Account>111122223333</Account><Arn>arn:aws:iam::111122223333:user/ada</Arn></GetCallerIdentityResponse>";

const subscriptions = (...arns: string[]) =>
  `<Subscriptions>${arns.map((arn) => `<member><SubscriptionArn>${arn}</SubscriptionArn></member>`).join("")}</Subscriptions>`;

const ownNames = ["app-secret", "deployment-key", "origin-secret"].map((name) => `switchboard-prod-${name}`);

const own = (reply: object | string) => Object.fromEntries(ownNames.map((name) => [`DescribeSecret ${name}`, reply]));

const healthy: Record<string, object | string> = {
  GetCallerIdentity: identity,
  getRegionOptStatus: { RegionOptStatus: "ENABLED_BY_DEFAULT" },
  ListDistributions: "<DistributionList><DistributionSummary></DistributionSummary></DistributionList>",
  ListSubscriptionsByTopic: subscriptions("PendingConfirmation", "arn:aws:sns:eu-central-1:111122223333:alarms:1"),
  GetServiceQuota: { Quota: { Value: 1_000 } },
  GetParameter: { Parameter: { Value: "21" } },
  DescribeCertificate: { Certificate: { Status: "ISSUED", SubjectAlternativeNames: ["*.example.com"] } },
  DescribeTable: "ResourceNotFoundException",
  ...own("ResourceNotFoundException"),
  DescribeSecret: { VersionIdsToStages: { 1: ["AWSCURRENT"] } },
  GetSecretValue: { SecretString: '{"key":"sk-1"}' },
  converse: { output: {} },
  "chat/completions": { choices: [] },
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const isJson = text.startsWith("{");
    const { QuotaCode, SecretId, max_tokens } = isJson ? JSON.parse(text) : {};
    const operation = request.url?.startsWith("/2020-05-31/distribution")
      ? "ListDistributions"
      : request.url?.endsWith("/chat/completions")
        ? "chat/completions"
        : isJson
          ? String(request.headers["x-amz-target"] ?? request.url).replace(/^.*[./]/, "")
          : String(new URLSearchParams(text).get("Action"));
    const detail = QuotaCode ?? SecretId ?? (max_tokens && "max_tokens");
    requests.push(operation);
    const reply = account[`${operation} ${detail}`] ?? account[operation] ?? "UnknownOperationException";
    const isError = typeof reply === "string" && !reply.startsWith("<");
    const [name, message = `${name}.`] = isError ? reply.split(": ") : [];
    const status = isError ? Number(/^\d{3}$/.exec(String(name))?.[0] ?? 400) : 200;
    response.writeHead(status, { "content-type": "application/json" });
    if (!isError) response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
    else if (isJson) response.end(JSON.stringify({ __type: name, message }));
    else
      response.end(`<ErrorResponse><Error><Code>${name}</Code><Message>${message}</Message></Error></ErrorResponse>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => server.close());

afterEach(() => {
  vi.unstubAllEnvs();
});

beforeEach(() => {
  account = healthy;
  requests = [];
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
  vi.stubEnv("OTLP_HEADERS", "{{resolve:secretsmanager:collector:SecretString:headers}}");
});

const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/1";

const options = { stage: "prod", domain: "chat.example.com", certificate, hasModelRequest: true };

/** Returns the findings that are not `ok`, by check. */
async function findTroubles(domain = "chat.example.com") {
  const findings = await runPreflightChecks({ ...options, domain });
  const entries = findings
    .filter(({ status }) => status !== "ok")
    .map(({ check, status, text }) => [check, `${status} ${text}`]);
  return Object.fromEntries(entries) as Record<string, string>;
}

it("runPreflightChecks() finds no problem in an account that is ready, and names its quota", async () => {
  const findings = await runPreflightChecks(options);
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(findings.find(({ check }) => check === "quota")?.text).toContain("CONCURRENCY_QUOTA=1000");
  expect(findings.find(({ check }) => check === "credentials")?.text).toContain("user/ada in eu-central-1");
});

const compatible = { MODEL_PROVIDER: "openai-compatible", MODEL_ID: "gpt", MODEL_BASE_URL: "stub" };

it.each<
  [
    check: string,
    cause: string,
    replies: Record<string, object | string>,
    text: RegExp,
    settings?: Record<string, string>,
  ]
>([
  [
    "quota",
    "a low quota",
    { "GetServiceQuota L-B99A9384": { Quota: { Value: 10 } } },
    /^problem .*may run 10 functions.*request-service-quota-increase/,
  ],
  [
    "limits",
    "too few roles",
    { "GetServiceQuota L-FE177D64": { Quota: { Value: 300 } } },
    /^problem .*prod: more than 80 % is used of IAM roles\. Request/,
  ],
  [
    "limits",
    "no right to read a quota",
    { "GetServiceQuota L-FE177D64": "AccessDeniedException" },
    /^unchecked .*defaults of AWS only.*Allow servicequotas:GetServiceQuota/,
  ],
  ["bootstrap", "a region without bootstrap", { GetParameter: "ParameterNotFound" }, /^problem .*npx cdk bootstrap/],
  [
    "bootstrap",
    "no right to read it",
    { GetParameter: "AccessDeniedException" },
    /^unchecked .*Allow ssm:GetParameter/,
  ],
  [
    "certificate",
    "a pending certificate",
    { DescribeCertificate: { Certificate: { Status: "PENDING_VALIDATION" } } },
    /^problem .*Validate it/,
  ],
  [
    "certificate",
    "an unknown certificate",
    { DescribeCertificate: "ResourceNotFoundException" },
    /^problem .*one in us-east-1/,
  ],
  [
    "region",
    "a disabled region",
    { getRegionOptStatus: { RegionOptStatus: "DISABLED" } },
    /^problem .*enable-region --region-name eu-central-1/,
  ],
  ["region", "an unknown region", { getRegionOptStatus: "ValidationException" }, /^problem .*Correct AWS_REGION/],
  [
    "region",
    "no right to read it",
    { getRegionOptStatus: "AccessDeniedException" },
    /^unchecked .*Allow account:GetRegionOptStatus/,
  ],
  [
    "distributions",
    "a new account",
    { ListDistributions: "<DistributionList></DistributionList>" },
    /^unchecked .*"Your account must be verified", ask AWS Support/,
  ],
  [
    "distributions",
    "no right to list them",
    { ListDistributions: "AccessDenied" },
    /^unchecked .*Allow cloudfront:ListDistributions/,
  ],
  [
    "secrets",
    "a wrong name",
    { DescribeSecret: "ResourceNotFoundException" },
    /^problem The secret collector \(OTLP_HEADERS\) does not exist.*create-secret --name collector/,
  ],
  [
    "secrets",
    "a deleted secret",
    { DescribeSecret: { DeletedDate: 1 } },
    /^problem .*restore-secret --secret-id collector/,
  ],
  [
    "secrets",
    "an empty secret",
    { DescribeSecret: {} },
    /^problem .*has no value.*put-secret-value --secret-id collector/,
  ],
  [
    "secrets",
    "no right to describe it",
    { DescribeSecret: "AccessDeniedException" },
    /^unchecked .*Allow secretsmanager:DescribeSecret/,
  ],
  [
    "alarms",
    "no deployment yet",
    { ListSubscriptionsByTopic: "NotFound" },
    /^unchecked .*first deployment creates the topic.*aws sns subscribe --topic-arn arn:aws:sns:eu-central-1:111122223333:switchboard-prod-alarms/,
  ],
  [
    "alarms",
    "no subscriber",
    { ListSubscriptionsByTopic: subscriptions() },
    /^problem .*no subscriber.*aws sns subscribe/,
  ],
  [
    "alarms",
    "an unconfirmed subscriber",
    { ListSubscriptionsByTopic: subscriptions("PendingConfirmation") },
    /^problem .*1 subscription waits for a confirmation/,
  ],
  [
    "alarms",
    "no right to list subscribers",
    { ListSubscriptionsByTopic: "AuthorizationError" },
    /^unchecked .*Allow sns:ListSubscriptionsByTopic/,
  ],
  [
    "names",
    "a table that was left",
    { DescribeTable: { Table: {} } },
    /^problem switchboard-prod-table exist, but not switchboard-prod-app-secret.*cdk import/,
  ],
  [
    "names",
    "secrets that are being deleted",
    own({ DeletedDate: 1 }),
    /^problem .*restore-secret --secret-id switchboard-prod-app-secret/,
  ],
  [
    "names",
    "no right to describe the table",
    { DescribeTable: "AccessDeniedException" },
    /^unchecked .*Allow dynamodb:DescribeTable/,
  ],
  [
    "model",
    "no access to the model",
    { converse: "AccessDeniedException: You don't have access to the model." },
    /^problem Bedrock refuses eu\.amazon\.nova-lite-v1:0: You don't have access.*Request access/,
  ],
  [
    "model",
    "no right to call it",
    { converse: "AccessDeniedException: User x is not authorized to perform y" },
    /^unchecked .*Allow bedrock:InvokeModel/,
  ],
  [
    "model",
    "a wrong model id",
    { converse: "ValidationException: The provided model identifier is invalid." },
    /^problem .*Correct the model's id, or deploy to a region/,
  ],
  [
    "model",
    "a model without on-demand use",
    { converse: "ValidationException: on-demand throughput isn't supported" },
    /^problem .*inference profile/,
  ],
  [
    "model",
    "a use case that was not submitted",
    { converse: "ResourceNotFoundException: use case details" },
    /^problem .*Submit the form/,
  ],
  ["model", "a wrong key", { "chat/completions": "401" }, /^problem .*refuses gpt with 401.*key is wrong/, compatible],
  [
    "model",
    "an unknown model at the provider",
    { "chat/completions": "404" },
    /^problem .*with 404.*model's id, or the base URL/,
    compatible,
  ],
  ["model", "an account without credit", { "chat/completions": "402" }, /^problem .*no credit/, compatible],
  ["model", "another API", { "chat/completions": {} }, /^problem .*not with a completion/, compatible],
  [
    "model",
    "an unreachable provider",
    {},
    /^problem http:\/\/127\.0\.0\.1:9 cannot be reached/,
    { ...compatible, MODEL_BASE_URL: "http://127.0.0.1:9" },
  ],
])(
  "runPreflightChecks() names cause and remedy in its check of the %s of an account with %s",
  async (check, _cause, replies, text, settings = {}) => {
    account = { ...healthy, ...replies };
    for (const [name, value] of Object.entries(settings)) {
      vi.stubEnv(name, value === "stub" ? process.env.AWS_ENDPOINT_URL : value);
    }
    expect(await findTroubles()).toEqual({ [check]: expect.stringMatching(text) });
  },
);

it("runPreflightChecks() asks a provider with OpenAI's API with the key of its secret, and with the other name of the limit if it is refused", async () => {
  const key = "{{resolve:secretsmanager:model:SecretString:key}}";
  for (const [name, value] of Object.entries({ ...compatible, MODEL_API_KEY: key })) vi.stubEnv(name, value);
  vi.stubEnv("MODEL_BASE_URL", process.env.AWS_ENDPOINT_URL);
  account = { ...healthy, "chat/completions max_tokens": "400: Use max_completion_tokens" };
  expect(await findTroubles()).toEqual({});
  expect(requests.filter((name) => name === "chat/completions")).toHaveLength(2);
  expect(requests).toContain("GetSecretValue");
});

it("runPreflightChecks() requests nothing of a model unless it is told to, and says that it did not", async () => {
  const findings = await runPreflightChecks({ stage: "prod" });
  expect(findings.find(({ check }) => check === "model")).toMatchObject({
    status: "unchecked",
    text: expect.stringContaining("--ask-model"),
  });
  expect(requests).not.toContain("converse");
});

it.each([
  ["ExpiredToken", /session of the credentials has expired.*aws sso login/],
  ["InvalidClientTokenId", /does not know the access key/],
  ["SignatureDoesNotMatch", /secret access key does not belong/],
])("runPreflightChecks() checks nothing of an account whose credentials fail with %s", async (name, text) => {
  account = { ...healthy, GetCallerIdentity: name };
  const { credentials, ...others } = await findTroubles();
  expect(credentials).toMatch(text);
  expect(new Set(Object.values(others))).toEqual(new Set(["unchecked Correct the credentials first."]));
  expect(new Set(requests)).toEqual(new Set(["GetCallerIdentity"]));
});

it("runPreflightChecks() finds a certificate for another domain, a region without function URLs and missing settings", async () => {
  expect(await findTroubles("chat.example.org")).toEqual({
    certificate: expect.stringContaining("The certificate is for *.example.com, not for chat.example.org. Request one"),
  });
  expect(await findTroubles("chat.example.com,acme.example.com,acme.chat.example.com")).toEqual({
    certificate: expect.stringContaining("The certificate is for *.example.com, not for acme.chat.example.com."),
  });
  vi.stubEnv("AWS_REGION", "eu-south-2");
  expect((await findTroubles()).settings).toContain("no function URLs in eu-south-2");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("JWT_AUDIENCE", "");
  expect((await findTroubles()).settings).toContain("requires JWT_AUDIENCE");
});

it("runPreflightChecks() prints the use of each limit of AWS for all cells of an account, with the quota of the account where it is known", async () => {
  account = {
    ...healthy,
    "GetServiceQuota L-FE177D64": { Quota: { Value: 5_000 } },
    "GetServiceQuota L-CF0D4FC5": "NoSuchResourceException",
  };
  const findings = await runPreflightChecks({ stage: "prod", cells: 10 });
  const [summary, ...lines] = findings.find(({ check }) => check === "limits")?.text.split("\n") ?? [];
  expect(summary).toBe(
    "10 deployments of prod: more than 80 % is used of response headers policies. Request higher quotas first.",
  );
  expect(lines).toHaveLength(awsLimits.length);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}IAM roles: \d+ of 5000, 3\d % free \(https:/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {2}response headers policies: 50 of 20, -150 % free of the default/),
  );
});

it.each([
  ["us-east-1", /creates two web ACLs/],
  ["eu-central-1", /No web ACL bounds what one address can cost/],
])("runPreflightChecks() says in %s whether a web ACL bounds what one address can cost", async (region, text) => {
  vi.stubEnv("AWS_REGION", region);
  const findings = await runPreflightChecks({ stage: "prod" });
  expect(findings.find(({ check }) => check === "web ACL")).toMatchObject({
    status: "ok",
    text: expect.stringMatching(text),
  });
});

it("runPreflightChecks() prints what a month without requests costs with the settings, by item, and the price of each switch", async () => {
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("CUSTOMER_KEY", "on");
  const findings = await runPreflightChecks({ stage: "prod" });
  const [summary, ...lines] = findings.find(({ check }) => check === "cost")?.text.split("\n") ?? [];
  // Of the settings, OTLP_HEADERS names a secret.
  expect(summary).toMatch(
    /^prod costs 24\.49 USD a month without requests, by the list prices of us-east-1 of 2025-12/,
  );
  expect(lines).toEqual([
    "  web ACLs per month: 10.00 USD",
    "  rules of web ACLs per month: 6.00 USD",
    "  metrics in alarms per month: 3.80 USD",
    "  SQS requests: 1.96 USD",
    "  secrets per month: 1.60 USD",
    "  customer-managed keys per month: 1.00 USD",
    "  GB-seconds: 0.06 USD",
    "  REST API requests: 0.03 USD",
    "  invocations: 0.01 USD",
    "  HTTPS requests: 0.01 USD",
    "  bytes of logs: 0.01 USD",
    "  on, costs 16.00 USD: web ACLs (-c waf)",
    "  off, would cost 0.26 USD: embeddings (EMBEDDING_PROVIDER)",
    "  on, costs 1.00 USD: customer-managed key (CUSTOMER_KEY)",
    "  on, costs 0.31 USD: probe (PROBE)",
    "  off, would cost 0.78 USD: questions of the probe (PROBE_KEY), with their secret and without their model",
  ]);
  const page = readFileSync("docs/guides/costs.md", "utf8");
  for (const line of lines.slice(-5)) {
    const [, usd, setting] = /costs? ([\d.]+) USD: .*\((?:-c )?(\w+)\)/.exec(line) ?? [];
    expect(page).toMatch(new RegExp(`^\\| \`(?:-c )?${setting}\\b.* \\| ${usd} \\|$`, "m"));
  }
});
