/** Bounds of one connection. Tests pass shorter ones. */
export type Limits = {
  /** Request line and headers together, in bytes. A wallet's credential header alone may take 12 KB. */
  headerBytes: number
  /** Until the headers are complete. */
  headersTimeoutMs: number
  /** Until the body is complete, unless it keeps coming at `bodyBytesPerSecond`. */
  bodyTimeoutMs: number
  /** Until the body is complete, at any speed. */
  uploadTimeoutMs: number
  bodyBytesPerSecond: number
  /** An idle connection between two requests. */
  keepAliveTimeoutMs: number
  /** A reply of which the client reads nothing. */
  writeStallMs: number
  /** How often unfinished heads and bodies are looked at. */
  checkIntervalMs: number
  connectionsPerAddress: number
  connections: number
  /** After so many requests the client opens a new connection, so that load spreads again. */
  requestsPerConnection: number
}

/** Source: docs/operators.md, "Limits". */
export const LIMITS: Limits = {
  headerBytes: 16_384,
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 60_000,
  uploadTimeoutMs: 300_000,
  bodyBytesPerSecond: 10_000,
  keepAliveTimeoutMs: 65_000,
  writeStallMs: 60_000,
  checkIntervalMs: 5_000,
  connectionsPerAddress: 100,
  connections: 10_000,
  requestsPerConnection: 10_000,
}
