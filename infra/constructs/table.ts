import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { indexes, tableKeys } from "../../shared/dynamodb/table-layout.ts";
import { resourceName, type StackContext } from "../stack-context.ts";

const stringAttribute = (name: string) => ({ name, type: AttributeType.STRING });

/** DynamoDB table of the service, with the key and index names that the stores use. */
export class ServiceTable extends Table {
  constructor(scope: Construct, id: string, context: StackContext) {
    const { retainData } = context.config;
    super(scope, id, {
      tableName: resourceName(context, "table"),
      partitionKey: stringAttribute(tableKeys.pk),
      sortKey: stringAttribute(tableKeys.sk),
      timeToLiveAttribute: tableKeys.ttl,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      encryption: TableEncryption.DEFAULT,
      deletionProtection: retainData,
      removalPolicy: retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    for (const [indexName, { pk, sk }] of Object.entries(indexes)) {
      this.addGlobalSecondaryIndex({ indexName, partitionKey: stringAttribute(pk), sortKey: stringAttribute(sk) });
    }
  }
}
