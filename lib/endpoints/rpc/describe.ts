import { networkOf } from '@/lib/contract/rpc'

const MAX_NAMED = 3

/**
 * Describes a charge in a few words that need no translation: calls that ran at the same moment share one.
 *
 * @example describeRpc({ network: 'arbitrum-mainnet', calls: { eth_blockNumber: 18, eth_call: 1 } }) //
 * 'eth_blockNumber ×18, eth_call · Arbitrum'
 */
export function describeRpc({ network, calls }: { network: string; calls: Readonly<Record<string, number>> }): string {
  const known = networkOf(network)
  const place = known ? `${known.group}${known.isTestnet ? ` ${known.name}` : ''}` : network
  const methods = Object.entries(calls).sort(([a, often], [b, seldom]) => seldom - often || a.localeCompare(b))
  const names = methods.slice(0, MAX_NAMED).map(([method, count]) => (count > 1 ? `${method} ×${count}` : method))
  const more = methods.length > MAX_NAMED ? [`+${methods.length - MAX_NAMED}`] : []
  return `${names.length === 0 ? 'JSON-RPC' : [...names, ...more].join(', ')} · ${place}`
}
