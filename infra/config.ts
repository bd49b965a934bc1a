import ipaddr from "ipaddr.js";
import * as v from "valibot";
import { tiers } from "../shared/api/tiers.ts";
import { getOperatorSettings, getToolSetting, type SettingsGroup } from "../shared/lib/env.ts";
import { parseModelTable } from "../shared/models/model-settings.ts";
import { SynthesisError } from "./synthesis-error.ts";

/** Stages with a configuration in this file. Any other stage, such as `staging` or `prod-eu`, is configured like `prod`. */
const knownStages = ["local", "dev", "prod"] as const;

/** Characters of the longest name of a bucket without its stage and region: `switchboard-<stage>-attachments-<account>-<region>`. */
const BUCKET_CHARACTERS = "switchboard--attachments-111122223333-".length;

/** Maximum length of a bucket's name. */
const MAX_BUCKET_CHARACTERS = 63;

/** Name of a stage. Its region can permit less, see `checkStageLength`. */
const StageName = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9-]{0,11}$/, "must have at most 12 lowercase letters, digits and hyphens, the first a letter"),
);

const positiveInteger = v.pipe(v.string(), v.regex(/^[1-9]\d*$/, "must be a positive integer"));
const optional = <Schema extends v.GenericSchema<string, string>>(schema: Schema) => v.union([v.literal(""), schema]);
const url = v.pipe(v.string(), v.url("must be a URL"));
const ports = v.pipe(v.string(), v.regex(/^\d{1,5}(?:,\d{1,5})*$/, "must be numbers of ports"));

/**
 * Schema of the operator settings. Settings that are not listed accept any text. `shared/lib/env.ts` has the defaults,
 * and `infra/configuration.md` describes each setting.
 */
const Settings = v.object({
  base: v.looseObject({ LOG_LEVEL: v.picklist(["debug", "info", "warn", "error"]) }),
  limits: v.record(v.string(), positiveInteger),
  auth: v.looseObject({
    AUTH_PROVIDER: v.picklist(["jwt", "local"]),
    JWT_ISSUER: optional(url),
    JWT_JWKS_URL: optional(url),
    JWT_JWKS_STALE_SECONDS: positiveInteger,
    RATE_LIMIT_FAILED: positiveInteger,
    SCIM_USER_ID: v.picklist(["externalId", "userName"]),
    TENANT_CREATION: v.picklist(["first_token", "api"]),
  }),
  model: v.looseObject({
    MODEL_PROVIDER: v.picklist(["bedrock", "openai-compatible"]),
    MODEL_BASE_URL: optional(url),
    MODEL_FIRST_TOKEN_TIMEOUT_SECONDS: positiveInteger,
    OPENAI_TEXT_MIB: v.picklist(["1", "2", "3"]),
    EMBEDDING_PROVIDER: v.picklist(["none", "openai-compatible"]),
    EMBEDDING_BASE_URL: optional(url),
    EMBEDDING_DIMENSIONS: v.pipe(v.string(), v.regex(/^(?:64|128|256|384|512|768|1024)$/, "must be 64 to 1024")),
    EMBEDDING_MIN_SIMILARITY: v.pipe(v.string(), v.regex(/^0?\.\d{1,3}$/, "must be a number between 0 and 1")),
    RERANK_PROVIDER: v.picklist(["none", "cohere-compatible"]),
    RERANK_BASE_URL: optional(url),
    MAX_CONCURRENT_RUNS: positiveInteger,
    RUN_CHECKPOINT_MS: positiveInteger,
  }),
  guardrail: v.looseObject({
    GUARDRAIL_PROVIDER: v.picklist(["local", "bedrock", "moderation", "judge", "none"]),
    GUARDRAIL_BASE_URL: optional(url),
    GUARDRAIL_TIMEOUT_MS: v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, "must be a number of milliseconds")),
    GUARDRAIL_FAILURE: v.picklist(["open", "closed"]),
  }),
  knowledge: v.object({ IMPORT_PORTS: ports, MESSAGE_SEARCH: v.picklist(["on", "off"]) }),
  slack: v.object({
    SLACK_API_URL: url,
    SLACK_CLIENT_ID: v.string(),
    SLACK_CLIENT_SECRET: v.string(),
    SLACK_SIGNING_SECRET: v.string(),
  }),
  teams: v.object({
    TEAMS_SERVICE_HOSTS: v.pipe(
      v.string(),
      v.regex(/^[a-z0-9.-]+(?::\d+)?(?:,[a-z0-9.-]+(?::\d+)?)*$/, "must be hosts, separated by commas"),
    ),
    TEAMS_LOGIN_URL: url,
    TEAMS_OPENID_URL: url,
  }),
  telemetry: v.object({
    OTLP_ENDPOINT: optional(url),
    OTLP_HEADERS: v.string(),
    OTLP_CONTENT: v.picklist(["on", "off"]),
  }),
  probe: v.pipe(
    v.object({ PROBE_URL: optional(url), PROBE_KEY: v.string(), PROBE_PERSONA_ID: v.string() }),
    v.check(
      ({ PROBE_KEY, PROBE_PERSONA_ID }) => (PROBE_KEY === "") === (PROBE_PERSONA_ID === ""),
      "PROBE_KEY and PROBE_PERSONA_ID require each other",
    ),
  ),
  web: v.pipe(
    v.object({
      WEB_SEARCH_PROVIDER: v.picklist(["none", "brave", "tavily", "searxng"]),
      WEB_SEARCH_BASE_URL: optional(url),
      WEB_SEARCH_API_KEY: v.string(),
    }),
    v.check(
      ({ WEB_SEARCH_PROVIDER: provider, WEB_SEARCH_BASE_URL: address }) => provider !== "searxng" || address !== "",
      "WEB_SEARCH_PROVIDER searxng requires WEB_SEARCH_BASE_URL",
    ),
  ),
  tools: v.object({
    TOOL_ROUNDS: v.pipe(v.string(), v.regex(/^(?:[1-9]|1\d|20)$/, "must be 1 to 20")),
    TOOL_PORTS: ports,
    TOOL_PRIVATE_RANGES: v.pipe(
      v.string(),
      v.check(
        (ranges) => ranges === "" || ranges.split(",").every((range) => ipaddr.isValidCIDR(range)),
        "must be ranges in CIDR notation, separated by commas",
      ),
    ),
  }),
});

