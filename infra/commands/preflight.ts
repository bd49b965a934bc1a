import { parseArgs } from "node:util";
import { AwsError, awsClient } from "../../shared/lib/aws/aws-client.ts";
import { getAwsSettings } from "../../shared/lib/env.ts";
import { loadConfig, parseNames } from "../config.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { runScript, UsageError } from "./script.ts";

/** Result of one check. The text of a problem says how to solve it. */
interface Finding {
  readonly check: string;
  readonly isProblem: boolean;
  readonly text: string;
}

/** Values that are passed to the deployment as CDK context: `-c stage=<name>` and so on. */
export interface PreflightOptions {
  readonly stage: string;
  readonly domain?: string;
  readonly certificate?: string;
}

/** AWS services that speak a JSON protocol, with the prefix of their header `X-Amz-Target`. */
const services = {
  quotas: { environmentName: "SERVICE_QUOTAS", hostPrefix: "servicequotas", target: "ServiceQuotasV20190624" },
  parameters: { environmentName: "SSM", hostPrefix: "ssm", target: "AmazonSSM" },
  certificates: { environmentName: "ACM", hostPrefix: "acm", target: "CertificateManager" },
  secrets: { environmentName: "SECRETS_MANAGER", hostPrefix: "secretsmanager", target: "secretsmanager" },
  tables: { environmentName: "DYNAMODB", hostPrefix: "dynamodb", target: "DynamoDB_20120810" },
} as const;

const limits = { timeoutMs: 10_000, maxAttempts: 3 } as const;

function call(
  service: keyof typeof services,
  operation: string,
  input: object,
  region?: string,
): Promise<Record<string, unknown>> {
  const { environmentName, hostPrefix, target } = services[service];
  const client = awsClient({ environmentName, hostPrefix, signingName: hostPrefix, region, ...limits });
  return client({
    path: "/",
    headers: {
      "content-type": `application/x-amz-json-${service === "tables" ? "1.0" : "1.1"}`,
      "x-amz-target": `${target}.${operation}`,
    },
    body: JSON.stringify(input),
  });
}

/**
 * Quota "Concurrent executions" of Lambda, by its codes in Service Quotas.
 * @see https://docs.aws.amazon.com/general/latest/gr/lambda-service.html
 */
const concurrencyQuota = { ServiceCode: "lambda", QuotaCode: "L-B99A9384" };

/** Minimum number of concurrent executions for the queues, the stream processors and a few chats. */
const MIN_CONCURRENCY = 50;

async function checkQuota(): Promise<Omit<Finding, "check">> {
  const { Quota } = await call("quotas", "GetServiceQuota", concurrencyQuota);
  const value = Number((Quota as { Value?: number } | undefined)?.Value);
  if (value < MIN_CONCURRENCY) {
    const text = `Lambda may run ${value} functions at a time, and each open chat takes one. Request at least 1000: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000`;
    return { isProblem: true, text };
  }
  return { isProblem: false, text: `Deploy with CONCURRENCY_QUOTA=${value}; from 500 on, chats get a reserved part.` };
}

async function checkBootstrap(): Promise<Omit<Finding, "check">> {
  try {
    await call("parameters", "GetParameter", { Name: "/cdk-bootstrap/hnb659fds/version" });
    return { isProblem: false, text: "The region is bootstrapped." };
  } catch (error) {
    if (!(error instanceof AwsError && error.name === "ParameterNotFound")) throw error;
    return { isProblem: true, text: "The region is not bootstrapped. Run: npx cdk bootstrap" };
  }
}

async function checkCertificate({ domain, certificate }: PreflightOptions): Promise<Omit<Finding, "check">> {
  if (!certificate || !domain) return { isProblem: false, text: "Without a domain, CloudFront chooses the address." };
  const { Certificate } = await call(
    "certificates",
    "DescribeCertificate",
    { CertificateArn: certificate },
    "us-east-1",
  );
  const { Status, SubjectAlternativeNames = [] } = Certificate as {
    Status: string;
    SubjectAlternativeNames?: string[];
  };
  const { name, aliases } = parseNames(domain);
  const isCovered = (host: string) =>
    SubjectAlternativeNames.some((own) => own === host || own === `*.${host.slice(host.indexOf(".") + 1)}`);
  const missing = [name, ...aliases].filter((host) => !isCovered(host));
  if (Status !== "ISSUED")
    return { isProblem: true, text: `The certificate has the status ${Status}. Validate it first.` };
  return missing.length === 0
    ? { isProblem: false, text: `The certificate is valid for ${domain}.` }
    : {
        isProblem: true,
        text: `The certificate is for ${SubjectAlternativeNames.join(", ")}, not for ${missing.join(", ")}.`,
      };
}

