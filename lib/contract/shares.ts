export const MAX_SHARE_BYTES = 2 * 1024 * 1024

export const LIFETIMES = { '1h': 3_600_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 } as const
export type Lifetime = keyof typeof LIFETIMES

export const isShareId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id)

export type NewShare = { id: string; secret: string; expiresAt: string }
