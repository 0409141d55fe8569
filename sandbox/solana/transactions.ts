import { type Address, getBase58Decoder } from '@solana/kit'
import { FailedTransactionMetadata, type TransactionMetadata } from 'litesvm'
import { RpcError } from '../json-rpc'
import {
  describe,
  errorOf,
  type InnerInstructions,
  type TokenBalance,
  type TransactionError,
  type TransactionMeta,
} from './history.ts'
import { feeOf, memoOf, type Parsed } from './message'
import type { SolanaState } from './state'
import { amountOf, tokenOf } from './tokens'

const PREFLIGHT_FAILURE = -32002
const SIGNATURE_FAILURE = -32003

type Simulated = {
  err: TransactionError | null
  metadata: TransactionMetadata | undefined
  postAccounts: PostAccount[]
}
type PostAccount = ReturnType<
  Extract<ReturnType<SolanaState['svm']['simulateTransaction']>, { postAccounts: unknown }>['postAccounts']
>[number]

export function simulate(
  state: SolanaState,
  parsed: Parsed,
  { verifies, replacesBlockhash }: { verifies: boolean; replacesBlockhash: boolean },
): Simulated {
  const early = replacesBlockhash ? undefined : unfit(state, parsed)
  if (early !== undefined) return { err: early, metadata: undefined, postAccounts: [] }
  state.tick()
  state.svm.withSigverify(verifies)
  try {
    const result = state.svm.simulateTransaction(parsed.transaction)
    if (result instanceof FailedTransactionMetadata) {
      return { err: errorOf(result), metadata: result.meta(), postAccounts: [] }
    }
    return { err: null, metadata: result.meta(), postAccounts: result.postAccounts() }
  } catch {
    // A signature is missing.
    return { err: 'SignatureFailure', metadata: undefined, postAccounts: [] }
  } finally {
    state.svm.withSigverify(true)
  }
}

/**
 * Executes a transaction at once and finally, and returns its signature. One that cannot land is refused even without
 * preflight: a real node would accept it and never mention it again.
 *
 * @throws RpcError in a node's own codes and words.
 */
export function send(state: SolanaState, parsed: Parsed, { skipsPreflight }: { skipsPreflight: boolean }): string {
  const [signature] = parsed.signatures
  if (signature === undefined) throw new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure')
  if (skipsPreflight && state.history.get(signature)) return signature
  const { err, metadata } = simulate(state, parsed, { verifies: true, replacesBlockhash: false })
  if (err === 'SignatureFailure') throw new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure')
  if (err !== null && !(skipsPreflight && lands(err))) throw preflightFailure(err, metadata)

  const slot = state.tick()
  const before = balances(state, parsed.accounts)
  const result = state.svm.sendTransaction(parsed.transaction)
  const isFailed = result instanceof FailedTransactionMetadata
  const meta = isFailed ? result.meta() : result
  const after = balances(state, parsed.accounts)
  const record = {
    signature,
    messageHash: parsed.messageHash,
    slot,
    blockTime: Math.floor(Date.now() / 1_000),
    wire: Buffer.from(parsed.bytes).toString('base64'),
    accounts: parsed.accounts,
    memo: memoOf(parsed),
    meta: metaOf(isFailed ? errorOf(result) : null, meta, feeOf(parsed), before, after),
  }
  state.keep(record, parsed.accounts)
  return signature
}

export function innerInstructions(meta: TransactionMetadata): InnerInstructions[] {
  return meta
    .innerInstructions()
    .map((calls, index) => ({
      index,
      instructions: calls.map((call) => {
        const instruction = call.instruction()
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: getBase58Decoder().decode(instruction.data()),
          stackHeight: call.stackHeight(),
        }
      }),
    }))
    .filter(({ instructions }) => instructions.length > 0)
}

function unfit(state: SolanaState, { message, messageHash }: Parsed): TransactionError | undefined {
  if (state.history.hasMessage(messageHash)) return 'AlreadyProcessed'
  return state.clock.isRecent(message.lifetimeToken) ? undefined : 'BlockhashNotFound'
}

/** A failure of the program itself is recorded on the chain, and its fee is paid. */
const lands = (error: TransactionError): boolean => typeof error === 'object' && 'InstructionError' in error

function preflightFailure(err: TransactionError, metadata: TransactionMetadata | undefined): RpcError {
  return new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${describe(err)}`, {
    accounts: null,
    err,
    innerInstructions: null,
    loadedAccountsDataSize: null,
    logs: metadata?.logs() ?? [],
    replacementBlockhash: null,
    returnData: null,
    unitsConsumed: Number(metadata?.computeUnitsConsumed() ?? 0n),
  })
}

type Balances = { lamports: number[]; tokens: TokenBalance[] }

function balances(state: SolanaState, accounts: Address[]): Balances {
  const found = accounts.map((at) => state.account(at))
  return {
    lamports: found.map((account) => Number(account?.lamports ?? 0n)),
    tokens: found.flatMap((account, accountIndex) => {
      const token = tokenOf(account)
      if (!account || !token) return []
      const uiTokenAmount = amountOf(state, token.mint, token.amount)
      return [{ accountIndex, mint: token.mint, owner: token.owner, programId: account.programAddress, uiTokenAmount }]
    }),
  }
}

function metaOf(
  err: TransactionError | null,
  meta: TransactionMetadata,
  fee: number,
  before: Balances,
  after: Balances,
): TransactionMeta {
  return {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee,
    innerInstructions: innerInstructions(meta),
    logMessages: meta.logs(),
    computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
    preBalances: before.lamports,
    postBalances: after.lamports,
    preTokenBalances: before.tokens,
    postTokenBalances: after.tokens,
    rewards: [],
    loadedAddresses: { writable: [], readonly: [] },
  }
}
