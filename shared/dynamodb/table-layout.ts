/** Attribute names of the table's primary key and expiry; aws-lambda-stream needs `pk` and `sk` by these names. */
export const tableKeys = { pk: "pk", sk: "sk", ttl: "ttl" } as const;

/** Global secondary indexes and their key attributes; each projects all attributes. */
export const indexes = { gsi1: { pk: "gsi1pk", sk: "gsi1sk" } } as const;

/** Name of a global secondary index. */
export type IndexName = keyof typeof indexes;
