import type * as v from "valibot";
import { itemReader } from "../dynamodb/item-reader.ts";

/** Current names of attributes, by the names in items that were stored when Slack was the only messenger. */
const currentNames: Readonly<Record<string, string>> = {
  slack_user: "account_id",
  slack_user_id: "account_id",
  slack_user_name: "account_name",
  thread_ts: "thread_id",
  message_ts: "card_id",
  posted_ts: "posted_id",
  ts: "id",
};

const rename = (item: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      currentNames[name] ?? name,
      typeof value === "object" && value !== null && !Array.isArray(value) ? rename(value) : value,
    ]),
  );

/** Returns a function that reads an item of a messenger, also one with the earlier attribute names. */
export function messengerItemReader<const Schema extends v.GenericSchema>(schema: Schema) {
  const read = itemReader(schema);
  return (item: object): v.InferOutput<Schema> => read(rename(item));
}
