import type { FailedTransactionMetadata } from 'litesvm'

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

const TRANSACTION_ERRORS =
  `AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee
  AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure
  InvalidProgramForExecution SanitizeFailure ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit
  UnsupportedVersion InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit
  TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData
  InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit
  MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction
  ProgramCacheHitMaxLimit CommitCancelled`.split(/\s+/)

const INSTRUCTION_ERRORS =
  `GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds
  IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction
  ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified
  DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged
  AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError
  ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth
  MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded
  PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable
  IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner
  MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded
  BuiltinProgramsMustConsumeComputeUnits BorshIoError`.split(/\s+/)

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
