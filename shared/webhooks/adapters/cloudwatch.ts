import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import { parseJson } from "../../lib/parse-json.ts";
import {
  details,
  lenientObject,
  MAX_ALERT_TEXT_LENGTH,
  optionalText,
  parsePayload,
  shorten,
  toTimestamp,
} from "./fields.ts";
import type { AlertAdapter, AlertPayload, AlertState } from "./types.ts";

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
const entries = {
  Type: v.picklist(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: requiredId(),
  TopicArn: optionalText(),
  Subject: optionalText(1_000),
  Message: v.string(),
  Timestamp: optionalText(),
};

function requiredId() {
  return v.pipe(v.string(), v.minLength(1), v.maxLength(200));
}

const Dimension = v.looseObject({ name: optionalText(), value: optionalText() });

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-SNS.html */
const Alarm = v.looseObject({
  AlarmName: optionalText(1_000),
  AlarmDescription: optionalText(MAX_ALERT_TEXT_LENGTH),
  AlarmArn: optionalText(1_000),
  NewStateValue: optionalText(),
  NewStateReason: optionalText(MAX_ALERT_TEXT_LENGTH),
  StateChangeTime: optionalText(),
  Region: optionalText(),
  AWSAccountId: optionalText(),
  OldStateValue: optionalText(),
  AlarmRule: optionalText(1_000),
  Trigger: lenientObject({
    MetricName: optionalText(),
    Namespace: optionalText(),
    Statistic: optionalText(),
    ComparisonOperator: optionalText(),
    Threshold: optionalText(),
    Dimensions: v.fallback(v.nullish(v.array(Dimension)), undefined),
  }),
});

const states: Readonly<Record<string, AlertState>> = { ALARM: "open", OK: "resolved", INSUFFICIENT_DATA: "open" };

/** Returns the severity that a text mentions, because CloudWatch alarms have none; undefined if it mentions none. */
function findSeverity(text: string): Severity | undefined {
  const match = /\b(critical|high|medium|low)\b/i.exec(text);
  return match?.[1]?.toLowerCase() as Severity | undefined;
}

/** Returns the URL of an alarm in the AWS console, which the message does not contain; null without a valid ARN. */
function alarmLink(arn: string | null | undefined): string | null {
  const match = /^arn:aws:cloudwatch:([a-z0-9-]+):\d+:alarm:(.+)$/.exec(arn ?? "");
  if (!match) return null;
  const [, region = "", name = ""] = match;
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(name)}`;
}

function parseJsonObject(text: string): AlertPayload | null {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as AlertPayload) : null;
}

/** Adapter for CloudWatch alarms, and any other messages, that an SNS topic sends. */
export const cloudwatchAdapter: AlertAdapter = {
  provider: "cloudwatch",
  label: "CloudWatch",
  matches: ({ Type, TopicArn }) => typeof Type === "string" && typeof TopicArn === "string",
  fields: [...Object.keys(entries), "SignatureVersion", "Signature", "SigningCertURL", "UnsubscribeURL", "Token"],
  normalize(payload, { nowMs }) {
    const envelope = parsePayload(v.looseObject({ ...entries, SubscribeURL: optionalText(2_000) }), payload);
    const alarm = v.parse(v.fallback(Alarm, {}), parseJsonObject(envelope.Message) ?? {});
    const isAlarm = Boolean(alarm.AlarmName);
    const state = states[alarm.NewStateValue ?? ""] ?? null;
    const text = isAlarm ? alarm.AlarmDescription || alarm.NewStateReason : envelope.Message;
    const stated = findSeverity(`${alarm.AlarmName ?? envelope.Subject ?? ""} ${alarm.AlarmDescription ?? ""}`);
    const { Trigger: trigger } = alarm;
    const dimensions = trigger?.Dimensions?.map(({ name, value }) => `${name}=${value}`).join(", ");
    return {
      alert: {
        severity: alarm.NewStateValue === "OK" ? "low" : (stated ?? (isAlarm ? "high" : "medium")),
        title: alarm.AlarmName ?? envelope.Subject ?? null,
        description: shorten(text || "(no description)", MAX_ALERT_TEXT_LENGTH),
        alert_id: envelope.MessageId,
        triggered_at: toTimestamp(alarm.StateChangeTime ?? envelope.Timestamp, nowMs),
        state,
        is_test: envelope.Type !== "Notification",
        details: details({
          State: state,
          Alarm: alarm.AlarmName,
          "Alarm state": alarm.NewStateValue,
          Reason: alarm.AlarmDescription ? alarm.NewStateReason : null,
          Metric: [trigger?.Namespace, trigger?.MetricName].filter(Boolean).join(" "),
          Dimensions: dimensions,
          Condition: trigger?.Threshold
            ? [trigger.Statistic, trigger.ComparisonOperator, trigger.Threshold].filter(Boolean).join(" ")
            : null,
          Rule: alarm.AlarmRule,
          "Previous state": alarm.OldStateValue,
          Region: alarm.Region,
          // The word "account" would make the guardrail take the id for a bank account.
          AWS: alarm.AWSAccountId,
          Topic: envelope.TopicArn,
          "Confirm at": envelope.Type === "SubscriptionConfirmation" ? envelope.SubscribeURL : null,
        }),
        link: alarmLink(alarm.AlarmArn),
        metadata: { title: alarm.AlarmName ?? envelope.Subject ?? null, alarm_arn: alarm.AlarmArn ?? null },
      },
      eventKey: envelope.MessageId,
      incident: alarm.AlarmArn ? shorten(alarm.AlarmArn, 200) : null,
    };
  },
};
