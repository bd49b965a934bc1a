import { Stack } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Method } from "../../shared/api/define-route.ts";
import { indexes } from "../../shared/dynamodb/table-layout.ts";
import { modelOfProfile } from "../../shared/models/inference-profile.ts";

/**
 * What a function may do with the table. `lookup` is for those that meet a credential before they know its tenant:
 * they see the partitions that belong to no tenant, nothing else.
 */
export type TableAccess = "none" | "lookup" | "read" | "write";

const actions = (...names: string[]) => names.map((name) => `dynamodb:${name}`);

const reading = actions("GetItem", "BatchGetItem", "Query");
/** Readers count requests and record whom they see first. */
const recording = actions("PutItem", "UpdateItem", "ConditionCheckItem");
const writing = [...recording, ...actions("DeleteItem", "BatchWriteItem")];

/** Table access that fits a route's method; where any method gets the same answer, nothing is written. */
export function accessOf(method: Method): TableAccess {
  return method === "GET" || method === "ANY" ? "read" : "write";
}

/** Statements that give this access to the table, and to its indexes by name. */
export function tableStatements(table: ITable, access: TableAccess): PolicyStatement[] {
  if (access === "none") return [];
  if (access === "lookup") return [lookupStatement(table)];
  const indexArns = Object.keys(indexes).map((name) => `${table.tableArn}/index/${name}`);
  return [
    new PolicyStatement({
      actions: [...reading, ...(access === "read" ? recording : writing)],
      resources: [table.tableArn],
    }),
    new PolicyStatement({ actions: actions("Query"), resources: indexArns }),
  ];
}

/** Partitions that belong to no tenant begin with `~`, which no tenant id can. */
function lookupStatement(table: ITable): PolicyStatement {
  return new PolicyStatement({
    actions: actions("GetItem", "BatchGetItem"),
    resources: [table.tableArn],
    conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["~*"] } },
  });
}

/** Statements that let a function ask the models that the settings name, where they are Bedrock's. */
export function modelStatements(scope: Construct, settings: Readonly<Record<string, string>>): PolicyStatement[] {
  if (settings.MODEL_PROVIDER !== "bedrock") return [];
  const ids = Object.entries(settings)
    .filter(([name, value]) => /^MODEL_(ID|FALLBACK)/.test(name) && value !== "")
    .map(([, id]) => id);
  return [
    new PolicyStatement({
      actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
      resources: [...new Set(ids)].flatMap((id) => modelArns(Stack.of(scope), id)),
    }),
  ];
}

/**
 * An inference profile (`eu.vendor.model`) is allowed together with its model in each of the regions it may choose; the
 * ARN of one of the account's own does not tell its model, so any is allowed with it.
 */
function modelArns({ partition, region, account }: Stack, id: string): string[] {
  if (id.startsWith("arn:")) return [id, `arn:${partition}:bedrock:*::foundation-model/*`];
  const model = modelOfProfile(id);
  if (!model) return [`arn:${partition}:bedrock:${region}::foundation-model/${id}`];
  return [
    `arn:${partition}:bedrock:${region}:${account}:inference-profile/${id}`,
    `arn:${partition}:bedrock:*::foundation-model/${model}`,
  ];
}

/** Statements that let a function have texts checked by the guardrail that the settings name, where it is Bedrock's. */
export function guardrailStatements(scope: Construct, settings: Readonly<Record<string, string>>): PolicyStatement[] {
  const { GUARDRAIL_PROVIDER, GUARDRAIL_ID = "" } = settings;
  if (GUARDRAIL_PROVIDER !== "bedrock") return [];
  const { partition, region, account } = Stack.of(scope);
  const arn = GUARDRAIL_ID.startsWith("arn:")
    ? GUARDRAIL_ID
    : `arn:${partition}:bedrock:${region}:${account}:guardrail/${GUARDRAIL_ID}`;
  return [new PolicyStatement({ actions: ["bedrock:ApplyGuardrail"], resources: [arn] })];
}
