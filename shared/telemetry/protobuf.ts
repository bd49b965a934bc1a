/**
 * Wire types of Protobuf fields that this module supports.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const;

/** Encodes an integer as a varint, seven bits per byte; a negative integer as the 64 bits of its two's complement. */
function encodeVarint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

const encodeField = (field: number, type: keyof typeof wireTypes, ...content: readonly Uint8Array[]): Buffer =>
  Buffer.concat([encodeVarint(field * 8 + wireTypes[type]), ...content]);

/** Encodes a field with an integer, a Boolean (0 or 1) or a value of an enumeration. */
export const integerField = (field: number, value: number): Buffer => encodeField(field, "varint", encodeVarint(value));

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return encodeField(field, "fixed64", bytes);
}

export function doubleField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return encodeField(field, "fixed64", bytes);
}

export const bytesField = (field: number, content: Uint8Array): Buffer =>
  encodeField(field, "bytes", encodeVarint(content.length), content);

export const textField = (field: number, text: string): Buffer => bytesField(field, Buffer.from(text));

/** Encodes a field with a message, given the message's encoded fields. */
export const messageField = (field: number, fields: readonly Uint8Array[]): Buffer =>
  bytesField(field, Buffer.concat(fields));

/** Field of a message that `readFields` read. */
interface EncodedField {
  readonly field: number;
  /** Integer of a varint field; the bytes of any other field. */
  readonly value: bigint | Buffer;
}

function readVarint(message: Buffer, start: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let end = start, shift = 0n; shift < 70n; shift += 7n) {
    const byte = message.readUInt8(end++);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end };
  }
  throw new RangeError("Integer of more than ten bytes");
}

/**
 * Reads the fields of a message.
 * @throws RangeError if the message is malformed or has a wire type that is not supported
 */
export function readFields(message: Buffer): EncodedField[] {
  const fields: EncodedField[] = [];
  for (let position = 0; position < message.length; ) {
    const tag = readVarint(message, position);
    const [field, type] = [Number(tag.value >> 3n), Number(tag.value & 7n)];
    if (type === wireTypes.fixed64) {
      position = tag.end + 8;
      fields.push({ field, value: message.subarray(tag.end, position) });
      continue;
    }
    const { value, end } = readVarint(message, tag.end);
    position = type === wireTypes.bytes ? end + Number(value) : end;
    if (type > wireTypes.bytes || position > message.length) throw new RangeError("Field is malformed");
    fields.push({ field, value: type === wireTypes.bytes ? message.subarray(end, position) : value });
  }
  return fields;
}
