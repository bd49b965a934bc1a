import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { indexes, tableKeys } from "../../shared/dynamodb/table-layout.ts";
import { nameOf, type Service } from "../stack-context.ts";

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table of the service; names of attributes and indexes are those the stores use. */
export class ServiceTable extends Table {
  constructor(scope: Construct, id: string, service: Service) {
    const { keepsData } = service.config;
    super(scope, id, {
      tableName: nameOf(service, "table"),
      partitionKey: text(tableKeys.pk),
      sortKey: text(tableKeys.sk),
      timeToLiveAttribute: tableKeys.ttl,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      encryption: TableEncryption.DEFAULT,
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const [indexName, { pk, sk }] of Object.entries(indexes)) {
      this.addGlobalSecondaryIndex({ indexName, partitionKey: text(pk), sortKey: text(sk) });
    }
  }
}
