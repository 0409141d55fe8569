import { createHash } from 'node:crypto'
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit'
import { INVALID_PARAMS, RpcError } from '../json-rpc'

type Message = Extract<CompiledTransactionMessage, { version: 'legacy' | 0 }> & CompiledTransactionMessageWithLifetime

export type Parsed = {
  bytes: Uint8Array
  transaction: Transaction
  message: Message
  accounts: Address[]
  signatures: string[]
  messageHash: string
}

const MEMO_PROGRAMS = ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo']
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111'
const SET_UNIT_LIMIT = 2
const SET_UNIT_PRICE = 3
const DEFAULT_UNITS_PER_INSTRUCTION = 200_000
const LAMPORTS_PER_SIGNATURE = 5_000

export function parseTransaction(wire: unknown, encoding: unknown): Parsed {
  if (typeof wire !== 'string') throw new RpcError(INVALID_PARAMS, 'Invalid params: a transaction is a string')
  try {
    const bytes = Uint8Array.from((encoding === 'base64' ? getBase64Encoder() : getBase58Encoder()).encode(wire))
    const transaction = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    assertSupported(message)
    return {
      bytes,
      transaction,
      message,
      accounts: [...message.staticAccounts],
      signatures: Object.values(transaction.signatures).map((bytes) =>
        getBase58Decoder().decode(bytes ?? new Uint8Array(64)),
      ),
      messageHash: createHash('sha256').update(Uint8Array.from(transaction.messageBytes)).digest('base64'),
    }
  } catch (error) {
    if (error instanceof RpcError) throw error
    throw new RpcError(INVALID_PARAMS, 'Invalid params: failed to deserialize the transaction')
  }
}

export function feeOf({ message, signatures, accounts }: Parsed): number {
  let limit: number | undefined
  let price = 0n
  for (const { programAddressIndex, data } of message.instructions) {
    if (accounts[programAddressIndex] !== COMPUTE_BUDGET || !data) continue
    const view = new DataView(Uint8Array.from(data).buffer)
    if (data[0] === SET_UNIT_LIMIT && data.length >= 5) limit = view.getUint32(1, true)
    if (data[0] === SET_UNIT_PRICE && data.length >= 9) price = view.getBigUint64(1, true)
  }
  const units = BigInt(limit ?? DEFAULT_UNITS_PER_INSTRUCTION * message.instructions.length)
  return LAMPORTS_PER_SIGNATURE * signatures.length + Number((units * price + 999_999n) / 1_000_000n)
}

export function memoOf({ message, accounts }: Parsed): string | null {
  const memos = message.instructions.flatMap(({ programAddressIndex, data }) =>
    MEMO_PROGRAMS.includes(accounts[programAddressIndex] ?? '')
      ? [`[${data?.length ?? 0}] ${new TextDecoder().decode(Uint8Array.from(data ?? []))}`]
      : [],
  )
  return memos.length === 0 ? null : memos.join('; ')
}

function assertSupported(message: CompiledTransactionMessage): asserts message is Message {
  if (message.version !== 'legacy' && message.version !== 0) {
    throw new RpcError(
      INVALID_PARAMS,
      `Invalid params: transactions of version ${message.version} are not supported here`,
    )
  }
  if (message.version === 0 && message.addressTableLookups?.length) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: address lookup tables are not supported here')
  }
}
