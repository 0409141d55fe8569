import 'server-only'
import { createHash } from 'node:crypto'
import {
  type Address,
  address,
  type CompiledTransactionMessage,
  getBase64Decoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Transaction,
} from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import type { Rail } from '@/lib/services/chains/rails'
import { malformed, paymentError } from '@/lib/services/payments/errors'
import type { ReadPayload, TermChecks } from '@/lib/services/payments/payment-types'

const Payload = z.object({ transaction: z.string().regex(/^[A-Za-z0-9+/_-]{4,1700}={0,2}$/) })

/** Compute limit, compute price, transfer; then memos and guard instructions that wallets add. */
const MIN_INSTRUCTIONS = 3
const MAX_INSTRUCTIONS = 7
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111'
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'
const SET_COMPUTE_LIMIT = 2
const SET_COMPUTE_PRICE = 3
/** Micro-lamports a unit: the protocol's own bound on what the fee payer can be made to spend. */
const MAX_COMPUTE_PRICE = 5_000_000n
const TRANSFER_CHECKED = 12
const TRANSFER_CHECKED_BYTES = 10

type Instruction = { program: string; accounts: string[]; data: Buffer }

export async function readSolanaPayload(payload: unknown, rail: Rail, checks: TermChecks): Promise<ReadPayload> {
  const { transaction, message } = decode(payload)
  const [feePayer = '', ...rest] = message.staticAccounts as readonly string[]
  const instructions = instructionsOf(message)
  assertLayout(instructions)
  const [source, mint, destination, authority] = (instructions[2] as Instruction).accounts as [
    string,
    string,
    string,
    string,
  ]
  checks.assertAsset(mint)
  checks.assertRecipient(destination === (await receiverAccount(rail)))
  const amount = checks.assertAmount((instructions[2] as Instruction).data.readBigUInt64LE(1).toString())
  const signers = [feePayer, ...rest].slice(0, message.header.numSignerAccounts)
  assertPayer(authority, signers, [feePayer, rail.payTo], source !== destination)
  assertFeePayerAside(feePayer, instructions)
  const messageHash = hashOf(transaction)
  return {
    family: 'solana',
    key: solanaKey(rail, messageHash),
    payer: authority,
    amount,
    messageHash,
    feePayer,
    sourceAccount: source,
    payload: { transaction: getBase64Decoder().decode(getTransactionEncoder().encode(transaction)) },
  }
}

export const solanaKey = (rail: Rail, messageHash: string): string => `${rail.network}:${messageHash}`

export const hashOf = (transaction: Transaction): string =>
  createHash('sha256')
    .update(transaction.messageBytes as unknown as Uint8Array)
    .digest('hex')

export async function receiverAccount(rail: Rail): Promise<Address> {
  const owner = address(rail.payTo)
  const [account] = await findAssociatedTokenPda({
    owner,
    mint: address(rail.asset),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  return account
}

export function decodeTransaction(base64: string): { transaction: Transaction; message: CompiledTransactionMessage } {
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64))
  return { transaction, message: getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) }
}

export function instructionsOf(message: CompiledTransactionMessage, loaded: readonly string[] = []): Instruction[] {
  const keys: readonly string[] = [...message.staticAccounts, ...loaded]
  return message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
    program: keys[programAddressIndex] ?? '',
    accounts: accountIndices.map((index) => keys[index] ?? ''),
    data: Buffer.from(data ?? []),
  }))
}

function decode(payload: unknown) {
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) throw malformed('The payload is not a Solana transaction in base64.')
  try {
    // Buffer takes both alphabets and any padding; the codec takes the standard one only.
    const decoded = decodeTransaction(Buffer.from(parsed.data.transaction, 'base64').toString('base64'))
    if (!hasLookups(decoded.message)) return decoded
  } catch (cause) {
    throw malformed('The payload is not a Solana transaction in base64.', cause)
  }
  throw malformed('Transactions with address lookup tables are not taken: what they move cannot be read from them.')
}

const hasLookups = (message: CompiledTransactionMessage): boolean =>
  'addressTableLookups' in message && (message.addressTableLookups?.length ?? 0) > 0

function assertLayout(instructions: Instruction[]): void {
  const [limit, price, transfer, ...others] = instructions
  const isLayout =
    instructions.length >= MIN_INSTRUCTIONS &&
    instructions.length <= MAX_INSTRUCTIONS &&
    limit?.program === COMPUTE_BUDGET &&
    limit.data.length === 5 &&
    limit.data[0] === SET_COMPUTE_LIMIT &&
    price?.program === COMPUTE_BUDGET &&
    price.data.length === 9 &&
    price.data[0] === SET_COMPUTE_PRICE &&
    transfer?.program === TOKEN_PROGRAM_ADDRESS &&
    transfer.data.length === TRANSFER_CHECKED_BYTES &&
    transfer.data[0] === TRANSFER_CHECKED &&
    transfer.accounts.length === 4 &&
    others.every(({ program }) => program === MEMO || program === LIGHTHOUSE)
  if (!isLayout) {
    throw malformed('The transaction must be: compute limit, compute price, one TransferChecked, and memos at most.')
  }
  if (price.data.readBigUInt64LE(1) > MAX_COMPUTE_PRICE)
    throw malformed('The compute price is above 5 lamports a unit.')
}

function assertPayer(authority: string, signers: string[], others: string[], moves: boolean): void {
  if (signers.includes(authority) && !others.includes(authority) && moves) return
  throw paymentError(
    'INVALID_PAYMENT_PAYER',
    'The transfer must be signed by the wallet that pays, which may be neither the fee payer nor the receiver.',
  )
}

/** The fee payer signs whatever it is given: nothing but the fee may concern it. */
function assertFeePayerAside(feePayer: string, instructions: Instruction[]): void {
  const isInvolved = instructions.some(({ program, accounts }) => program === feePayer || accounts.includes(feePayer))
  if (isInvolved) throw malformed('The fee payer may not stand in any instruction of the transaction.')
}
