/** Operator settings with their defaults, read at synthesis (`npm start`, `cdk deploy`) and passed to the functions. */
export const settings = {
  limits: {
    RATE_LIMIT_TENANT: "60",
    RATE_LIMIT_API_KEY: "120",
    RATE_LIMIT_CHANNEL: "120",
    RATE_LIMIT_SHARED_LINK: "30",
    RATE_LIMIT_EMBED_SESSION: "30",
    RATE_LIMIT_SCIM: "1500",
    RATE_LIMIT_HEALTH: "600",
    RATE_LIMIT_OPEN: "120",
    SCHEDULE_MIN_MINUTES: "15",
    EMBED_SESSION_SECONDS: "86400",
    EMBED_SESSION_MESSAGES: "100",
    EMBED_VISITOR_MESSAGES: "200",
  },
  auth: {
    AUTH_PROVIDER: "jwt",
    JWT_ISSUER: "",
    JWT_AUDIENCE: "",
    JWT_JWKS_URL: "",
    JWT_JWKS_STALE_SECONDS: "86400",
    JWT_ALGORITHMS: "RS256,ES256,EdDSA",
    JWT_TENANT_CLAIM: "tenant_id",
    JWT_USER_CLAIM: "sub",
    JWT_ROLES_CLAIM: "roles",
    JWT_GROUPS_CLAIM: "",
    TENANT_CREATION: "first_token",
    SCIM_USER_ID: "externalId",
    RATE_LIMIT_FAILED: "200",
    DEV_TENANT_ID: "",
    DEV_USER_ID: "",
    DEV_USER_ROLES: "",
  },
  model: {
    MODELS: "",
    MODEL_PROVIDER: "openai-compatible",
    MODEL_BASE_URL: "",
    MODEL_API_KEY: "",
    MODEL_ID: "",
    MODEL_ID_QUICK: "",
    MODEL_ID_THINKING: "",
    MODEL_ID_RESEARCH: "",
    MODEL_ID_THOUGHT_PARTNER: "",
    MODEL_FALLBACK: "",
    MAX_CONCURRENT_RUNS: "100",
    RUN_CHECKPOINT_MS: "4000",
    MODEL_CAPABILITIES: "",
    MODEL_FIRST_TOKEN_TIMEOUT_SECONDS: "50",
    OPENAI_TEXT_MIB: "1",
    EMBEDDING_PROVIDER: "none",
    EMBEDDING_BASE_URL: "",
    EMBEDDING_API_KEY: "",
    EMBEDDING_ID: "",
    EMBEDDING_DIMENSIONS: "256",
    EMBEDDING_MIN_SIMILARITY: "0.4",
    RERANK_PROVIDER: "none",
    RERANK_BASE_URL: "",
    RERANK_API_KEY: "",
    RERANK_ID: "",
  },
  guardrail: {
    GUARDRAIL_PROVIDER: "local",
    GUARDRAIL_ID: "",
    GUARDRAIL_VERSION: "DRAFT",
    GUARDRAIL_BASE_URL: "",
    GUARDRAIL_API_KEY: "",
    GUARDRAIL_MODEL: "",
    GUARDRAIL_TIMEOUT_MS: "5000",
    GUARDRAIL_FAILURE: "closed",
  },
  knowledge: { IMPORT_PORTS: "80,443", MESSAGE_SEARCH: "off" },
  tools: { TOOL_PORTS: "443", TOOL_PRIVATE_RANGES: "", TOOL_ROUNDS: "5" },
  web: { WEB_SEARCH_PROVIDER: "none", WEB_SEARCH_BASE_URL: "", WEB_SEARCH_API_KEY: "" },
  slack: {
    SLACK_API_URL: "https://slack.com/api",
    SLACK_CLIENT_ID: "",
    SLACK_CLIENT_SECRET: "",
    SLACK_SIGNING_SECRET: "",
  },
  teams: {
    TEAMS_SERVICE_HOSTS: "smba.trafficmanager.net,smba.infra.gcc.teams.microsoft.com",
    TEAMS_LOGIN_URL: "https://login.microsoftonline.com",
    TEAMS_OPENID_URL: "https://login.botframework.com/v1/.well-known/openidconfiguration",
  },
  telemetry: { OTLP_ENDPOINT: "", OTLP_HEADERS: "", OTLP_CONTENT: "off" },
  probe: { PROBE_URL: "", PROBE_KEY: "", PROBE_PERSONA_ID: "" },
  base: { LOG_LEVEL: "info" },
} as const;

