import { signal } from "@preact/signals";

/** Color scheme; `system` follows the operating system. */
export type Theme = "system" | "light" | "dark";

const storageKey = "switchboard.theme";

/** Color scheme that the user chose. */
export const theme = signal<Theme>("system");

/** Applies a color scheme and remembers it. */
export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  localStorage.setItem(storageKey, next);
}

/** Applies the remembered color scheme. */
export function loadTheme(): void {
  const stored = localStorage.getItem(storageKey);
  setTheme(stored === "light" || stored === "dark" ? stored : "system");
}
