export const PATIENCE_MS = 60_000