/**
 * Checks access to each Bedrock model in the settings by a request for one token, because nothing else proves that account
 * and credentials may use it.
 */
async function checkModel({ stage }: PreflightOptions): Promise<Omit<Finding, "check">> {
  const { model } = loadConfig((name) => (name === "stage" ? stage : undefined)).settings;
  if (model.MODEL_PROVIDER !== "bedrock" || model.MODELS) {
    return { isProblem: false, text: `Not checked: MODEL_PROVIDER is ${model.MODEL_PROVIDER}.` };
  }
  const names = ["MODEL_ID", ...Object.keys(model).filter((name) => name.startsWith("MODEL_ID_"))];
  const ids = [...new Set(names.map((name) => model[name]).filter((id) => id !== undefined && id !== ""))];
  const client = awsClient({
    environmentName: "BEDROCK_RUNTIME",
    hostPrefix: "bedrock-runtime",
    signingName: "bedrock",
    ...limits,
  });
  const body = JSON.stringify({
    messages: [{ role: "user", content: [{ text: "Hi" }] }],
    inferenceConfig: { maxTokens: 1 },
  });
  for (const id of ids) {
    try {
      await client({
        path: `/model/${encodeURIComponent(String(id))}/converse`,
        headers: { "content-type": "application/json" },
        body,
      });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const text = `Bedrock refuses ${id}: ${error.message} Request access in the Bedrock console of this region, or use an inference profile.`;
      return { isProblem: true, text };
    }
  }
  return { isProblem: false, text: `Bedrock answers with ${ids.join(", ")}.` };
}

/**
 * Lists the table and secrets of an earlier deployment of the stage. They stay when a stack is deleted, and then block a new
 * deployment.
 */
async function checkNames({ stage }: PreflightOptions): Promise<Omit<Finding, "check">> {
  const taken: string[] = [];
  const exists = async (name: string, look: Promise<unknown>) => {
    try {
      await look;
      taken.push(name);
    } catch (error) {
      if (!(error instanceof AwsError && error.name === "ResourceNotFoundException")) throw error;
    }
  };
  const named = (part: string) => `switchboard-${stage}-${part}`;
  await exists(named("table"), call("tables", "DescribeTable", { TableName: named("table") }));
  for (const part of ["app-secret", "deployment-key", "origin-secret"]) {
    await exists(named(part), call("secrets", "DescribeSecret", { SecretId: named(part) }));
  }
  return {
    isProblem: false,
    text:
      taken.length === 0
        ? `No deployment of the stage ${stage} exists.`
        : `${taken.join(", ")} exist. For an update, that is right. If the stack ${named("data")} was deleted, re-import them with npx cdk import, or delete them.`,
  };
}

const checks: Readonly<Record<string, (options: PreflightOptions) => Promise<Omit<Finding, "check">>>> = {
  settings: async ({ stage, domain, certificate }) => {
    try {
      const context = { stage, domain, certificate, waf: undefined };
      const { warnings } = loadConfig((name) => context[name], getAwsSettings("LAMBDA").region);
      return { isProblem: warnings.length > 0, text: warnings.join(" ") || "The settings are complete." };
    } catch (error) {
      if (!(error instanceof SynthesisError)) throw error;
      return { isProblem: true, text: error.message };
    }
  },
  quota: checkQuota,
  bootstrap: checkBootstrap,
  certificate: checkCertificate,
  model: checkModel,
  names: checkNames,
};

/**
 * Runs all checks of the account, region and credentials that a deployment can fail on. A check that throws counts as a
 * problem.
 */
export async function runPreflightChecks(options: PreflightOptions): Promise<Finding[]> {
  return Promise.all(
    Object.entries(checks).map(async ([check, run]): Promise<Finding> => {
      try {
        return { check, ...(await run(options)) };
      } catch (error) {
        return { check, isProblem: true, text: `Not checked: ${error instanceof Error ? error.message : error}` };
      }
    }),
  );
}

await runScript(import.meta, async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { stage: { type: "string" }, domain: { type: "string" }, certificate: { type: "string" } },
  });
  const { stage, domain, certificate } = values;
  if (!stage) {
    throw new UsageError(
      "Name the stage: npm run preflight -- --stage prod [--domain <name> --certificate <ARN in us-east-1>]",
    );
  }
  const findings = await runPreflightChecks({ stage, ...(domain && { domain }), ...(certificate && { certificate }) });
  for (const { check, isProblem, text } of findings)
    console.log(`${isProblem ? "PROBLEM" : "ok     "} ${check}: ${text}`);
  if (findings.some(({ isProblem }) => isProblem)) process.exitCode = 1;
});
