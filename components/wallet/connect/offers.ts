import type { Family } from '@/lib/contract/chains'

/** A wallet that one family's discovery has found in this browser. */
export type FoundWallet = {
  family: Family
  /** Its reverse domain name on EVM, its name on Solana. */
  id: string
  name: string
  /** A data URL, as both standards ask; anything else is not shown. */
  icon?: string | undefined
}

/** What the built-in wallet is known by. */
export const TEST_WALLET = 'test'

/** One of the ways to connect a wallet: a family, and what that family knows it by. */
export type Way = Pick<FoundWallet, 'family' | 'id'>

/** A wallet as the list shows it: once, with the families that it speaks. */
export type WalletOffer = { name: string; icon?: string; ways: Way[]; isRecent: boolean }

/** How a way is kept between visits. */
export const wayKey = ({ family, id }: Way): string => `${family}:${id}`

/** The way that was kept, if one was. */
export function wayOf(key: string): Way | undefined {
  const [, family, id] = /^(evm|solana):(.+)$/s.exec(key) ?? []
  return family && id ? { family: family as Family, id } : undefined
}

/**
 * The list that people choose from: each wallet once, however often it announced itself and however many families it
 * speaks; the one of last time first, the others by name.
 */
export function walletOffers(found: Iterable<FoundWallet>, recentKey: string): WalletOffer[] {
  const offers = new Map<string, WalletOffer>()
  for (const { family, id, name, icon } of found) {
    const offer = offers.get(kinship(name)) ?? { name: name.trim(), ways: [], isRecent: false }
    // A second announcement of a family (a newer copy, the same extension twice) is the same wallet to a person.
    if (offer.ways.some((way) => way.family === family)) continue
    if (!offer.icon && icon?.startsWith('data:image/')) offer.icon = icon.trim()
    offer.ways = [...offer.ways, { family, id }].sort((one, other) => one.family.localeCompare(other.family))
    offer.isRecent ||= wayKey({ family, id }) === recentKey
    offers.set(kinship(name), offer)
  }
  return [...offers.values()].sort(
    (one, other) => Number(other.isRecent) - Number(one.isRecent) || one.name.localeCompare(other.name),
  )
}

/** One wallet may call itself `Trust` in one family and `Trust Wallet` in the other. */
const kinship = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/\s+wallet$/, '')
