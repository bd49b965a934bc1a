import { getLocale, t } from "./i18n.ts";

export function formatNumber(value: number): string {
  return value.toLocaleString(getLocale());
}

/** Formats a large number in short form: `1.2K`. */
export function formatCompact(value: number): string {
  return new Intl.NumberFormat(getLocale(), { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** Formats an amount in US dollars. Amounts below a cent get more digits. */
export function formatCost(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 0.01 ? 5 : 2;
  const parts = new Intl.NumberFormat(getLocale(), {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).formatToParts(value);
  // Arabic has "US$", which is torn apart where a line ends.
  return parts.map(({ type, value: text }) => (type === "currency" ? "$" : text)).join("");
}

export function formatBytes(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const exponent = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(getLocale(), {
    style: "unit",
    unit: units[exponent] ?? "byte",
    // The short form of bytes has no plural.
    unitDisplay: exponent === 0 ? "long" : "short",
    maximumFractionDigits: exponent === 0 ? 0 : 1,
  }).format(bytes / 1000 ** exponent);
}

export function formatDateTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString(getLocale(), { dateStyle: "medium", timeStyle: "short" });
}

/** Formats a date without the time. */
export function formatDate(timestamp: string): string {
  return new Date(timestamp).toLocaleDateString(getLocale(), { dateStyle: "medium" });
}

/** Returns the number of midnights in the reader's time zone since a timestamp: 0 is today, 1 yesterday. */
export function calendarDaysSince(timestamp: string): number {
  const toDay = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  // A day on which a clock changes has 23 or 25 hours.
  return Math.round((toDay(Date.now()) - toDay(Date.parse(timestamp))) / 86_400_000);
}

/** Formats the day of a timestamp: `today`, `yesterday` or the date. */
export function formatDay(timestamp: string): string {
  const days = -calendarDaysSince(timestamp);
  if (days < -1) return new Date(timestamp).toLocaleDateString(getLocale(), { dateStyle: "full" });
  return new Intl.RelativeTimeFormat(getLocale(), { numeric: "auto" }).format(days, "day");
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Formats a time relative to now, such as `5 minutes ago`; as a date if it is more than a week ago. */
export function formatAgo(timestamp: string): string {
  const seconds = (Date.parse(timestamp) - Date.now()) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return formatDate(timestamp);
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return t("just now");
  const format = new Intl.RelativeTimeFormat(getLocale(), { numeric: "auto" });
  const [name, size] = unit;
  return format.format(name === "day" ? -calendarDaysSince(timestamp) : Math.round(seconds / size), name);
}
