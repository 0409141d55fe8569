/** Sharing by link, as the service and its pages agree on it. Safe in a browser. */

/** Ciphertext of a share at most, in bytes. */
export const MAX_SHARE_BYTES = 2 * 1024 * 1024

/** How long a link can be good for. */
export const LIFETIMES = { '1h': 3_600_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 } as const
export type Lifetime = keyof typeof LIFETIMES

/** The header with the secret that takes a share back. */
export const SECRET_HEADER = 'x-share-secret'

export const isShareId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id)

/** What a new share is called, and what takes it back. Times are ISO 8601. */
export type NewShare = { id: string; secret: string; expiresAt: string }
