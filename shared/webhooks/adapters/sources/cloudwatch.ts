import { isJsonObject, parseJson } from "../../../lib/parse-json.ts";
import { findText, textAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload } from "../types.ts";

/** Returns the severity that a text mentions, because CloudWatch alarms have none. */
const mentionedSeverity = (text: string) => /\b(critical|high|medium|low)\b/i.exec(text)?.[1] ?? null;

/** Returns the address of an alarm in the AWS console, which the message does not contain; null without a valid ARN. */
function alarmLink(payload: AlertPayload): string | null {
  const match = /^arn:aws:cloudwatch:([a-z0-9-]+):\d+:alarm:(.+)$/.exec(textAt(payload, "alarm.AlarmArn") ?? "");
  if (!match) return null;
  const [, region = "", name = ""] = match;
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(name)}`;
}

const join =
  (...paths: string[]) =>
  (payload: AlertPayload) =>
    paths.flatMap((path) => textAt(payload, path) ?? []).join(" ");

function dimensionsOf(payload: AlertPayload): string {
  const { alarm } = payload as { alarm?: { Trigger?: { Dimensions?: unknown } } };
  const list = alarm?.Trigger?.Dimensions;
  return (Array.isArray(list) ? list.filter(isJsonObject) : []).map(({ name, value }) => `${name}=${value}`).join(", ");
}

/** CloudWatch alarms and any other messages that an SNS topic sends. */
export const cloudwatchSource: AlertSource = {
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-SNS.html
  name: "CloudWatch",
  provider: "cloudwatch",
  marks: [["Type", "TopicArn"]],
  prepare: (payload) => {
    const message = parseJson(textAt(payload, "Message") ?? "");
    return { ...payload, alarm: isJsonObject(message) ? message : {} };
  },
  title: ["alarm.AlarmName", "Subject"],
  text: [
    (payload) =>
      textAt(payload, "alarm.AlarmName")
        ? findText(payload, ["alarm.AlarmDescription", "alarm.NewStateReason"])
        : textAt(payload, "Message"),
  ],
  severity: (payload) => {
    if (textAt(payload, "alarm.NewStateValue") === "OK") return "low";
    const name = findText(payload, ["alarm.AlarmName", "Subject"]) ?? "";
    return mentionedSeverity(`${name} ${textAt(payload, "alarm.AlarmDescription") ?? ""}`);
  },
  severityOf: (_, payload) => (textAt(payload, "alarm.AlarmName") ? "high" : "medium"),
  state: "alarm.NewStateValue",
  stateWords: { open: "insufficient_data" },
  time: ["alarm.StateChangeTime", "Timestamp"],
  link: alarmLink,
  id: "MessageId",
  incident: "alarm.AlarmArn",
  event: ["MessageId"],
  isTest: ({ Type }) => Type !== "Notification",
  facts: {
    Alarm: "alarm.AlarmName",
    "Alarm state": "alarm.NewStateValue",
    Reason: (payload) => (textAt(payload, "alarm.AlarmDescription") ? textAt(payload, "alarm.NewStateReason") : null),
    Metric: join("alarm.Trigger.Namespace", "alarm.Trigger.MetricName"),
    Dimensions: dimensionsOf,
    Condition: (payload) =>
      textAt(payload, "alarm.Trigger.Threshold") &&
      join("alarm.Trigger.Statistic", "alarm.Trigger.ComparisonOperator", "alarm.Trigger.Threshold")(payload),
    Rule: "alarm.AlarmRule",
    "Previous state": "alarm.OldStateValue",
    Region: "alarm.Region",
    // The word "account" would make the guardrail take the id for a bank account.
    AWS: "alarm.AWSAccountId",
    Topic: "TopicArn",
    "Confirm at": (payload) => (payload.Type === "SubscriptionConfirmation" ? textAt(payload, "SubscribeURL") : null),
  },
  metadata: (payload, { title }) => ({ title, alarm_arn: textAt(payload, "alarm.AlarmArn") }),
  fields: [
    ..."Type MessageId TopicArn Subject Message Timestamp SignatureVersion Signature SigningCertURL UnsubscribeURL Token".split(
      " ",
    ),
  ],
};
