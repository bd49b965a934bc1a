import { Duration, Stack } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { ServiceFunction } from "../constructs/api-function.ts";
import { pascalCase } from "../naming.ts";
import { nameOf, type Service } from "../service.ts";

/** Processors of the table's changes: each reads the whole stream at its own pace. */
export class ChangesStack extends Stack {
  /** What could not be processed: faults of single changes, and batches that failed for good. */
  readonly faults: Queue;
  readonly processors: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, service: Service, table: Table) {
    super(scope, id, { description: "Switchboard: what follows from changes" });
    this.faults = new Queue(this, "Faults", {
      queueName: nameOf(service, "faults"),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.processors = service.bundle.processors.map((entry) => this.#addProcessor(service, table, entry));
  }

  #addProcessor(service: Service, table: Table, entry: string): ServiceFunction {
    const name = entry.split("/").at(-2) ?? entry;
    const streamArn = table.tableStreamArn;
    const processor = new ServiceFunction(this, pascalCase(name), {
      service,
      kind: "changes",
      name: `changes-${name}`,
      entry,
      description: `Process changes: ${name}`,
      table,
      access: "write",
      statements: [
        new PolicyStatement({
          actions: ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
          resources: [streamArn ?? ""],
        }),
        new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: ["*"] }),
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.faults.queueArn] }),
      ],
      environment: { FAULT_QUEUE_URL: this.faults.queueUrl },
    });
    new EventSourceMapping(this, `${pascalCase(name)}Changes`, {
      target: processor,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(service.config.changesWindowSeconds),
      // One poisonous change is narrowed down to, put aside and passed by.
      bisectBatchOnError: true,
      retryAttempts: 10,
      onFailure: new SqsDlq(this.faults),
    });
    return processor;
  }
}
