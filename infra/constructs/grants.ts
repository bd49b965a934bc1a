import { Aws, Stack, Token } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { findProfileModel } from "../../shared/models/inference-profile.ts";
import { parseModelTable } from "../../shared/models/model-settings.ts";
import type { Uses } from "../rights/uses.ts";

/** Returns the IAM statements for the table. */
export function tableStatements(table: ITable, { actions, indexes, partitions }: Uses): PolicyStatement[] {
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

/**
 * Returns the IAM statements for objects, one for each bucket.
 * @param buckets names of buckets by the variables that name them
 */
export function objectStatements(rights: Uses["rights"], buckets: Readonly<Record<string, string>>): PolicyStatement[] {
  return Object.entries(buckets).flatMap(([variable, name]) => {
    const actions = rights.filter((right) => right.endsWith(` ${variable}`)).map((right) => right.split(" ")[0] ?? "");
    return actions.length > 0
      ? [new PolicyStatement({ actions, resources: [`arn:${Aws.PARTITION}:s3:::${name}/*`] })]
      : [];
  });
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
