import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Route } from "../../shared/api/define-route.ts";
import { AwsError } from "../../shared/lib/aws/aws-client.ts";
import { getToolSetting } from "../../shared/lib/env.ts";
import { type Config, loadConfig, parseNames } from "../config.ts";
import { describeIdleCosts, idleCosts } from "../cost/idle-cost.ts";
import { pricesAsOf } from "../cost/prices.ts";
import { type AwsLimit, awsLimits, measureLimits, nearLimits, type StackTemplate } from "../limits.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { loadCredentials } from "./credentials.ts";
import { callAws, GLOBAL_REGION } from "./preflight/account.ts";
import {
  type CallerIdentity,
  checkAlarmTopic,
  checkDistributions,
  checkRegion,
  getCallerIdentity,
} from "./preflight/check-account.ts";
import { checkModels } from "./preflight/check-model.ts";
import { checkNamedSecrets } from "./preflight/check-secrets.ts";
import {
  ok,
  type PreflightFinding,
  type PreflightOptions,
  problem,
  type Result,
  UncheckedError,
  unchecked,
} from "./preflight/finding.ts";
import { runScript, UsageError } from "./script.ts";

/**
 * Quota "Concurrent executions" of Lambda, by its codes in Service Quotas.
 * @see https://docs.aws.amazon.com/general/latest/gr/lambda-service.html
 */
const concurrencyQuota = { ServiceCode: "lambda", QuotaCode: "L-B99A9384" };

/** Minimum number of concurrent executions for the queues, the stream processors and a few chats. */
const MIN_CONCURRENCY = 50;

async function checkQuota(): Promise<Result> {
  const { Quota } = await callAws("servicequotas", "GetServiceQuota", concurrencyQuota);
  const value = Number((Quota as { Value?: number } | undefined)?.Value);
  if (value < MIN_CONCURRENCY) {
    const text = `Lambda may run ${value} functions at a time, and each open chat takes one. Request at least 1000: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000`;
    return problem(text);
  }
  return ok(`Deploy with CONCURRENCY_QUOTA=${value}; from 500 on, chats get a reserved part.`);
}

async function checkBootstrap(): Promise<Result> {
  try {
    await callAws("ssm", "GetParameter", { Name: "/cdk-bootstrap/hnb659fds/version" });
    return ok("The region is bootstrapped.");
  } catch (error) {
    if (!(error instanceof AwsError && error.name === "ParameterNotFound")) throw error;
    return problem("The region is not bootstrapped. Run: npx cdk bootstrap");
  }
}

async function checkCertificate({ domain, certificate }: PreflightOptions): Promise<Result> {
  if (!certificate || !domain) return ok("Without a domain, CloudFront chooses the address.");
  let reply: Record<string, unknown>;
  try {
    reply = await callAws("acm", "DescribeCertificate", { CertificateArn: certificate }, GLOBAL_REGION);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return problem(
      `ACM refuses the certificate: ${error.message} Name the ARN of one in us-east-1 with --certificate.`,
    );
  }
  const { Status, SubjectAlternativeNames = [] } = reply.Certificate as {
    Status: string;
    SubjectAlternativeNames?: string[];
  };
  const { name, aliases } = parseNames(domain);
  const isCovered = (host: string) =>
    SubjectAlternativeNames.some((own) => own === host || own === `*.${host.slice(host.indexOf(".") + 1)}`);
  const missing = [name, ...aliases].filter((host) => !isCovered(host));
  if (Status !== "ISSUED") return problem(`The certificate has the status ${Status}. Validate it first.`);
  return missing.length === 0
    ? ok(`The certificate is valid for ${domain}.`)
    : problem(
        `The certificate is for ${SubjectAlternativeNames.join(", ")}, not for ${missing.join(", ")}. Request one that covers all names in us-east-1, and name it with --certificate.`,
      );
}

/**
 * Lists the table and secrets of an earlier deployment of the stage. They stay when a stack is deleted, and then block a new
 * deployment, as a secret does that is scheduled for deletion.
 */
