/** Header in which a sender signs the raw body, or a timestamp and the raw body. */
export interface SignatureHeader {
  readonly name: string;
  /** `sha256` by default. */
  readonly algorithm?: "sha256" | "sha1";
  /** `hex` by default. */
  readonly encoding?: "hex" | "base64";
  /** Prefix of each signature, such as `v1=`. A comma separates several; other entries are ignored. */
  readonly prefix?: string;
  readonly timestamp?: {
    /** Headers that can contain the timestamp; in the signature's own header, an entry with this prefix. */
    readonly names?: readonly string[];
    readonly prefix?: string;
    readonly unit: "seconds" | "iso";
    /** Text between the timestamp and the body. */
    readonly separator: string;
    /** A request without a timestamp is refused. */
    readonly isRequired?: boolean;
  };
}
