import type { Family } from '@/lib/contract/chains'

export type FoundWallet = {
  family: Family
  /** Its reverse domain name on EVM, its name on Solana. */
  id: string
  name: string
  /** A data URL, as both standards ask; anything else is not shown. */
  icon?: string | undefined
}

/** Waits until `find` finds something, at once or after a change; undefined after `ms`. */
export function findWithin<T>(
  ms: number,
  find: () => T | undefined,
  onChange: (listener: () => void) => () => void,
): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<T | undefined>()
  const look = () => {
    const found = find()
    if (found !== undefined) resolve(found)
  }
  const timer = setTimeout(() => resolve(undefined), ms)
  const stop = onChange(look)
  look()
  return promise.finally(() => {
    clearTimeout(timer)
    stop()
  })
}

export const TEST_WALLET = 'test'

export type Way = Pick<FoundWallet, 'family' | 'id'>

/** A wallet in the list: once, with all the families that it supports. */
export type WalletOffer = { name: string; icon?: string; ways: Way[]; isRecent: boolean }

export const wayKey = ({ family, id }: Way): string => `${family}:${id}`

export function wayOf(key: string): Way | undefined {
  const [, family, id] = /^(evm|solana):(.+)$/s.exec(key) ?? []
  return family && id ? { family: family as Family, id } : undefined
}

/** Merges announcements into one entry per wallet: the last used one first, the others by name. */
export function walletOffers(found: Iterable<FoundWallet>, recentKey: string): WalletOffer[] {
  const offers = new Map<string, WalletOffer>()
  for (const { family, id, name, icon } of found) {
    const offer = offers.get(nameKey(name)) ?? { name: name.trim(), ways: [], isRecent: false }
    // A second announcement of a family (a newer copy, the same extension twice) is the same wallet to a person.
    if (offer.ways.some((way) => way.family === family)) continue
    if (!offer.icon && icon?.startsWith('data:image/')) offer.icon = icon.trim()
    offer.ways = [...offer.ways, { family, id }].sort((one, other) => one.family.localeCompare(other.family))
    offer.isRecent ||= wayKey({ family, id }) === recentKey
    offers.set(nameKey(name), offer)
  }
  return [...offers.values()].sort(
    (one, other) => Number(other.isRecent) - Number(one.isRecent) || one.name.localeCompare(other.name),
  )
}

// One wallet may call itself `Trust` in one family and `Trust Wallet` in the other.
const nameKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/\s+wallet$/, '')
