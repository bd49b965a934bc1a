/** Operations of the DynamoDB API that this project calls. */
export type TableOperation =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "TransactWriteItems"
  | "BatchWriteItem";

/** Attribute values by name, as JavaScript values. */
export type Values = Record<string, unknown>;

/** Reason why a transaction was canceled, one per write; `Code` is `None` for a write that did not cause it. */
export interface CancellationReason {
  readonly Code?: string;
  /** Current item, for a write whose condition failed. */
  readonly item: Values | undefined;
}

/** An error response of DynamoDB; `name` is the exception's name in AWS's documentation. */
export class DynamodbError extends Error {
  /** HTTP status code. */
  readonly status: number;
  /** Current item as JavaScript values, for a write whose condition failed. */
  readonly item: Values | undefined;
  readonly reasons: readonly CancellationReason[];

  constructor(
    name: string,
    message: string,
    details: { status: number; item?: Values; reasons?: readonly CancellationReason[]; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = name;
    this.status = details.status;
    this.item = details.item;
    this.reasons = details.reasons ?? [];
  }
}

/**
 * Sends operations to DynamoDB. Retries throttling, conflicts with transactions, server errors and network errors.
 */
export interface TableClient {
  /** @throws DynamodbError for an error response, or the network error */
  // biome-ignore lint/suspicious/noExplicitAny: every operation returns its own shape
  call(operation: TableOperation, input: object): Promise<any>;
}
