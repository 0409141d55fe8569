/** How long a test waits for what should come: far longer than it takes, since a busy machine may be ten times slower. */
export const PATIENCE_MS = 60_000