/** Deployment configuration of a stage. */
export interface Config {
  readonly stage: string;
  /** True for a stage with real users: every stage except `local` and `dev`. */
  readonly isProduction: boolean;
  /** Operator settings, passed to functions as environment variables. */
  readonly settings: Readonly<Record<SettingsGroup, Readonly<Record<string, string>>>>;
  /** True to keep data when the stack is deleted, and to enable deletion protection. */
  readonly retainData: boolean;
  readonly logRetentionDays: number;
  /** Time for which Lambda collects changes into a batch for a stream processor. */
  readonly changesWindowSeconds: number;
  /** True if a function asks the service at regular times, and an alarm reports that it does not answer. */
  readonly hasProbe: boolean;
  /** True if a key of the own account encrypts the data, instead of keys of AWS. */
  readonly hasCustomerKey: boolean;
  /** Custom domain with its certificate in us-east-1; null for the default CloudFront domain. */
  readonly domain: {
    /** Host name of the service's address. */
    readonly name: string;
    /** Further host names, such as those of the tenants in a cell. */
    readonly aliases: readonly string[];
    readonly certificateArn: string;
  } | null;
  readonly console: {
    /** OAuth client id of the console at the identity provider. */
    readonly clientId: string;
    readonly scope: string;
    /** Origins that the console may connect to: that of the identity provider, and those in `CONSOLE_CONNECT_ORIGINS`. */
    readonly connectOrigins: readonly string[];
  };
  /** Text that differs after each rotation of the origin secret, so that a deployment passes the new value to CloudFront. */
  readonly rotation: string;
  /** Web ACL of CloudFront: null for none, `true` to create one, or the ARN of an existing one. */
  readonly waf: string | null;
  /**
   * Requests per second, and burst, that API Gateway accepts for each method of a path; for busier operations multiples of
   * it (`infra/constructs/throttles.ts`). This limits the cost of a flood; all methods are also limited by the quota of the account.
   */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /**
   * Reserved concurrency of functions by operation id, which is also their maximum. Empty if the account's quota leaves no
   * room.
   */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Maximum number of concurrent invocations that deliver events. */
  readonly deliveryConcurrency: number;
  /** Thresholds of the alarms; null for a stage without alarms. */
  readonly alarms: {
    /** Percentages of operations that must succeed within 30 days. */
    readonly objectives: { readonly apiPercent: number; readonly chatPercent: number };
    readonly firstTokenSeconds: number;
    readonly changesLagSeconds: number;
    readonly costUsdPerHour: number;
    /** Lambda's concurrency quota in the account; null if it is not known. */
    readonly concurrencyQuota: number | null;
    /** Monthly budget in AWS Budgets for the whole account; null for none. */
    readonly monthlyBudgetUsd: number | null;
  } | null;
  /** Problems in the configuration that are printed but do not prevent a deployment. */
  readonly warnings: readonly string[];
}

