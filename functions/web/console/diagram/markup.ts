import { serveDrawings } from "./frame.ts";

/** Elements that run, load or lead to something else. The content security policy forbids it, but would replace the page. */
const activeElements = "script, meta, base, link, iframe, object, embed";

serveDrawings(async ({ source }) => {
  // Pages expect a light background.
  document.documentElement.style.cssText = "color-scheme: light; background: #fff";
  const { head, body } = new DOMParser().parseFromString(source, "text/html");
  for (const part of [head, body]) {
    for (const element of part.querySelectorAll(activeElements)) element.remove();
    for (const link of part.querySelectorAll("a:not([href^='#'])")) link.removeAttribute("href");
  }
  return head.innerHTML + body.innerHTML;
});
