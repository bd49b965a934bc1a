const { appendFileSync } = require("node:fs");
const log = (value) => appendFileSync(process.env.NOTES, `${JSON.stringify(value)}\n`);

/** Logs the batch and reports a failure at the first item with `fails: "always"`. */
exports.changes = async (event) => {
  const records = event.Records.map((record) => ({
    name: record.eventName,
    key: record.dynamodb.Keys.pk.S,
    number: record.dynamodb.SequenceNumber,
    source: record.eventSourceARN,
    fails: record.dynamodb.NewImage?.fails?.S,
  }));
  const failing = records.find(({ fails }) => fails === "always");
  log({
    keys: records.map(({ key }) => key),
    names: records.map(({ name }) => name),
    source: records[0].source,
    failed: Boolean(failing),
  });
  return { batchItemFailures: failing ? [{ itemIdentifier: failing.number }] : [] };
};

exports.messages = async (event) => {
  log({ at: Date.now(), bodies: event.Records.map(({ body }) => body), source: event.Records[0].eventSource });
  if (event.Records.some(({ body }) => body === "poison")) throw new Error("poison");
};

exports.background = async (event) => {
  log({ event });
  if (event.fails) throw new Error("requested failure");
};