type Thresholds = NonNullable<Config["alarms"]>;

type StageConfig = Omit<
  Config,
  | "stage"
  | "isProduction"
  | "settings"
  | "domain"
  | "warnings"
  | "console"
  | "rotation"
  | "waf"
  | "hasProbe"
  | "hasCustomerKey"
  | "reservedConcurrency"
  | "deliveryConcurrency"
  | "alarms"
> & { readonly alarms: Omit<Thresholds, "concurrencyQuota" | "monthlyBudgetUsd"> | null };

/**
 * Returns the concurrency quota of the account (`CONCURRENCY_QUOTA`), or null if it is not known. New accounts have 10 or
 * 50, most others 1,000; `npm run preflight` reads it.
 */
const getConcurrencyQuota = () => Number(getToolSetting("CONCURRENCY_QUOTA")) || null;

/**
 * Returns the reserved concurrency by operation id. Chats get a part of the quota, so that other requests cannot use up all
 * of it, and the function for unknown paths gets a small maximum. Lambda requires 100 unreserved executions.
 */
function reserveConcurrency(quota: number | null): Record<string, number> {
  return quota === null || quota < 500
    ? {}
    : { startChat: Math.floor(quota * 0.4), routeNotFound: Math.max(5, Math.floor(quota * 0.02)) };
}

/**
 * Returns the maximum number of concurrent invocations that deliver events, 5 % of the quota but at least ten, the quota of a
 * new account. A receiver that starts to hang occupies one or a few for ten seconds (decision 0077).
 */
const boundDeliveries = (quota: number) => Math.max(10, Math.floor(quota * 0.05));

const alarms = { firstTokenSeconds: 15, costUsdPerHour: 20 };

const stageConfigs: Readonly<Record<(typeof knownStages)[number], StageConfig>> = {
  local: {
    retainData: false,
    logRetentionDays: 1,
    changesWindowSeconds: 0,
    throttle: { rate: 10_000, burst: 5_000 },
    alarms: null,
  },
  dev: {
    retainData: true,
    logRetentionDays: 14,
    changesWindowSeconds: 1,
    throttle: { rate: 10, burst: 20 },
    alarms: { ...alarms, objectives: { apiPercent: 99.5, chatPercent: 98 }, changesLagSeconds: 300 },
  },
  prod: {
    retainData: true,
    logRetentionDays: 90,
    changesWindowSeconds: 1,
    throttle: { rate: 20, burst: 40 },
    alarms: { ...alarms, objectives: { apiPercent: 99.9, chatPercent: 99.5 }, changesLagSeconds: 60 },
  },
};

const requiredJwtSettings = ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL"] as const;

/** Values for required JWT settings, so that synthesis works without an identity provider. */
const exampleJwtSettings = {
  JWT_ISSUER: "https://issuer.example.com/",
  JWT_AUDIENCE: "switchboard",
  JWT_JWKS_URL: "https://issuer.example.com/.well-known/jwks.json",
};

/**
 * Rate limit of a tenant in local mode, in requests per minute. It is high, because the console and scripts of the developer
 * share one tenant.
 */
const LOCAL_RATE_LIMIT_TENANT = "600";

/** Private ranges in local mode, so that tool servers can run on the developer's machine. */
const LOCAL_TOOL_PRIVATE_RANGES = "127.0.0.0/8,::1/128";

/** User that all requests in local mode are authenticated as. */
const localUserSettings = { DEV_TENANT_ID: "local", DEV_USER_ID: "me", DEV_USER_ROLES: "admin" };

