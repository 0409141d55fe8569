import 'server-only'
import { isAddressEqual, type Log, parseAbi, parseEventLogs, type TransactionReceipt, zeroAddress } from 'viem'
import type { Rail } from '@/lib/services/chains/rails'
import { evmKey } from '@/lib/services/payments/payment-evm'

export const TOKEN_ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

export type EvmTransfer = { key: string; payer: string; amount: bigint }

const PREFIX_OF_DIRECT = 'tx'

/**
 * The transfers to us in one transaction, each under the key of its payment. The token says `AuthorizationUsed` right
 * before the transfer of that authorization, so several payments of one payer in one transaction are told apart, and a
 * plain transfer, which has its place in the transaction as its key, is none of them.
 */
export function transfersIn(receipt: Pick<TransactionReceipt, 'logs' | 'transactionHash'>, rail: Rail): EvmTransfer[] {
  const events = tokenEvents(receipt, rail)
  return events.flatMap((event, position) => {
    if (event.eventName !== 'Transfer') return []
    const { from, to, value } = event.args
    const isOurs = isAddressEqual(to, rail.payTo as `0x${string}`)
    if (!isOurs || value === 0n || isAddressEqual(from, to) || isAddressEqual(from, zeroAddress)) return []
    const before = events[position - 1]
    const isAuthorized = before?.eventName === 'AuthorizationUsed' && isAddressEqual(before.args.authorizer, from)
    const payer = from.toLowerCase()
    const key = isAuthorized
      ? evmKey(rail, payer, before.args.nonce)
      : `${rail.network}:${rail.asset}:${PREFIX_OF_DIRECT}:${receipt.transactionHash}:${position}`.toLowerCase()
    return [{ key, payer, amount: value }]
  })
}

/** Whether a transaction used an authorization up. */
export const hasUse = (receipt: Pick<TransactionReceipt, 'logs'>, rail: Rail, nonce: `0x${string}`): boolean =>
  tokenEvents(receipt, rail).some((event) => event.eventName === 'AuthorizationUsed' && event.args.nonce === nonce)

/** What the token itself said; any contract may use the names of its events. */
function tokenEvents({ logs }: Pick<TransactionReceipt, 'logs'>, rail: Rail) {
  const own = logs.filter((log) => isAddressEqual(log.address, rail.asset as `0x${string}`))
  return parseEventLogs({ abi: TOKEN_ABI, logs: own as Log[] })
}

/** The nonce in a payment's key; none in the key of a plain transfer. */
export function nonceOf(key: string): `0x${string}` | undefined {
  const [, , , from, nonce] = key.split(':')
  return from === PREFIX_OF_DIRECT ? undefined : (nonce as `0x${string}` | undefined)
}
