/** Program of the API reference: loads the renderer and gives it the colors of the current scheme. */
import "./renderer-adjustments.ts";
import "rapidoc";

/** Custom element that renders the API reference. */
interface Reference extends HTMLElement {
  loadSpec(spec: object): Promise<void>;
}

const reference = document.querySelector<Reference>("rapi-doc");
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

/** Colors of the design tokens, which the renderer cannot read because it computes shades from them. */
const colors = {
  light: {
    theme: "light",
    "bg-color": "#ffffff",
    "text-color": "#1a1b21",
    "primary-color": "#4348cf",
    "nav-bg-color": "#f6f6f8",
    "nav-text-color": "#3c3e4a",
    "nav-hover-bg-color": "#ebebf1",
    "nav-hover-text-color": "#1a1b21",
    "nav-accent-color": "#4348cf",
  },
  dark: {
    theme: "dark",
    "bg-color": "#181a20",
    "text-color": "#ececf1",
    "primary-color": "#a6a9ff",
    "nav-bg-color": "#111217",
    "nav-text-color": "#c9cbd6",
    "nav-hover-bg-color": "#272a34",
    "nav-hover-text-color": "#ffffff",
    "nav-accent-color": "#a6a9ff",
  },
};

function applyScheme(): void {
  const { light, dark } = colors;
  for (const [name, value] of Object.entries(darkScheme.matches ? dark : light)) reference?.setAttribute(name, value);
}

/** Colors of methods and types with a sufficient contrast (WCAG 2.2, success criterion 1.4.3). */
const palette = new CSSStyleSheet();
palette.replaceSync(`* {
  --blue: light-dark(#0b5fa5, #6cb8f0);
  --green: light-dark(#3d6600, #9ccc4a);
  --orange: light-dark(#8f4700, #f0a860);
  --red: light-dark(#b3261e, #f58b85);
  --purple: light-dark(#5548c8, #a99ff8);
  --yellow: light-dark(#6d5800, #d8c24a);
}`);

applyScheme();
reference?.addEventListener("spec-loaded", () => {
  reference.shadowRoot?.adoptedStyleSheets.push(palette);
  reference.shadowRoot?.querySelector("nav")?.setAttribute("aria-label", "Operations");
});
darkScheme.addEventListener("change", applyScheme);

async function fetchSpec(): Promise<object | null> {
  try {
    const response = await fetch("/v1/openapi.json");
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Replaces the renderer by an error message with a button that loads the document again. */
function showFailure(renderer: Reference): void {
  const failure = document.createElement("main");
  const message = document.createElement("p");
  message.role = "alert";
  message.textContent = "The API reference could not be loaded. Check your connection and try again.";
  const retry = document.createElement("button");
  retry.textContent = "Try again";
  retry.addEventListener("click", async () => {
    failure.replaceWith(renderer);
    await load(renderer);
  });
  failure.append(message, retry);
  renderer.replaceWith(failure);
}

async function load(renderer: Reference): Promise<void> {
  const spec = await fetchSpec();
  if (spec === null) showFailure(renderer);
  // The renderer takes several seconds to parse a document of version 3.1, and a fraction of a second for version 3.0. It
  // shows both the same way.
  else await renderer.loadSpec({ ...spec, openapi: "3.0.3" });
}

if (reference) await load(reference);
