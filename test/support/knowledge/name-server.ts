import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

/** Name server on localhost. */
export interface NameServer {
  readonly address: string;
  /** Number of queries so far. */
  readonly queries: number;
  stop(): void;
}

/**
 * Starts a name server (RFC 1035) that answers each query with the next list of IPv4 addresses, and with the last list from
 * then on.
 */
export async function startNameServer(answers: readonly (readonly string[])[]): Promise<NameServer> {
  const socket = createSocket("udp4");
  let queries = 0;
  socket.on("message", (query, { port, address }) => {
    const addresses = answers[Math.min(queries++, answers.length - 1)] ?? [];
    // The question ends five bytes after the empty label: terminator, type and class.
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, addresses.length, 0, 0, 0, 0]);
    // Pointer to the name, type A, class IN, TTL 0, four bytes.
    const records = addresses.map((ip) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([header, question, ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    get queries() {
      return queries;
    },
    stop: () => void socket.close(),
  };
}
