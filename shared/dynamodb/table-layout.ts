/** Attribute names of the table's primary key and expiry; aws-lambda-stream requires `pk` and `sk`. */
export const tableKeys = { pk: "pk", sk: "sk", ttl: "ttl" } as const;

/** Global secondary indexes and their key attributes; each projects all attributes. */
export const indexes = { gsi1: { pk: "gsi1pk", sk: "gsi1sk" } } as const;

/** Name of a global secondary index. */
export type IndexName = keyof typeof indexes;

/** Maximum number of keys in one BatchGetItem request. */
export const MAX_BATCH_GET_KEYS = 100;

/** Maximum number of writes in one BatchWriteItem request. */
export const MAX_BATCH_WRITES = 25;

/** Number of items that background jobs read and process at a time when they go through a whole partition. */
export const SWEEP_BATCH_SIZE = 100;

/** Maximum number of writes in one transaction. */
export const MAX_TRANSACTION_WRITES = 100;
