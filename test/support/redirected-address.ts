/** Returns the Node option that makes an instance and all its functions connect to localhost instead of an address. */
export function redirectedAddress(address: string): string {
  const code = `
    import { Socket } from "node:net";
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      for (const options of args.flat()) if (options?.host === "${address}") options.host = "127.0.0.1";
      return connect.apply(this, args);
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
