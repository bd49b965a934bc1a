import { clampChroma, converter, formatHex, type Oklch, parse, wcagContrast } from "culori";
import { type FieldError, invalidFields } from "../lib/errors.ts";

/** Theme of a widget: values of CSS custom properties and of settings, by name. */
type Theme = Readonly<Record<string, string>>;

/** Minimum contrast of text (WCAG 2.2, success criterion 1.4.3). */
const MIN_CONTRAST = 4.5;

/** Minimum contrast of controls to their background (WCAG 2.2, success criterion 1.4.11). */
const MIN_CONTROL_CONTRAST = 3;

const isColor = (value: string) => parse(value) !== undefined;
const isLength = (value: string) => /^(?:0|\d{1,4}(?:\.\d{1,3})?(?:px|rem|em|vw|vh|%))$/.test(value);
const isFont = (value: string) => /^[\p{L}\d"'][\p{L}\d\s,'"_-]{0,199}$/u.test(value);
const isOneOf =
  (...options: string[]) =>
  (value: string) =>
    options.includes(value);

interface ThemeEntry {
  readonly isValid: (value: string) => boolean;
  readonly message: string;
}

const color: ThemeEntry = { isValid: isColor, message: "must be a CSS color, such as #4338ca" };
const length: ThemeEntry = { isValid: isLength, message: "must be a CSS length, such as 12px" };

const entries: Readonly<Record<string, ThemeEntry>> = {
  mode: { isValid: isOneOf("light", "dark", "auto"), message: "must be light, dark or auto" },
  position: { isValid: isOneOf("start", "end"), message: "must be start or end" },
  accent: color,
  "accent-dark": color,
  "on-accent": color,
  surface: color,
  raised: color,
  text: color,
  muted: color,
  border: color,
  radius: length,
  width: length,
  height: length,
  "z-index": { isValid: (value) => /^\d{1,10}$/.test(value), message: "must be a whole number" },
  "proactive-message": {
    isValid: (value) => /\S/.test(value) && !/\p{Cc}/u.test(value),
    message: "must be one line of text",
  },
  "proactive-seconds": {
    isValid: (value) => /^\d{1,3}$/.test(value),
    message: "must be a number of seconds up to 999",
  },
  logo: {
    isValid: (value) => URL.canParse(value) && new URL(value).protocol === "https:",
    message: "must be the https address of an image",
  },
  font: { isValid: isFont, message: "must be font names, separated by commas" },
};

const unknown: ThemeEntry = {
  isValid: () => false,
  message: `is unknown; known are ${Object.keys(entries).join(", ")}`,
};

/**
 * Checks that a theme contains only known entries with valid values.
 * @throws ServiceError `validation_failed` that names each invalid entry
 */
export function requireValidTheme(theme: Theme): void {
  const errors = Object.entries(theme).flatMap(([name, value]): FieldError[] => {
    const { isValid, message } = (Object.hasOwn(entries, name) ? entries[name] : undefined) ?? unknown;
    return isValid(value) ? [] : [{ path: `theme.${name}`, location: "body", code: "invalid_format", message }];
  });
  if (errors.length > 0) throw invalidFields(errors);
}

const toOklch = converter("oklch");

/**
 * Returns the color with the smallest change in lightness whose contrast to every background is sufficient; black or white if
 * none is.
 */
function ensureContrast(text: string, backgrounds: readonly string[], minimum = MIN_CONTRAST): string {
  const start = toOklch(parse(text)) as Oklch;
  const contrastOf = (candidate: string) => Math.min(...backgrounds.map((each) => wcagContrast(candidate, each)));
  const candidatesToward = (step: number) =>
    Array.from({ length: 101 }, (_, n) => start.l + n * step)
      .filter((l) => l >= 0 && l <= 1)
      .map((l) => formatHex(clampChroma({ ...start, l }, "oklch")) as string);
  const original = formatHex(parse(text)) as string;
  const passing = [original, ...[-0.01, 0.01].flatMap(candidatesToward)].filter((c) => contrastOf(c) >= minimum);
  const distance = (candidate: string) => Math.abs((toOklch(parse(candidate)) as Oklch).l - start.l);
  return passing.sort((a, b) => distance(a) - distance(b))[0] ?? betterOf(backgrounds[0] ?? "#fff");
}

/** Returns black or white, whichever has the higher contrast to a background; the better one always has at least 4.5. */
const betterOf = (background: string) =>
  wcagContrast("#fff", background) >= wcagContrast("#000", background) ? "#ffffff" : "#000000";

/** Default backgrounds of the widget's style sheet, by color scheme. */
const defaultBackgrounds = {
  light: { surface: "#ffffff", raised: "#f4f4f6" },
  dark: { surface: "#17181c", raised: "#24262c" },
} as const;

/** Returns the text color on the accent and the accent as a text color, for one color scheme. */
function deriveColors(scheme: keyof typeof defaultBackgrounds, accent: string, theme: Theme) {
  const { surface, raised } = { ...defaultBackgrounds[scheme], ...theme };
  const isLegible = theme["on-accent"] !== undefined && wcagContrast(theme["on-accent"], accent) >= MIN_CONTRAST;
  return {
    onAccent: isLegible ? String(theme["on-accent"]) : betterOf(accent),
    accentText: ensureContrast(accent, [surface, raised]),
  };
}

/**
 * Adds the colors that derive from the accent color of a theme: `on-accent`, `accent-text` (links and borders) and the accent
 * of the dark scheme with its two. Texts get a contrast of at least 4.5.
 */
export function deriveTheme(theme: Theme): Theme {
  const { accent } = theme;
  if (accent === undefined || !isColor(accent)) return theme;
  const light = deriveColors("light", accent, theme);
  const { surface } = { ...defaultBackgrounds.dark, ...theme };
  const accentDark = theme["accent-dark"] ?? ensureContrast(accent, [surface], MIN_CONTROL_CONTRAST);
  const dark = deriveColors("dark", accentDark, theme);
  return {
    ...theme,
    "on-accent": light.onAccent,
    "accent-text": light.accentText,
    "accent-dark": accentDark,
    "on-accent-dark": dark.onAccent,
    "accent-text-dark": dark.accentText,
  };
}
