import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ServiceTable } from "../constructs/table.ts";
import type { Service } from "../service.ts";

/** What the service knows; apart from the rest, so that the rest can be replaced. */
export class DataStack extends Stack {
  readonly table: ServiceTable;

  constructor(scope: Construct, id: string, service: Service) {
    super(scope, id, { description: "Switchboard: data", terminationProtection: service.config.keepsData });
    this.table = new ServiceTable(this, "Table", service);
  }
}
