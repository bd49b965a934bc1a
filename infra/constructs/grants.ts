import { Stack, Token } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Uses } from "../../functions/uses.ts";
import { findProfileModel } from "../../shared/models/inference-profile.ts";
import { parseModelTable } from "../../shared/models/model-settings.ts";

/** Access to the table by all stores that a function uses. */
export interface TableAccess {
  /** IAM actions without their prefix: `GetItem`. */
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  /** Partitions as IAM patterns: `*#conversation#*`. */
  readonly partitions: readonly string[];
}

/** Removes patterns that another pattern covers, and shortens several wildcards at the end of a pattern to one. */
export function simplifyPatterns(patterns: readonly string[]): string[] {
  const simplified = [...new Set(patterns.map((pattern) => pattern.replace(/(#\*)+$/, "#*")))].sort();
  const covers = (pattern: string, other: string) =>
    pattern !== other && pattern.endsWith("*") && other.startsWith(pattern.slice(0, -1));
  return simplified.filter((pattern) => !simplified.some((other) => covers(other, pattern)));
}

export function tableAccessOf(uses: Uses): TableAccess {
  const accesses = uses.filter((use) => typeof use !== "string");
  const union = (field: "actions" | "indexes") => [...new Set(accesses.flatMap((access) => access[field]))].sort();
  return {
    actions: union("actions"),
    indexes: union("indexes"),
    partitions: simplifyPatterns(accesses.map(({ partition }) => partition)),
  };
}

export function tableStatements(table: ITable, { actions, indexes, partitions }: TableAccess): PolicyStatement[] {
  const statements: PolicyStatement[] = [];
  if (actions.length > 0) {
    statements.push(
      new PolicyStatement({
        actions: actions.map((name) => `dynamodb:${name}`),
        resources: [table.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": partitions } },
      }),
    );
  }
  if (indexes.length > 0) {
    statements.push(
      new PolicyStatement({
        actions: ["dynamodb:Query"],
        resources: indexes.map((name) => `${table.tableArn}/index/${name}`),
      }),
    );
  }
  return statements;
}

function getBedrockModelIds(settings: Readonly<Record<string, string>>): string[] {
  if (settings.MODELS) {
    const { providers, models } = parseModelTable(settings.MODELS);
    return Object.entries(models)
      .filter(([, { provider }]) => providers[provider]?.type === "bedrock")
      .map(([name, { id }]) => id ?? name);
  }
  if (settings.MODEL_PROVIDER !== "bedrock") return [];
  return Object.entries(settings)
    .filter(([name, value]) => /^MODEL_(ID|FALLBACK)/.test(name) && value !== "")
    .map(([, id]) => id);
}

/**
 * Returns the IAM statement for sending e-mails from the deployment's address to the allowed domains; none if no address is
 * set. SES checks the right for the identity of the address or of its domain, whichever is verified.
 */
export function emailStatements(scope: Construct, settings: Readonly<Record<string, string>>): PolicyStatement[] {
  const { EMAIL_FROM: from = "", EMAIL_DOMAINS: domains = "" } = settings;
  if (from === "") return [];
  return [
    new PolicyStatement({
      actions: ["ses:SendEmail"],
      resources: [from, from.slice(from.lastIndexOf("@") + 1)].map((identity) =>
        Stack.of(scope).formatArn({ service: "ses", resource: "identity", resourceName: identity }),
      ),
      conditions: {
        StringEquals: { "ses:FromAddress": from },
        "ForAllValues:StringLike": { "ses:Recipients": domains.split(",").map((domain) => `*@${domain}`) },
      },
    }),
  ];
}

/** Returns the IAM statements for invoking the Bedrock models that the settings name. */
export function modelStatements(scope: Construct, settings: Readonly<Record<string, string>>): PolicyStatement[] {
  const ids = getBedrockModelIds(settings);
  if (ids.length === 0) return [];
  return [
    new PolicyStatement({
      actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
      resources: [...new Set(ids)].flatMap((id) => modelArns(Stack.of(scope), id)),
    }),
  ];
}

/**
 * Returns the ARNs for invoking a model. An inference profile (`eu.vendor.model`) also needs its model in every region that
 * it can route to. The ARN of an application inference profile does not name its model, so that all models are allowed.
 */
function modelArns({ partition, region, account }: Stack, id: string): string[] {
  if (id.startsWith("arn:")) return [id, `arn:${partition}:bedrock:*::foundation-model/*`];
  const model = findProfileModel(id);
  if (!model) return [`arn:${partition}:bedrock:${region}::foundation-model/${id}`];
  return [
    `arn:${partition}:bedrock:${region}:${account}:inference-profile/${id}`,
    `arn:${partition}:bedrock:*::foundation-model/${model}`,
  ];
}

/** Returns the IAM statements for applying the Bedrock guardrail in the settings; none for any other guardrail provider. */
export function guardrailStatements(scope: Construct, settings: Readonly<Record<string, string>>): PolicyStatement[] {
  const { GUARDRAIL_PROVIDER, GUARDRAIL_ID = "" } = settings;
  if (GUARDRAIL_PROVIDER !== "bedrock") return [];
  const { partition, region, account } = Stack.of(scope);
  const arn = GUARDRAIL_ID.startsWith("arn:")
    ? GUARDRAIL_ID
    : `arn:${partition}:bedrock:${region}:${account}:guardrail/${GUARDRAIL_ID}`;
  return [new PolicyStatement({ actions: ["bedrock:ApplyGuardrail"], resources: [arn] })];
}

/** Returns the IAM statement for the bucket of files in messages; none if the function does not use it. */
export function attachmentStatements(bucketArn: string, uses: Uses): PolicyStatement[] {
  const actions = [
    ...(uses.includes("attachments") ? ["s3:GetObject"] : []),
    ...(uses.includes("attachmentStorage") ? ["s3:PutObject"] : []),
    ...(uses.includes("attachmentStorage") || uses.includes("attachmentDeletion") ? ["s3:DeleteObject"] : []),
  ];
  return actions.length > 0 ? [new PolicyStatement({ actions, resources: [`${bucketArn}/*`] })] : [];
}

/**
 * Returns the IAM statement for reading secrets; an ARN ends with six random characters after the name.
 * @param ids names or ARNs of secrets
 */
export function secretStatements(scope: Construct, ids: readonly string[]): PolicyStatement[] {
  if (ids.length === 0) return [];
  const { partition, region, account } = Stack.of(scope);
  const toArn = (id: string) =>
    id.startsWith("arn:") || Token.isUnresolved(id)
      ? id
      : `arn:${partition}:secretsmanager:${region}:${account}:secret:${id}-??????`;
  return [new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: ids.map(toArn) })];
}
