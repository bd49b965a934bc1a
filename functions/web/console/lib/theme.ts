import { signal } from "@preact/signals";

/** Color scheme; `system` follows the operating system. */
type Theme = "system" | "light" | "dark";

const storageKey = "switchboard.theme";

/** Current color scheme, as the user chose it. */
export const theme = signal<Theme>("system");

/** Applies a color scheme and stores the choice. */
export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  localStorage.setItem(storageKey, next);
}

/** Applies the color scheme that the user chose before. */
export function loadTheme(): void {
  const stored = localStorage.getItem(storageKey);
  setTheme(stored === "light" || stored === "dark" ? stored : "system");
}
