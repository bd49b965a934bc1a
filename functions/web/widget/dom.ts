type Attributes = Readonly<Record<string, string | boolean | EventListener | undefined>>;

/** Creates an element with attributes, listeners (`onclick`) and children. Strings become text nodes, never markup. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const svg = "http://www.w3.org/2000/svg";

/** Creates a decorative 24 × 24 icon in the current text color. */
export function icon(path: string): SVGElement {
  const drawing = document.createElementNS(svg, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svg, "path");
  line.setAttribute("d", path);
  drawing.append(line);
  return drawing;
}