/** Function that reads a value of the CDK context, such as `prod` for `cdk deploy -c stage=prod`. */
type ContextReader = (name: "stage" | "domain" | "certificate" | "rotation" | "waf") => unknown;

/**
 * Returns the configuration of the stage in the CDK context, with the operator settings of the environment.
 * @param region region of the deployment, if it is known
 * @throws SynthesisError that lists every invalid value
 */
export function loadConfig(context: ContextReader, region = getToolSetting("CDK_DEFAULT_REGION")): Config {
  const stage = v.safeParse(StageName, context("stage") ?? "dev");
  if (!stage.success) {
    throw new SynthesisError(`Invalid stage ${String(context("stage"))}: ${stage.issues[0].message}.`);
  }
  const kind = knownStages.find((name) => name === stage.output) ?? "prod";
  const isProduction = kind === "prod";
  const warnings: string[] = [];
  if (stage.output !== "local") {
    checkRegion(region);
    checkStageLength(stage.output, region);
  }
  const settings = getOperatorSettings();
  if (stage.output === "local" && getToolSetting("RATE_LIMIT_TENANT") === undefined) {
    settings.limits.RATE_LIMIT_TENANT = LOCAL_RATE_LIMIT_TENANT;
  }
  if (stage.output === "local" && getToolSetting("TOOL_PRIVATE_RANGES") === undefined) {
    settings.tools.TOOL_PRIVATE_RANGES = LOCAL_TOOL_PRIVATE_RANGES;
  }
  // The local table costs nothing.
  if (stage.output === "local" && getToolSetting("MESSAGE_SEARCH") === undefined) {
    settings.knowledge.MESSAGE_SEARCH = "on";
  }
  settings.auth = authSettings(stage.output, settings.auth, warnings);
  checkHasModel(stage.output, warnings);
  checkModelSettings(stage.output, settings.model);
  checkModelTable(stage.output, settings.model.MODELS ?? "");
  checkGuardrailSettings(stage.output, settings.guardrail);
  checkTelemetrySettings(stage.output, settings.telemetry);
  checkSlackSettings(stage.output, settings.slack);
  checkProbeSettings(stage.output, settings.probe);
  const checked = v.safeParse(Settings, settings);
  if (!checked.success) {
    const lines = checked.issues.map((issue) => `  ${issue.path?.[1]?.key}: ${issue.message}`);
    throw new SynthesisError(`Invalid settings:\n${lines.join("\n")}`);
  }
  const stageThresholds = stageConfigs[kind].alarms;
  return {
    stage: stage.output,
    isProduction,
    settings,
    warnings,
    domain: loadDomain(context),
    console: loadConsole(settings.auth),
    rotation: loadRotation(context),
    waf: loadWaf(context, isProduction, region),
    hasProbe: loadProbe(isProduction, settings.probe),
    hasCustomerKey: loadCustomerKey(stage.output),
    deliveryConcurrency: boundDeliveries(getConcurrencyQuota() ?? (stage.output === "local" ? 1_000 : 0)),
    reservedConcurrency: isProduction ? reserveConcurrency(getConcurrencyQuota()) : {},
    ...stageConfigs[kind],
    throttle: loadThrottle(stageConfigs[kind].throttle),
    alarms: stageThresholds && { ...stageThresholds, ...loadAlarmSettings() },
  };
}

/**
 * Regions in which Lambda has no function URLs, which answers are streamed through.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html
 */
const regionsWithoutFunctionUrls: readonly (string | undefined)[] = [
  "ap-east-2",
  "ap-south-2",
  "ap-southeast-4",
  "ap-southeast-5",
  "ap-southeast-6",
  "ap-southeast-7",
  "ca-west-1",
  "eu-central-2",
  "eu-south-2",
  "il-central-1",
  "me-central-1",
];

function checkRegion(region: string | undefined): void {
  if (!regionsWithoutFunctionUrls.includes(region)) return;
  throw new SynthesisError(
    `Lambda has no function URLs in ${region}, and answers are streamed through them. Deploy to another region, such as eu-central-1.`,
  );
}

