import { wcagContrast } from "culori";
import { expect, it } from "vitest";
import { deriveTheme, requireValidTheme } from "#shared/embed/theme.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

/** Default surfaces of the widget by color scheme. */
const backgrounds = { light: ["#ffffff", "#f4f4f6"], dark: ["#17181c", "#24262c"] };

it("deriveTheme(), which derives widget colors from an accent color, returns colors with a contrast of at least 4.5, light and dark, for 200 random accents", () => {
  const random = seededRandom(7);
  const lowest = { onAccent: 21, accentText: 21 };
  for (let n = 0; n < 200; n++) {
    const accent = `#${Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, "0")}`;
    const theme = deriveTheme({ accent });
    for (const [suffix, surfaces] of [
      ["", backgrounds.light],
      ["-dark", backgrounds.dark],
    ] as const) {
      const on = wcagContrast(String(theme[`on-accent${suffix}`]), String(theme[`accent${suffix}`]));
      lowest.onAccent = Math.min(lowest.onAccent, on);
      for (const surface of surfaces) {
        const text = wcagContrast(String(theme[`accent-text${suffix}`]), surface);
        lowest.accentText = Math.min(lowest.accentText, text);
      }
    }
    expect(theme.accent).toBe(accent);
  }
  console.log(`lowest contrast: ${lowest.onAccent.toFixed(2)} on the accent, ${lowest.accentText.toFixed(2)} as text`);
  expect(lowest.onAccent).toBeGreaterThanOrEqual(4.5);
  expect(lowest.accentText).toBeGreaterThanOrEqual(4.5);
});

it("deriveTheme(), which derives widget colors from an accent color, keeps the accent color for dark mode if the embed key defines one", () => {
  expect(deriveTheme({ accent: "#123456", "accent-dark": "#abcdef" })["accent-dark"]).toBe("#abcdef");
});

it("deriveTheme(), which derives widget colors from an accent color, keeps the text color on the accent if it is legible and replaces it otherwise", () => {
  expect(deriveTheme({ accent: "#000080", "on-accent": "#ffffcc" })["on-accent"]).toBe("#ffffcc");
  expect(deriveTheme({ accent: "#ffff00", "on-accent": "#ffffff" })["on-accent"]).toBe("#000000");
});

it("deriveTheme(), which derives widget colors from an accent color, returns a theme without an accent color unchanged", () => {
  expect(deriveTheme({ mode: "dark" })).toEqual({ mode: "dark" });
});

it.each<Record<string, string>>([
  { accent: "#4338ca", "accent-dark": "rgb(1 2 3)", text: "hsl(20 50% 40%)", border: "rebeccapurple" },
  { radius: "0", width: "400px", height: "90vh", font: '"Open Sans", Arial, sans-serif', "z-index": "99" },
  { mode: "auto", position: "start", raised: "#fff" },
])("requireValidTheme() of an embed key accepts the theme %j", (theme) => {
  expect(() => requireValidTheme(theme)).not.toThrow();
});

it.each<Record<string, string>>([
  { accent: "url(https://evil.example/x)" },
  { accent: "var(--x)" },
  { surface: "red; background: url(x)" },
  { radius: "calc(1px + url(x))" },
  { width: "12" },
  { font: "Arial; } body { display: none" },
  { font: "url(https://evil.example/font)" },
  { mode: "blue" },
  { custom: "plain text" },
  { primary: "#4338ca" },
  { constructor: "red" },
  { "z-index": "-1" },
])("requireValidTheme() of an embed key rejects the theme %j with an error that names the invalid entry", (theme) => {
  try {
    requireValidTheme(theme);
    expect.unreachable();
  } catch (error) {
    expect((error as { errors: { path: string }[] }).errors[0]?.path).toBe(`theme.${Object.keys(theme)[0]}`);
  }
});

it("requireValidTheme() of an embed key names the known entries when an entry is unknown", () => {
  const [error] = (() => {
    try {
      requireValidTheme({ primaryColor: "#4338ca" });
    } catch (thrown) {
      return (thrown as { errors: { message: string }[] }).errors;
    }
    return [];
  })();
  expect(error?.message).toMatch(/^is unknown; known are mode, position, accent, /);
});
