import 'server-only'
import { getBase58Encoder } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { Rail } from '@/lib/services/chains/rails'
import { decodeTransaction, hashOf, instructionsOf, solanaKey } from '@/lib/services/payments/payment-solana'

/** What is read of a transaction as a node tells it. */
export type LandedTransaction = {
  wire: string
  loaded: readonly string[]
  inner: readonly { programIdIndex: number; accounts: readonly number[]; data: string }[]
  /** Owners of token accounts before, by the account's index. */
  owners: Map<number, string>
}

export type SolanaTransfer = { key: string; payer: string; amount: bigint }

/** Of the token program's instructions: the data's first byte, and where source, destination and authority stand. */
const TRANSFERS = new Map([
  [3, { source: 0, destination: 1, authority: 2 }],
  [12, { source: 0, destination: 2, authority: 3 }],
])

/**
 * The transfers to our token account in one transaction, by other programs' calls too, if it did not fail. A signed payment is the only one in
 * its transaction and has the message's hash as its key; where several wallets paid in one, each but the first is told by
 * its address too.
 */
export function transfersTo(account: string, landed: LandedTransaction, rail: Rail): SolanaTransfer[] {
  const { transaction, message } = decodeTransaction(landed.wire)
  const keys = [...(message.staticAccounts as readonly string[]), ...landed.loaded]
  const signers = new Set(keys.slice(0, message.header.numSignerAccounts))
  const base58 = getBase58Encoder()
  const called = landed.inner.map(({ programIdIndex, accounts, data }) => ({
    program: keys[programIdIndex] ?? '',
    accounts: accounts.map((index) => keys[index] ?? ''),
    data: Buffer.from(base58.encode(data)),
  }))
  const amounts = new Map<string, bigint>()
  for (const { program, accounts, data } of [...instructionsOf(message, landed.loaded), ...called]) {
    const places = TRANSFERS.get(data[0] ?? -1)
    if (program !== TOKEN_PROGRAM_ADDRESS || !places || data.length < 9) continue
    const source = accounts[places.source] ?? ''
    if (accounts[places.destination] !== account || source === account) continue
    // Who signed for the transfer pays; a program's transfer is told by who holds the account that it came from.
    const authority = accounts[places.authority] ?? ''
    const payer = signers.has(authority) ? authority : (landed.owners.get(keys.indexOf(source)) ?? authority)
    amounts.set(payer, (amounts.get(payer) ?? 0n) + data.readBigUInt64LE(1))
  }
  const key = solanaKey(rail, hashOf(transaction))
  return [...amounts]
    .filter(([payer, amount]) => amount > 0n && payer !== '' && payer !== rail.payTo)
    .map(([payer, amount], index) => ({ key: index === 0 ? key : `${key}:${payer}`, payer, amount }))
}