/** Name of a group of settings. A function gets only the environment variables of the groups that it needs. */
export type SettingsGroup = keyof typeof settings;

type KeysOfUnion<Union> = Union extends unknown ? keyof Union : never;
export type SettingName = KeysOfUnion<(typeof settings)[SettingsGroup]>;

/** Variables that the stacks set to names and addresses of resources. */
export const stackVariables = [
  "TABLE_NAME",
  "STAGE",
  "SERVICE_VERSION",
  "ORIGIN_SECRET",
  "APP_SECRET",
  "DEPLOYMENT_KEY",
  "FAULT_QUEUE_URL",
  "WATCH_RUN_QUEUE_URL",
  "CONTINUE_RUN_QUEUE_URL",
  "BUILD_EXPORT_QUEUE_URL",
  "APPLY_RETENTION_QUEUE_URL",
  "DELIVER_EVENT_QUEUE_URL",
  "DELETE_DATA_QUEUE_URL",
  "PROCESS_FILE_QUEUE_URL",
  "EMBED_PASSAGES_QUEUE_URL",
  "RUN_IMPORT_QUEUE_URL",
  "UPLOAD_BUCKET",
  "ATTACHMENT_BUCKET",
] as const;

export type StackVariableName = (typeof stackVariables)[number];

export type VariableName = SettingName | StackVariableName;

/**
 * Variables of this process. Those of a function do not change while it lives, and each access to `process.env` calls native
 * code, so they are copied; a request reads a dozen.
 */
const variables = process.env.AWS_LAMBDA_FUNCTION_NAME ? { ...process.env } : process.env;

/**
 * Reads environment variables.
 * @throws Error that names all missing variables; an empty value counts as present
 */
export function env<const Names extends readonly VariableName[]>(...names: Names): Record<Names[number], string> {
  const values = {} as Record<Names[number], string>;
  const missing: string[] = [];
  for (const name of names as readonly Names[number][]) {
    const value = variables[name];
    if (value === undefined) missing.push(name);
    else values[name] = value;
  }
  if (missing.length > 0) throw new Error(`Missing environment variables: ${missing.join(", ")}`);
  return values;
}

/** Returns an operator setting, or an empty text if this function was not given it. */
export function findSetting(name: SettingName): string {
  return variables[name] ?? "";
}

/** Region, credentials and custom endpoint of an AWS service. */
export interface AwsSettings {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly endpoint?: string;
}

/**
 * Reads the variables that Lambda sets in every function.
 * @param service service id in the `AWS_ENDPOINT_URL_<SERVICE>` variable, such as `BEDROCK_RUNTIME`
 * @throws Error if a required variable is missing
 */
export function getAwsSettings(service: string): AwsSettings {
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_REGION || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new Error("AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are required");
  }
  const endpoint = process.env[`AWS_ENDPOINT_URL_${service}`] || process.env.AWS_ENDPOINT_URL;
  return {
    region: AWS_REGION,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    ...(endpoint && { endpoint }),
  };
}

/** Sets the variables that `getAwsSettings` reads, for commands that find credentials elsewhere. */
export function setAwsCredentials({ region, accessKeyId, secretAccessKey, sessionToken }: AwsSettings): void {
  const values = { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  Object.assign(process.env, values);
  if (sessionToken) process.env.AWS_SESSION_TOKEN = sessionToken;
  else delete process.env.AWS_SESSION_TOKEN;
}

/** Reads the operator settings from the environment, with defaults for unset variables. */
export function getOperatorSettings(): Record<SettingsGroup, Record<string, string>> {
  const read = (defaults: Record<string, string>) =>
    Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, process.env[name] ?? value]));
  return {
    limits: read(settings.limits),
    auth: read(settings.auth),
    model: read(settings.model),
    guardrail: read(settings.guardrail),
    knowledge: read(settings.knowledge),
    tools: read(settings.tools),
    web: read(settings.web),
    slack: read(settings.slack),
    teams: read(settings.teams),
    telemetry: read(settings.telemetry),
    probe: read(settings.probe),
    base: read(settings.base),
  };
}

/** Reads a variable of the development tools (`PORT`, `STATE_DIR`, …). */
export function getToolSetting(name: string): string | undefined {
  return process.env[name];
}

/** Returns the name of the function that runs this code: `switchboard-prod-start-chat`. */
export const getFunctionName = (): string => process.env.AWS_LAMBDA_FUNCTION_NAME ?? "unknown";

/** Returns the variables of this process, as a base for the environment of a child process. */
export function getEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}