async function checkNames({ options: { stage } }: CheckContext): Promise<Result> {
  const named = (part: string) => `switchboard-${stage}-${part}`;
  const find = async (look: Promise<Record<string, unknown>>) => {
    try {
      return await look;
    } catch (error) {
      if (error instanceof AwsError && error.name === "ResourceNotFoundException") return null;
      throw error;
    }
  };
  const secrets = ["app-secret", "deployment-key", "origin-secret"].map(named);
  const looks = [
    find(callAws("dynamodb", "DescribeTable", { TableName: named("table") })),
    ...secrets.map((SecretId) => find(callAws("secretsmanager", "DescribeSecret", { SecretId }))),
  ];
  const results = await Promise.all(looks);
  const names = [named("table"), ...secrets];
  const taken = names.filter((_, index) => results[index] !== null);
  const missing = names.filter((_, index) => results[index] === null);
  const deleted = names.filter((_, index) => results[index]?.DeletedDate !== undefined);
  if (deleted.length > 0) {
    const commands = deleted.map((name) => `aws secretsmanager restore-secret --secret-id ${name}`).join("; ");
    return problem(
      `${deleted.join(", ")} are scheduled for deletion, which blocks the names. Restore them: ${commands}`,
    );
  }
  if (taken.length === 0) return ok(`No deployment of the stage ${stage} exists.`);
  if (missing.length === 0) return ok(`${taken.join(", ")} exist, as they do before an update.`);
  return problem(
    `${taken.join(", ")} exist, but not ${missing.join(", ")}: an earlier deployment was deleted in part. Re-import what is left with npx cdk import, or delete it.`,
  );
}

/** Services whose quotas count for all regions, and are read in us-east-1. */
const globalServices = ["iam", "cloudfront"];

/**
 * Compares what the templates use with the limits of AWS. Quotas that Service Quotas does not tell are the defaults. What
 * other applications of the account use is not known.
 */
async function checkLimits({
  options: { stage, cells = 1 },
  requireConfig,
  synthesize,
}: CheckContext): Promise<Result> {
  const quotas = new Map<string, number>();
  let refusal: UncheckedError | undefined;
  const read = async ({ name, serviceQuota }: AwsLimit) => {
    const [ServiceCode = "", QuotaCode] = serviceQuota ?? [];
    if (QuotaCode === undefined) return;
    try {
      const region = globalServices.includes(ServiceCode) ? GLOBAL_REGION : undefined;
      const { Quota } = await callAws("servicequotas", "GetServiceQuota", { ServiceCode, QuotaCode }, region);
      const value = (Quota as { Value?: number } | undefined)?.Value;
      if (value !== undefined) quotas.set(name, value);
    } catch (error) {
      if (error instanceof UncheckedError) refusal = error;
      else if (!(error instanceof AwsError)) throw error;
    }
  };
  await Promise.all(awsLimits.map(read));
  const uses = measureLimits(await synthesize(requireConfig()), cells, ({ name, quota }) => quotas.get(name) ?? quota);
  const near = nearLimits(uses);
  const lines = uses.map(
    ({ name, use, quota, headroom, source }) =>
      `  ${name}: ${use} of ${quota}, ${Math.floor(headroom * 100)} % free${quotas.has(name) ? "" : " of the default"} (${source})`,
  );
  const subject = `${cells} ${cells === 1 ? "deployment" : "deployments"}`;
  const summary =
    near.length === 0
      ? `${subject} of ${stage}: a fifth of each limit of AWS is free.`
      : `${subject} of ${stage}: more than 80 % is used of ${near.map(({ name }) => name).join(", ")}. Request higher quotas first.`;
  if (near.length > 0) return problem([summary, ...lines].join("\n"));
  return refusal
    ? unchecked([`Compared with the defaults of AWS only. ${refusal.message}`, ...lines].join("\n"))
    : ok([summary, ...lines].join("\n"));
}

/** Says whether web ACLs bound what one address can cost, which is a choice and no problem. */
async function checkWebAcl({ requireConfig }: CheckContext): Promise<Result> {
  const { isProduction, waf } = requireConfig();
  return ok(
    waf === null && isProduction
      ? "No web ACL bounds what one address can cost. Create one in us-east-1 and deploy with -c waf=<ARN>."
      : waf === null
        ? "This stage has no web ACL unless it is deployed with -c waf=true."
        : "The deployment creates two web ACLs. -c waf=false leaves them out.",
  );
}

/** Says what the chosen settings cost in a month without requests, by item, and what each switch adds. */
async function checkCost({ options: { stage }, requireConfig, synthesize }: CheckContext): Promise<Result> {
  const costs = await idleCosts(requireConfig(), synthesize);
  const summary = `${stage} costs ${costs.cost.total.toFixed(2)} USD a month without requests, by the list prices of us-east-1 of ${pricesAsOf}, without models and taxes.`;
  return ok([summary, ...describeIdleCosts(costs).map((line) => `  ${line}`)].join("\n"));
}

