import type { FailedTransactionMetadata } from 'litesvm'
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from './error-names'

/** Why a transaction failed, as a node says it. Source: Solana RPC, "TransactionError". */
export type TransactionError =
  | string
  | { InstructionError: [number, string | { Custom: number }] }
  | { DuplicateInstruction: number }
  | { InsufficientFundsForRent: { account_index: number } }

export function errorOf(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err()
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? 'SanitizeFailure'
  if ('err' in error) return { InstructionError: [error.index, instructionError(error.err())] }
  if ('accountIndex' in error) return { InsufficientFundsForRent: { account_index: error.accountIndex } }
  return { DuplicateInstruction: error.index }
}

/** In the words of a node's own error message. */
export function describe(error: TransactionError): string {
  if (error === 'AlreadyProcessed') return 'This transaction has already been processed'
  if (error === 'BlockhashNotFound') return 'Blockhash not found'
  if (typeof error === 'string') return error
  if ('InstructionError' in error) {
    const [index, cause] = error.InstructionError
    const what = typeof cause === 'string' ? cause : `custom program error: 0x${cause.Custom.toString(16)}`
    return `Error processing Instruction ${index}: ${what}`
  }
  return JSON.stringify(error)
}

type InstructionCause = ReturnType<Extract<ReturnType<FailedTransactionMetadata['err']>, { err: unknown }>['err']>

function instructionError(cause: InstructionCause): string | { Custom: number } {
  if (typeof cause === 'number') return INSTRUCTION_ERRORS[cause] ?? 'GenericError'
  return 'code' in cause ? { Custom: cause.code } : 'BorshIoError'
}
