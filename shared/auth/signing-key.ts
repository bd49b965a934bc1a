import { createECDH, createPrivateKey, hkdfSync, type KeyObject } from "node:crypto";
import { calculateJwkThumbprint, type JWTPayload, SignJWT } from "jose";
import type { PublicKey } from "../api/tools/servers.ts";

/** Order of the base point of P-256 (NIST SP 800-186, 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Length of the scalar before its reduction, with 128 bits more than the order has (FIPS 186-5, A.2.1). */
const SCALAR_BYTES = 48;

/** Key for signatures with ES256 that others verify. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  /** Public key with its thumbprint as `kid` (RFC 7638). */
  readonly jwk: PublicKey;
}

/**
 * Derives a P-256 key from a secret of the deployment, so that it is rotated with the secret and stored nowhere.
 * @param purpose binds the key to its use
 */
export async function deriveEs256Key(secret: string, purpose: string): Promise<SigningKey> {
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", `sign:${purpose}`, SCALAR_BYTES));
  const scalar = (BigInt(`0x${bytes.toString("hex")}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const key = { kty: "EC", crv: "P-256", x: String(x), y: String(y) } as const;
  const privateKey = createPrivateKey({ key: { ...key, d: d.toString("base64url") }, format: "jwk" });
  return { privateKey, jwk: { ...key, kid: await calculateJwkThumbprint(key), alg: "ES256", use: "sig" } };
}

/** Returns a JWT (RFC 7519) that is valid from now on for a number of seconds. */
export const signJwt = ({ privateKey, jwk }: SigningKey, claims: JWTPayload, seconds: number): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: jwk.kid, typ: "JWT" })
    .setIssuedAt()
    .setExpirationTime(`${seconds}s`)
    .sign(privateKey);