/** Requires that the names of all buckets, which contain stage and region, have at most 63 characters. */
function checkStageLength(stage: string, region: string | undefined): void {
  const maximum = MAX_BUCKET_CHARACTERS - BUCKET_CHARACTERS - (region ?? "").length;
  if (stage.length <= maximum) return;
  throw new SynthesisError(
    `Invalid stage ${stage}: must have at most ${maximum} characters in ${region}, because names of buckets contain both.`,
  );
}

/**
 * Requires that a model is configured, because only `npm start` has one of its own. The stage `dev` can be synthesized without.
 * @throws SynthesisError
 */
function checkHasModel(stage: Config["stage"], warnings: string[]): void {
  if (stage === "local" || ["MODEL_PROVIDER", "MODEL_BASE_URL", "MODELS"].some(getToolSetting)) return;
  if (stage !== "dev") throw new SynthesisError("No model is set. Set MODEL_PROVIDER or MODELS.");
  warnings.push("MODEL_PROVIDER or MODELS not set: no question is answered. Set one before deploying.");
}

/** Returns the alarm settings that depend on the account: concurrency quota and monthly budget. */
function loadAlarmSettings() {
  const budget = getToolSetting("MONTHLY_BUDGET_USD") ?? "";
  if (!v.is(optional(positiveInteger), budget)) {
    throw new SynthesisError("MONTHLY_BUDGET_USD: must be a positive integer");
  }
  return { concurrencyQuota: getConcurrencyQuota(), monthlyBudgetUsd: budget === "" ? null : Number(budget) };
}

/** Returns the throttle of a method of API Gateway: `THROTTLE_RATE` and `THROTTLE_BURST`, or the defaults of the stage. */
function loadThrottle(defaults: Config["throttle"]): Config["throttle"] {
  const read = (name: "THROTTLE_RATE" | "THROTTLE_BURST", fallback: number) => {
    const value = getToolSetting(name);
    if (!value) return fallback;
    if (!v.is(positiveInteger, value)) throw new SynthesisError(`${name}: must be a positive integer`);
    return Number(value);
  };
  return { rate: read("THROTTLE_RATE", defaults.rate), burst: read("THROTTLE_BURST", defaults.burst) };
}

function loadConsole({ AUTH_PROVIDER, JWT_ISSUER = "" }: Record<string, string>): Config["console"] {
  const issuer = AUTH_PROVIDER === "jwt" && URL.canParse(JWT_ISSUER) ? [new URL(JWT_ISSUER).origin] : [];
  const others = (getToolSetting("CONSOLE_CONNECT_ORIGINS") ?? "").split(/[\s,]+/).filter(Boolean);
  return {
    clientId: getToolSetting("CONSOLE_CLIENT_ID") || "switchboard-console",
    scope: getToolSetting("CONSOLE_SCOPE") || "openid profile email",
    connectOrigins: [...new Set([...issuer, ...others])],
  };
}

/** CloudFront's default quota for host names of one distribution, which AWS increases on request. */
const MAX_NAMES = 100;

/** Host name in lower case; its first label can be `*`. */
const hostName = /^(?:\*|[a-z0-9-]{1,63})(?:\.[a-z0-9-]{1,63}){2,}$|^[a-z0-9-]{1,63}\.[a-z0-9-]{2,63}$/;

/**
 * Parses the comma-separated host names of the service.
 * @throws SynthesisError for an invalid host name, or more names than a distribution can have
 */
export function parseNames(text: string): { readonly name: string; readonly aliases: readonly string[] } {
  const [name = "", ...aliases] = [...new Set(text.split(",").map((each) => each.trim()))];
  const wrong = [name, ...aliases].find((each) => !hostName.test(each));
  if (wrong !== undefined) throw new SynthesisError(`-c domain: "${wrong}" is no name of a host in lower case.`);
  if (name.startsWith("*"))
    throw new SynthesisError("-c domain: the first name is the address, so it has no wildcard.");
  if (aliases.length >= MAX_NAMES)
    throw new SynthesisError(`-c domain: a distribution has ${MAX_NAMES} names at most.`);
  return { name, aliases };
}

function loadDomain(context: ContextReader): Config["domain"] {
  const [name, certificateArn] = [context("domain"), context("certificate")];
  if (name === undefined && certificateArn === undefined) return null;
  if (typeof name === "string" && typeof certificateArn === "string") return { ...parseNames(name), certificateArn };
  throw new SynthesisError(
    "A custom domain requires both -c domain=<name>[,<name>…] and -c certificate=<ARN in us-east-1>.",
  );
}

