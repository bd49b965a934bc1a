/** Part of `DataTransfer`, which `shared` does not know. */
interface Clipboard<File> {
  readonly files: Iterable<File>;
  getData(type: string): string;
}

/**
 * Returns the files of a paste that are to be attached. Office programs add a picture of copied cells to their text, and then
 * the text is pasted. File managers add the names or paths of copied files, and then the files are attached.
 */
export function pastedFiles<File extends { readonly name: string }>(clipboard: Clipboard<File> | null): File[] {
  const files = [...(clipboard?.files ?? [])];
  const lines = (clipboard?.getData("text/plain") ?? "").split(/[\r\n]/).map((line) => line.trim());
  return lines.every((line) => files.some(({ name }) => line === "" || line.endsWith(name))) ? files : [];
}
