/** Program of the API reference: loads the renderer and gives it the colors of the current scheme. */
import "rapidoc";

const reference = document.querySelector("rapi-doc");
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

applyScheme();
darkScheme.addEventListener("change", applyScheme);
