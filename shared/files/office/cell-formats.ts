import { format, getFormatDateInfo, isDateFormat } from "numfmt";

/** Codes of the built-in number formats (ECMA-376 part 1, 18.8.30). Those of currencies depend on the country and show none. */
const builtInCodes: Readonly<Record<number, string>> = {
  ...{ 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00" },
  ...{ 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??" },
  ...{ 14: "yyyy-mm-dd", 15: "yyyy-mm-dd", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM" },
  ...{ 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00" },
  ...{ 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0" },
  48: "##0.0E+0",
};

/** Difference in days between the serial numbers of a date in workbooks that begin in 1900 and in 1904. */
const DAYS_1904 = 1_462;

/** Significant digits that spreadsheets calculate with. */
const SIGNIFICANT_DIGITS = 15;

/** Returns the code of a number format; empty for numbers as they are. */
export const toFormatCode = (id: number, customCodes: ReadonlyMap<number, string>): string =>
  customCodes.get(id) ?? builtInCodes[id] ?? "";

/** Returns the code that shows a full date as ISO 8601, because the order of day and month depends on the country. */
function toIsoCode(code: string): string {
  if (!isDateFormat(code)) return code;
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(code);
  if (!year || !month || !day) return code;
  return ["yyyy-mm-dd", hours && `hh:mm${minutes && seconds ? ":ss" : ""}`].filter(Boolean).join(" ");
}

const isoCodes = new Map<string, string>();

/**
 * Returns a number as its spreadsheet shows it: `47.5%`, `14:30`, `€ 1,234.50`, `00042`. Full dates are ISO 8601.
 * @param value number as stored
 * @param starts1904 true if the dates of the workbook begin in 1904
 */
export function formatCell(value: string, code: string, starts1904: boolean): string {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return value;
  const plain = () => String(Number(number.toPrecision(SIGNIFICANT_DIGITS)));
  if (code === "" || /^general$/i.test(code)) return plain();
  try {
    let shown = isoCodes.get(code);
    if (shown === undefined) {
      shown = toIsoCode(code);
      isoCodes.set(code, shown);
    }
    const offset = starts1904 && isDateFormat(code) ? DAYS_1904 : 0;
    return format(shown, number + offset)
      .replace(/\s/g, " ")
      .trim();
  } catch {
    return plain();
  }
}
