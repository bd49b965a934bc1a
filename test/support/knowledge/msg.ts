import { burn } from "@kenjiuno/msgreader/lib/Burner.js";

/** Entry of a compound file: a stream if it has content, otherwise a storage. */
interface Entry {
  readonly name: string;
  readonly type: 1 | 2 | 5;
  readonly children?: number[];
  readonly binaryProvider?: () => Uint8Array;
  readonly length: number;
}

/** Message of Outlook to write. */
export interface SampleMsg {
  readonly subject: string;
  readonly body: string;
  readonly html?: string;
  readonly sender: string;
  readonly attachments: readonly (readonly [name: string, content: string])[];
}

/** Creates a message of Outlook: a compound file with a stream for each property. */
export function createMsg({ subject, body, html, sender, attachments }: SampleMsg): Uint8Array {
  const entries: Entry[] = [{ name: "Root Entry", type: 5, children: [], length: 0 }];
  const add = (parent: number, name: string, content?: Uint8Array): number => {
    const stream = content && { binaryProvider: () => Uint8Array.from(content) };
    const index = entries.push({
      name,
      type: content ? 2 : 1,
      length: content?.length ?? 0,
      ...(stream ?? { children: [] }),
    });
    entries[parent]?.children?.push(index - 1);
    return index - 1;
  };
  const addText = (parent: number, property: string, text: string) =>
    add(parent, `__substg1.0_${property}001F`, Buffer.from(text, "utf16le"));
  add(0, "__properties_version1.0", Buffer.alloc(32));
  addText(0, "0037", subject);
  addText(0, "1000", body);
  if (html) addText(0, "1013", html);
  addText(0, "0C1A", sender);
  for (const [index, [name, content]] of attachments.entries()) {
    const storage = add(0, `__attach_version1.0_#0000000${index}`);
    add(storage, "__properties_version1.0", Buffer.alloc(8));
    addText(storage, "3707", name);
    add(storage, "__substg1.0_37010102", Buffer.from(content));
  }
  return burn(entries);
}
