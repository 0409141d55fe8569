import type { TransactionError } from './failure'

export type TokenBalance = {
  accountIndex: number
  mint: string
  owner: string
  programId: string
  uiTokenAmount: TokenAmount
}
export type TokenAmount = { amount: string; decimals: number; uiAmount: number; uiAmountString: string }

export type TransactionMeta = {
  err: TransactionError | null
  status: { Ok: null } | { Err: TransactionError }
  fee: number
  innerInstructions: InnerInstructions[]
  logMessages: string[]
  computeUnitsConsumed: number
  preBalances: number[]
  postBalances: number[]
  preTokenBalances: TokenBalance[]
  postTokenBalances: TokenBalance[]
  rewards: never[]
  loadedAddresses: { writable: never[]; readonly: never[] }
}
export type InnerInstructions = {
  index: number
  instructions: { programIdIndex: number; accounts: number[]; data: string; stackHeight: number }[]
}

export type TransactionRecord = {
  signature: string
  /** Base64 of the signed message's hash: a message lands once, whoever signed it. */
  messageHash: string
  slot: number
  blockTime: number
  wire: string
  accounts: string[]
  memo: string | null
  meta: TransactionMeta
}

const MAX_TRANSACTIONS = 20_000

export function createHistory() {
  const bySignature = new Map<string, TransactionRecord>()
  const messages = new Set<string>()
  const byAccount = new Map<string, string[]>()

  const forgetOldest = () => {
    const [oldest] = bySignature.values()
    if (!oldest) return
    bySignature.delete(oldest.signature)
    messages.delete(oldest.messageHash)
    for (const account of oldest.accounts) {
      const signatures = byAccount.get(account)
      signatures?.shift()
      if (signatures?.length === 0) byAccount.delete(account)
    }
  }

  return {
    add(record: TransactionRecord): void {
      bySignature.set(record.signature, record)
      messages.add(record.messageHash)
      for (const account of record.accounts) {
        const signatures = byAccount.get(account)
        if (signatures) signatures.push(record.signature)
        else byAccount.set(account, [record.signature])
      }
      if (bySignature.size > MAX_TRANSACTIONS) forgetOldest()
    },
    get: (signature: string) => bySignature.get(signature),
    hasMessage: (hash: string) => messages.has(hash),
    all: () => bySignature.values(),
    count: () => bySignature.size,
    ofAccount(account: string, limit: number, before?: string, until?: string): TransactionRecord[] {
      const signatures = (byAccount.get(account) ?? []).toReversed()
      const start = before === undefined ? 0 : signatures.indexOf(before) + 1
      if (before !== undefined && start === 0) return []
      const end = until === undefined ? -1 : signatures.indexOf(until)
      return signatures
        .slice(start, end < 0 ? undefined : end)
        .slice(0, limit)
        .flatMap((signature) => bySignature.get(signature) ?? [])
    },
  }
}
