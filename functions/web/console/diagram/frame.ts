/** Drawing that the console requests from a page in a sandboxed frame. */
interface DrawRequest {
  readonly source: string;
  readonly isDark: boolean;
  /** Available width in pixels. */
  readonly width: number;
}

/** Reply of the page: the height of the drawing in pixels, or an error. */
export type DrawReply = { readonly height: number } | { readonly error: string };

/**
 * Serves requests for drawings. The page has an opaque origin and no connections (its content security policy), so what a
 * drawing contains can reach neither the console nor other hosts.
 * @param draw returns a drawing as SVG or HTML
 */
export function serveDrawings(draw: (request: DrawRequest) => Promise<string>): void {
  addEventListener("message", async ({ data, source }: MessageEvent<DrawRequest>) => {
    const reply = (message: DrawReply) => (source as Window).postMessage(message, "*");
    if (source !== parent) return;
    try {
      document.documentElement.style.colorScheme = data.isDark ? "dark" : "light";
      document.body.innerHTML = await draw(data);
      if (!document.body.firstElementChild) throw new Error("The drawing is empty.");
      reply({ height: Math.ceil(document.body.scrollHeight) });
    } catch (error) {
      document.body.replaceChildren();
      reply({ error: error instanceof Error ? error.message : String(error) });
    }
  });
}
