import { serveDrawings } from "./frame.ts";

interface Mermaid {
  initialize(settings: object): void;
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

/** Library that the page loads before this program. */
declare const mermaid: Mermaid;

serveDrawings(async ({ source, isDark }) => {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    theme: isDark ? "dark" : "neutral",
    fontFamily: "system-ui, sans-serif",
  });
  const { svg } = await mermaid.render("diagram", source);
  return svg;
});
