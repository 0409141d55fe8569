/** How long a deletion can be taken back. */
export const UNDO_MS = 10_000
