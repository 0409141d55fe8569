/** Sizes are decimal, as files and memory cards are sold: what a message names is the bound to the byte. */
export const MEGABYTE = 1_000_000
const KILOBYTE = 1_000

/** A size in words. @example formatBytes(25_262_144) // "25 MB" */
export function formatBytes(bytes: number): string {
  return bytes < MEGABYTE ? `${Math.floor(bytes / KILOBYTE)} KB` : `${Math.floor(bytes / MEGABYTE)} MB`
}
