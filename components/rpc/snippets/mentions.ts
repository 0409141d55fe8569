import { NETWORKS, networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'

/** A network that a text names. */
export type Mention = { index: number; network: RpcNetwork }

/** More than these in one text decide nothing. */
const MAX_MENTIONS = 200

/** Names that people use for one network, beside its own two. As they are written: `base` is a word like any other. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  Sepolia: 'ethereum-sepolia',
  Holesky: 'ethereum-holesky',
  Amoy: 'polygon-amoy',
  Fuji: 'avalanche-fuji',
  BSC: 'bsc-mainnet',
  ...Object.fromEntries(
    NETWORKS.filter(({ isTestnet, group }) => !isTestnet && group !== 'Base').map(({ group, slug }) => [group, slug]),
  ),
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SHORT_NAMES),
  ...NETWORKS.flatMap(({ slug, group, name }): [string, string][] => [
    [slug, slug],
    [`${group} ${name}`, slug],
  ]),
])

/** Longest first, so that `Base Sepolia` is not read as `Sepolia`. */
const PATTERN = [...NAMES.keys()].toSorted((one, other) => other.length - one.length).join('|')

/** The networks that a text names, in order. */
export function mentionsIn(text: string): Mention[] {
  const mentions: Mention[] = []
  for (const { 0: name, index } of text.matchAll(new RegExp(`(?<![\\w-])(?:${PATTERN})(?![\\w-])`, 'g'))) {
    const network = networkOf(NAMES.get(name) ?? '')
    if (network) mentions.push({ index, network })
    if (mentions.length === MAX_MENTIONS) break
  }
  return mentions
}

/** What was named last before a place, else first after it. */
export function nearestMention(mentions: readonly Mention[], index: number): RpcNetwork | undefined {
  return (mentions.findLast((mention) => mention.index < index) ?? mentions[0])?.network
}
