import * as v from "valibot";
import { operatorSettings, type SettingsGroup, toolSetting } from "../shared/lib/env.ts";
import { SynthesisError } from "./synthesis-error.ts";

const stages = ["local", "dev", "prod"] as const;

const whole = v.pipe(v.string(), v.regex(/^[1-9]\d*$/, "must be a whole number above 0"));
const optional = <Schema extends v.GenericSchema<string, string>>(schema: Schema) => v.union([v.literal(""), schema]);
const url = v.pipe(v.string(), v.url("must be a URL"));

/** What operators' settings may look like; settings without an entry may be any text. */
const Settings = v.object({
  base: v.looseObject({ LOG_LEVEL: v.picklist(["debug", "info", "warn", "error"]) }),
  limits: v.record(v.string(), whole),
  auth: v.looseObject({
    AUTH_PROVIDER: v.picklist(["jwt", "local"]),
    JWT_ISSUER: optional(url),
    JWT_JWKS_URL: optional(url),
  }),
  model: v.looseObject({
    MODEL_PROVIDER: v.picklist(["builtin", "bedrock", "openai-compatible"]),
    MODEL_BASE_URL: optional(url),
  }),
  guardrail: v.looseObject({ GUARDRAIL_PROVIDER: v.picklist(["local", "bedrock", "none"]) }),
});

/** Everything that differs between stages. */
export interface Config {
  readonly stage: (typeof stages)[number];
  /** The operator's settings, which functions find in their environment. */
  readonly settings: Readonly<Record<SettingsGroup, Readonly<Record<string, string>>>>;
  /** Whether data outlives its stack and cannot be deleted by mistake. */
  readonly keepsData: boolean;
  readonly logRetentionDays: number;
  /** Megabytes; processor time comes in proportion. */
  readonly memory: {
    readonly api: number;
    readonly authorizer: number;
    readonly streaming: number;
    readonly answering: number;
    readonly changes: number;
  };
  /** How long changes are collected before their processors run. */
  readonly changesWindowSeconds: number;
  /** The service's own name on the Internet, with its certificate in us-east-1; null: one of CloudFront's. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | null;
  /** Null: nobody is there to be woken. */
  readonly alarms: { readonly errorPercent: number; readonly changesLagSeconds: number } | null;
  /** What an operator should know about this configuration although it can be deployed. */
  readonly warnings: readonly string[];
}

type StageConfig = Omit<Config, "stage" | "settings" | "domain" | "warnings">;

const memory = { api: 512, authorizer: 256, streaming: 256, answering: 256, changes: 256 };

const byStage: Readonly<Record<Config["stage"], StageConfig>> = {
  local: { keepsData: false, logRetentionDays: 1, memory, changesWindowSeconds: 0, alarms: null },
  dev: {
    keepsData: true,
    logRetentionDays: 14,
    memory,
    changesWindowSeconds: 1,
    alarms: { errorPercent: 5, changesLagSeconds: 300 },
  },
  prod: {
    keepsData: true,
    logRetentionDays: 90,
    memory: { ...memory, api: 1024 },
    changesWindowSeconds: 1,
    alarms: { errorPercent: 1, changesLagSeconds: 60 },
  },
};

const tokenSettings = ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL"] as const;

/** Stand in where nobody configured an identity provider, so that the app can be looked at without one. */
const exampleTokens = {
  JWT_ISSUER: "https://issuer.example.com/",
  JWT_AUDIENCE: "switchboard",
  JWT_JWKS_URL: "https://issuer.example.com/.well-known/jwks.json",
};

/** Local mode: whoever reaches the machine is this person. */
const localPerson = { DEV_TENANT_ID: "local", DEV_USER_ID: "me", DEV_USER_ROLES: "admin" };

/** A value of the CDK context: `cdk deploy -c stage=prod`. */
type Context = (name: "stage" | "domain" | "certificate") => unknown;

/**
 * The configuration of the stage that the context names, with the operator's settings.
 * @throws SynthesisError naming every value that is not acceptable
 */
export function configOf(context: Context): Config {
  const known = v.safeParse(v.picklist(stages), context("stage") ?? "dev");
  if (!known.success) {
    throw new SynthesisError(`The stage is one of ${stages.join(", ")}, not ${String(context("stage"))}.`);
  }
  const warnings: string[] = [];
  const settings = operatorSettings();
  settings.auth = authSettings(known.output, settings.auth, warnings);
  checkModelSettings(known.output, settings.model);
  checkGuardrailSettings(settings.guardrail);
  const checked = v.safeParse(Settings, settings);
  if (!checked.success) {
    const lines = checked.issues.map((issue) => `  ${issue.path?.[1]?.key}: ${issue.message}`);
    throw new SynthesisError(`Settings that are not acceptable:\n${lines.join("\n")}`);
  }
  return { stage: known.output, settings, warnings, domain: domainOf(context), ...byStage[known.output] };
}

function domainOf(context: Context): Config["domain"] {
  const [name, certificateArn] = [context("domain"), context("certificate")];
  if (name === undefined && certificateArn === undefined) return null;
  if (typeof name === "string" && typeof certificateArn === "string") return { name, certificateArn };
  throw new SynthesisError("A domain needs its certificate: -c domain=<name> -c certificate=<ARN in us-east-1>.");
}

function authSettings(
  stage: Config["stage"],
  given: Record<string, string>,
  warnings: string[],
): Record<string, string> {
  if (stage === "local" && toolSetting("AUTH_PROVIDER") === undefined) given = { ...given, AUTH_PROVIDER: "local" };
  if (given.AUTH_PROVIDER === "local") {
    if (stage === "local") return withDefaults(given, localPerson);
    throw new SynthesisError(
      "AUTH_PROVIDER=local lets everybody in as one person and can only be run with stage=local.",
    );
  }
  const missing = tokenSettings.filter((name) => !given[name]);
  if (missing.length === 0 || given.AUTH_PROVIDER !== "jwt") return given;
  if (stage === "local") throw new SynthesisError(`AUTH_PROVIDER=jwt also needs ${missing.join(", ")}.`);
  warnings.push(`${missing.join(", ")} not set: the example values let nobody in. Set them before deploying.`);
  return withDefaults(given, exampleTokens);
}

function withDefaults(given: Record<string, string>, defaults: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value || (defaults[name] ?? "")]));
}

function checkGuardrailSettings({ GUARDRAIL_PROVIDER, GUARDRAIL_ID }: Record<string, string>): void {
  if (GUARDRAIL_PROVIDER === "bedrock" && !GUARDRAIL_ID) {
    throw new SynthesisError("GUARDRAIL_PROVIDER=bedrock also needs GUARDRAIL_ID.");
  }
}

/** References that CloudFormation looks up for a function's variables; it does not for `ssm-secure`. */
const resolvable = /^\{\{resolve:(secretsmanager|ssm):/;

/** A key in a template is a key in everybody's console, so a deployed stage takes a reference to it only. */
function checkModelSettings(
  stage: Config["stage"],
  { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_API_KEY = "" }: Record<string, string>,
): void {
  if (MODEL_PROVIDER === "openai-compatible" && !MODEL_BASE_URL) {
    throw new SynthesisError("MODEL_PROVIDER=openai-compatible also needs MODEL_BASE_URL.");
  }
  if (stage === "local" || MODEL_API_KEY === "" || resolvable.test(MODEL_API_KEY)) return;
  throw new SynthesisError(
    "MODEL_API_KEY must be a reference outside stage=local, such as {{resolve:secretsmanager:<name>:SecretString}}.",
  );
}