/** Values that checks share. */
interface CheckContext {
  readonly options: PreflightOptions;
  /** Returns the configuration of the stage. @throws UncheckedError if the settings are wrong */
  readonly requireConfig: () => Config;
  readonly identity: CallerIdentity;
  /** Returns the templates of a configuration, which take seconds to synthesize. */
  readonly synthesize: (config: Config, routes?: readonly Route[]) => Promise<readonly StackTemplate[]>;
}

/** Checks of the account and the settings, which need valid ones. */
const checks: Readonly<Record<string, (context: CheckContext) => Promise<Result>>> = {
  region: checkRegion,
  quota: checkQuota,
  limits: checkLimits,
  bootstrap: checkBootstrap,
  distributions: checkDistributions,
  certificate: ({ options }) => checkCertificate(options),
  secrets: ({ requireConfig }) => checkNamedSecrets(requireConfig().settings),
  model: ({ options, requireConfig }) => checkModels(options, requireConfig().settings),
  alarms: ({ options, identity }) => checkAlarmTopic(options, identity),
  names: checkNames,
  "web ACL": checkWebAcl,
  cost: checkCost,
};

/** Loads the configuration of the stage; null with a result that says why not. */
function loadSettings({ stage, domain, certificate }: PreflightOptions): [Config | null, Result] {
  try {
    const context = { stage, domain, certificate, rotation: undefined, waf: undefined };
    const config = loadConfig((name) => context[name], getToolSetting("AWS_REGION"));
    const { warnings } = config;
    return [config, warnings.length > 0 ? problem(warnings.join(" ")) : ok("The settings are complete.")];
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    return [null, problem(error.message)];
  }
}

/** Reads the identity of the credentials; null with a result that says why not. */
async function loadIdentity(): Promise<[CallerIdentity | null, Result]> {
  try {
    await loadCredentials();
    const identity = await getCallerIdentity();
    return [identity, ok(`${identity.arn} in ${getToolSetting("AWS_REGION")}.`)];
  } catch (error) {
    return [null, problem(error instanceof Error ? error.message : String(error))];
  }
}

/**
 * Runs all checks of the account, region and credentials that a deployment can fail on. A check that throws counts as
 * unchecked.
 */
export async function runPreflightChecks(options: PreflightOptions): Promise<PreflightFinding[]> {
  const [identity, credentials] = await loadIdentity();
  const [config, settings] = loadSettings(options);
  const requireConfig = () => {
    if (config) return config;
    throw new UncheckedError("Correct the settings first.");
  };
  const synthesize: CheckContext["synthesize"] = async (each, routes) => {
    const { synthesizePlaceholders } = await import("../placeholder-templates.ts");
    return synthesizePlaceholders(each, resolve(import.meta.dirname, "../.."), routes);
  };
  const runCheck = async ([check, run]: (typeof entries)[number]): Promise<PreflightFinding> => {
    if (!identity) return { check, ...unchecked("Correct the credentials first.") };
    try {
      return { check, ...(await run({ options, identity, requireConfig, synthesize })) };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return {
        check,
        ...unchecked(error instanceof UncheckedError ? text : `Run preflight again. The check failed: ${text}`),
      };
    }
  };
  const entries = Object.entries(checks);
  return [
    { check: "credentials", ...credentials },
    { check: "settings", ...settings },
    ...(await Promise.all(entries.map(runCheck))),
  ];
}

const labels = { ok: "ok         ", problem: "PROBLEM    ", unchecked: "NOT CHECKED" };

await runScript(import.meta, async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      stage: { type: "string" },
      domain: { type: "string" },
      certificate: { type: "string" },
      cells: { type: "string" },
      "ask-model": { type: "boolean" },
    },
  });
  const { stage, domain, certificate, cells = "1" } = values;
  if (!stage || !/^[1-9]\d{0,2}$/.test(cells)) {
    throw new UsageError(
      "Name the stage: npm run preflight -- --stage prod [--domain <name> --certificate <ARN in us-east-1>] [--cells <number of deployments in the account>] [--ask-model]",
    );
  }
  const findings = await runPreflightChecks({
    stage,
    cells: Number(cells),
    hasModelRequest: values["ask-model"] ?? false,
    ...(domain && { domain }),
    ...(certificate && { certificate }),
  });
  for (const { check, status, text } of findings) console.log(`${labels[status]} ${check}: ${text}`);
  if (findings.some(({ status }) => status === "problem")) process.exitCode = 1;
});
