import { Annotations, Duration, Stack, Validations } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { ServiceFunction } from "../constructs/api-function.ts";
import { pascalCase, processorName } from "../naming.ts";
import { nameOf, type Service, type ServiceData } from "../service.ts";

/** Processors of the table's changes: each reads the whole stream at its own pace. */
export class ChangesStack extends Stack {
  constructor(scope: Construct, id: string, service: Service, data: ServiceData) {
    super(scope, id, { description: "Switchboard: what follows from changes" });
    // Both single changes that cannot be processed and batches that failed for good end here.
    const faults = new Queue(this, "Faults", {
      queueName: nameOf(service, "faults"),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(faults).acknowledge({ id: "AwsSolutions-SQS3", reason: "It is a dead-letter queue." });
    if (service.bundle.processors.length > 2) {
      Annotations.of(this).addWarningV2(
        "switchboard:stream-readers",
        "More than two readers of a stream slow each other.",
      );
    }
    for (const entry of service.bundle.processors) this.#addProcessor(service, data, faults, entry);
  }

  #addProcessor(service: Service, data: ServiceData, faults: Queue, entry: string): void {
    const name = processorName(entry);
    const streamArn = String(data.table.tableStreamArn);
    const processor = new ServiceFunction(this, pascalCase(name), {
      service,
      kind: "changes",
      name: `changes-${name}`,
      entry,
      description: `Process changes: ${name}`,
      data,
      access: "write",
      statements: [
        new PolicyStatement({
          actions: ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: ["*"] }),
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [faults.queueArn] }),
      ],
      environment: { FAULT_QUEUE_URL: faults.queueUrl },
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
      onFailure: new SqsDlq(faults),
    });
  }
}
