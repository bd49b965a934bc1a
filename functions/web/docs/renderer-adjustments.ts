/**
 * Adjusts how the renderer creates elements; must be imported before it. Styles are set through the CSS object model, which a
 * content security policy without `unsafe-inline` allows, instead of through `style` attributes, which it forbids. Fields for
 * parameters get a label.
 * @see https://www.w3.org/TR/CSP3/#directive-style-src-attr
 */

const { setAttribute } = Element.prototype;
Element.prototype.setAttribute = function (name, value) {
  if (name === "style" && this instanceof HTMLElement) this.style.cssText = value;
  else setAttribute.call(this, name, value);
  if (name === "data-pname") setAttribute.call(this, "aria-label", value);
};

// lit parses the static parts of its templates with `innerHTML` and copies them with `importNode`. The content security
// policy blocks `style` attributes at parsing, so both methods are replaced.
const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML");
Object.defineProperty(HTMLTemplateElement.prototype, "innerHTML", {
  ...innerHtml,
  set(this: HTMLTemplateElement, html: string) {
    innerHtml?.set?.call(this, String(html).replace(/\sstyle\s*=\s*(["'])/g, " data-style=$1"));
  },
});

const { importNode } = Document.prototype;
Document.prototype.importNode = function <Copied extends Node>(this: Document, node: Copied, deep?: boolean): Copied {
  const copy = importNode.call(this, node, deep) as Copied;
  if (copy instanceof DocumentFragment) {
    for (const element of copy.querySelectorAll<HTMLElement>("[data-style]")) {
      element.style.cssText = element.dataset.style ?? "";
      element.removeAttribute("data-style");
    }
  }
  return copy;
} as typeof importNode;
