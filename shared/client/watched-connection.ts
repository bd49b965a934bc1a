/** Window of the browser, whose event `offline` reports a lost network; in other runtimes its functions are undefined. */
const browser = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** Time without data after which a connection counts as lost. The service sends data at least every ten seconds. */
const MAX_SILENCE_MS = 25_000;

/** Connection that is aborted when the network is lost or when it is silent for too long. */
export interface WatchedConnection {
  readonly signal: AbortSignal;
  /** Reports that data has arrived. */
  noteActivity(): void;
  /** Closes the connection. */
  close(): void;
}

/** @param signal the caller's signal, which also aborts the connection */
export function watchConnection(signal?: AbortSignal | null): WatchedConnection {
  const connection = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const noteActivity = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new Error("The connection was silent for too long.")), MAX_SILENCE_MS);
  };
  // Browsers report lost networks immediately, while a connection can take minutes to fail.
  const abort = () => connection.abort(new Error("The network was lost."));
  browser.addEventListener?.("offline", abort);
  noteActivity();
  return {
    signal: signal ? AbortSignal.any([signal, connection.signal]) : connection.signal,
    noteActivity,
    close() {
      clearTimeout(timer);
      browser.removeEventListener?.("offline", abort);
      connection.abort();
    },
  };
}