function loadRotation(context: ContextReader): string {
  const value = String(context("rotation") ?? "");
  if (/^[\w.-]{0,30}$/.test(value)) return value;
  throw new SynthesisError("-c rotation must have at most 30 letters, digits, dots and hyphens.");
}

/** Region whose web ACLs CloudFront accepts. */
const WEB_ACL_REGION = "us-east-1";

/** Returns the option `-c waf`. By default, a production stage has web ACLs where it can create them (decision 0097). */
function loadWaf(context: ContextReader, isProduction: boolean, region: string | undefined): Config["waf"] {
  const value = context("waf") ?? (isProduction && region === WEB_ACL_REGION);
  if (value === "false" || value === false) return null;
  if (value === true || value === "true") return "true";
  if (typeof value === "string" && /^arn:[\w-]+:wafv2:us-east-1:/.test(value)) return value;
  throw new SynthesisError("-c waf must be true, false, or the ARN of a web ACL in us-east-1.");
}

/** Returns true if the stage has the probe: a production stage by default, others with `PROBE_URL`, `PROBE_KEY` or `PROBE=on`. */
function loadProbe(isProduction: boolean, { PROBE_URL, PROBE_KEY }: Readonly<Record<string, string>>): boolean {
  const value = getToolSetting("PROBE") ?? "";
  if (!["on", "off", ""].includes(value)) throw new SynthesisError("PROBE: must be on or off");
  return value === "" ? isProduction || PROBE_URL !== "" || PROBE_KEY !== "" : value === "on";
}

function loadCustomerKey(stage: string): boolean {
  const value = getToolSetting("CUSTOMER_KEY") ?? "off";
  if (!["on", "off", ""].includes(value)) throw new SynthesisError("CUSTOMER_KEY: must be on or off");
  return value === "on" && stage !== "local";
}

function authSettings(
  stage: Config["stage"],
  configured: Record<string, string>,
  warnings: string[],
): Record<string, string> {
  if (stage === "local" && getToolSetting("AUTH_PROVIDER") === undefined) {
    configured = { ...configured, AUTH_PROVIDER: "local" };
  }
  if (configured.AUTH_PROVIDER === "local") {
    if (stage === "local") return withDefaults(configured, localUserSettings);
    throw new SynthesisError(
      "AUTH_PROVIDER=local authenticates every request as the same user; it is only allowed with stage=local.",
    );
  }
  const missing = requiredJwtSettings.filter((name) => !configured[name]);
  if (missing.length === 0 || configured.AUTH_PROVIDER !== "jwt") return configured;
  if (stage !== "dev") throw new SynthesisError(`AUTH_PROVIDER=jwt requires ${missing.join(", ")}.`);
  warnings.push(
    `${missing.join(", ")} not set: placeholder values are used, with which all requests are rejected. Set them before deploying.`,
  );
  return withDefaults(configured, exampleJwtSettings);
}

function withDefaults(settings: Record<string, string>, defaults: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value || (defaults[name] ?? "")]));
}

