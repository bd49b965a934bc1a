/**
 * Reads a stream whose body has no end, as after an error event.
 * @throws Error if the body ends in order, which clients take for a complete answer
 */
export async function readCutStream(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    return text;
  }
  throw new Error(`The body ended in order: ${text}`);
}
