import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Method } from "../../shared/api/define-route.ts";
import { indexes } from "../../shared/data/table-layout.ts";

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

/** Table access that fits a route's method. */
export function accessOf(method: Method): TableAccess {
  return method === "GET" ? "read" : "write";
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
    actions: actions("GetItem", "Query", "UpdateItem"),
    resources: [table.tableArn],
    conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["~*"] } },
  });
}