/** CloudFormation references that are resolved in environment variables; `ssm-secure` is not resolved there. */
const resolvableReference = /^\{\{resolve:(secretsmanager|ssm):/;

/**
 * Checks the model settings. API keys of deployed stages must be references to secrets, because templates are visible in the
 * AWS console.
 */
function checkModelSettings(
  stage: Config["stage"],
  { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_API_KEY = "", MODEL_ID, ...models }: Record<string, string>,
): void {
  if (getToolSetting("MODEL_PROVIDER") === "openai-compatible" && !MODEL_BASE_URL) {
    throw new SynthesisError("MODEL_PROVIDER=openai-compatible requires MODEL_BASE_URL.");
  }
  if (MODEL_PROVIDER === "bedrock" && !MODEL_ID && tiers.some((tier) => !models[`MODEL_ID_${tier}`])) {
    throw new SynthesisError(
      "MODEL_PROVIDER=bedrock requires MODEL_ID, the id of a model or inference profile, such as eu.amazon.nova-lite-v1:0.",
    );
  }
  if (stage === "local" || MODEL_API_KEY === "" || resolvableReference.test(MODEL_API_KEY)) return;
  throw new SynthesisError(
    "MODEL_API_KEY must be a dynamic reference unless stage=local, such as {{resolve:secretsmanager:<name>:SecretString}}.",
  );
}

/** Maximum length of the setting `MODELS`. Lambda limits all environment variables of a function to 4 KB. */
const MAX_MODEL_TABLE_CHARACTERS = 2_500;

/** Checks the setting `MODELS`. API keys of deployed stages must be references to secrets. */
function checkModelTable(stage: Config["stage"], json: string): void {
  if (json === "") return;
  if (stage !== "local" && json.length > MAX_MODEL_TABLE_CHARACTERS) {
    throw new SynthesisError(`MODELS must have at most ${MAX_MODEL_TABLE_CHARACTERS} characters unless stage=local.`);
  }
  let table: ReturnType<typeof parseModelTable>;
  try {
    table = parseModelTable(json);
  } catch (error) {
    throw new SynthesisError((error as Error).message);
  }
  for (const [name, { api_key }] of Object.entries(table.providers)) {
    if (stage === "local" || api_key === "" || resolvableReference.test(api_key)) continue;
    throw new SynthesisError(`MODELS: providers.${name}.api_key must be a dynamic reference unless stage=local.`);
  }
}

/** Checks the guardrail settings. API keys of deployed stages must be references to secrets. */
function checkGuardrailSettings(
  stage: Config["stage"],
  { GUARDRAIL_PROVIDER = "", GUARDRAIL_ID, GUARDRAIL_BASE_URL, GUARDRAIL_API_KEY = "" }: Record<string, string>,
): void {
  if (GUARDRAIL_PROVIDER === "bedrock" && !GUARDRAIL_ID) {
    throw new SynthesisError("GUARDRAIL_PROVIDER=bedrock requires GUARDRAIL_ID.");
  }
  if (["moderation", "judge"].includes(GUARDRAIL_PROVIDER) && !GUARDRAIL_BASE_URL) {
    throw new SynthesisError(`GUARDRAIL_PROVIDER=${GUARDRAIL_PROVIDER} requires GUARDRAIL_BASE_URL.`);
  }
  if (stage === "local" || GUARDRAIL_API_KEY === "" || resolvableReference.test(GUARDRAIL_API_KEY)) return;
  throw new SynthesisError("GUARDRAIL_API_KEY must be a dynamic reference unless stage=local.");
}

/** Checks that the settings of the Slack app are complete, and that its secrets are references. */
function checkSlackSettings(
  stage: Config["stage"],
  { SLACK_CLIENT_ID, SLACK_CLIENT_SECRET = "", SLACK_SIGNING_SECRET = "" }: Record<string, string>,
): void {
  const secrets = { SLACK_CLIENT_SECRET, SLACK_SIGNING_SECRET };
  for (const [name, secret] of Object.entries(secrets)) {
    if ((secret === "") !== !SLACK_CLIENT_ID) {
      throw new SynthesisError(`SLACK_CLIENT_ID and ${name} require each other.`);
    }
    if (stage === "local" || secret === "" || resolvableReference.test(secret)) continue;
    throw new SynthesisError(`${name} must be a dynamic reference unless stage=local.`);
  }
}

/**
 * Checks the API key of the probe, with which the deployment asks itself test questions. In deployed stages, it must be a
 * reference to a secret.
 */
function checkProbeSettings(stage: Config["stage"], { PROBE_KEY = "" }: Record<string, string>): void {
  if (stage === "local" || PROBE_KEY === "" || resolvableReference.test(PROBE_KEY)) return;
  throw new SynthesisError("PROBE_KEY must be a dynamic reference unless stage=local.");
}

/**
 * Checks the headers for the trace collector, which contain its API key. In deployed stages, they must be a reference to a
 * secret.
 */
function checkTelemetrySettings(stage: Config["stage"], { OTLP_HEADERS = "" }: Record<string, string>): void {
  if (stage === "local" || OTLP_HEADERS === "" || resolvableReference.test(OTLP_HEADERS)) return;
  throw new SynthesisError("OTLP_HEADERS must be a dynamic reference unless stage=local.");
}
