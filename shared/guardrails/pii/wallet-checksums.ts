import { createHash } from "node:crypto";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/** Valid checksum remainders of Bech32 (BIP 173) and Bech32m (BIP 350). */
const bech32Remainders: readonly number[] = [1, 0x2bc830a3];
const bech32Generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();

/** Validates a Bitcoin address in the older form (Base58Check) by the checksum of its 25 bytes. */
function isBase58Check(address: string): boolean {
  let number = 0n;
  for (const char of address) number = number * 58n + BigInt(BASE58.indexOf(char));
  const hex = number.toString(16).padStart(50, "0");
  if (hex.length > 50) return false;
  const bytes = Buffer.from(hex, "hex");
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

/** Validates a Bitcoin address that starts with `bc1` by its Bech32 or Bech32m checksum. */
function isBech32(address: string): boolean {
  // The prefix `bc`, expanded to its high bits, a zero and its low bits.
  const values = [3, 3, 0, 2, 3, ...Array.from(address.slice(3), (char) => BECH32.indexOf(char))];
  let remainder = 1;
  for (const value of values) {
    const top = remainder >>> 25;
    remainder = ((remainder & 0x1ffffff) << 5) ^ value;
    bech32Generators.forEach((generator, bit) => {
      if ((top >>> bit) & 1) remainder ^= generator;
    });
  }
  return bech32Remainders.includes(remainder);
}

/** Validates a Bitcoin address by its checksum. */
export const isWalletAddress = (address: string): boolean =>
  address.startsWith("bc1") ? isBech32(address) : isBase58Check(address);
