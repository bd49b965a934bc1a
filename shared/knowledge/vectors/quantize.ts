/** Returns the signs of the first dimensions of a vector, one bit each. */
export function toCode(vector: Float32Array, dimensions = vector.length): Uint8Array {
  const code = new Uint8Array(Math.ceil(Math.min(dimensions, vector.length) / 8));
  for (const [index, value] of vector.subarray(0, dimensions).entries()) {
    if (value > 0) code[index >>> 3] = (code[index >>> 3] ?? 0) | (1 << (index & 7));
  }
  return code;
}

/** Quantizes a vector to one byte per dimension, scaled so that the largest value becomes 127. */
export function toInt8(vector: Float32Array): Uint8Array {
  const max = vector.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) || 1;
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round((value / max) * 127)).buffer);
}

/** Returns the cosine similarity of a query vector of length 1 and a vector that `toInt8` quantized. */
export function int8Similarity(query: Float32Array, quantized: Uint8Array): number {
  const values = new Int8Array(quantized.buffer, quantized.byteOffset, quantized.byteLength);
  let product = 0;
  let square = 0;
  for (let index = 0; index < query.length; index++) {
    const value = values[index] ?? 0;
    product += (query[index] ?? 0) * value;
    square += value * value;
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}

/**
 * Returns a function that estimates the cosine similarity of a query and a binary code. It adds the query's values with the
 * signs of the code, which ranks better than counting equal bits; the scale is exact for normally distributed values. Sums
 * for every value of each code byte are computed once.
 * @param dimensions number of dimensions that the codes contain
 */
export function codeScorer(
  vector: Float32Array,
  dimensions = vector.length,
): (codes: Uint8Array, offset: number) => number {
  const query = vector.subarray(0, dimensions);
  const bytes = Math.ceil(query.length / 8);
  const sums = new Float32Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte++) {
    for (let bits = 0; bits < 256; bits++) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit++) {
        const value = query[byte * 8 + bit] ?? 0;
        sum += (bits & (1 << bit)) === 0 ? -value : value;
      }
      sums[byte * 256 + bits] = sum;
    }
  }
  const scale = Math.sqrt(Math.PI / 2 / query.length) / (Math.hypot(...query) || 1);
  return (codes, offset) => {
    let score = 0;
    for (let byte = 0; byte < bytes; byte++) score += sums[byte * 256 + (codes[offset + byte] ?? 0)] ?? 0;
    return score * scale;
  };
}
