import 'server-only'
import { getHeapStatistics } from 'node:v8'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import { perProcess } from '@/lib/kernel/per-process'
import { Semaphore } from '@/lib/kernel/semaphore'
import { MediaError } from '@/lib/services/media/media-error'

// Bytes of media in memory for all requests of this process: as received, decoded, and as sent to an engine.
const MAX_BYTES = Math.min(1024 * 1024 * 1024, Math.floor(getHeapStatistics().heap_size_limit / 2))
export const MAX_ACCOUNT_BYTES = Math.floor(MAX_BYTES / 2)
const MAX_TURNS = { file: 4, page: 10 } as const

type Account = { users: number; bytes: number; turns: Record<keyof typeof MAX_TURNS, Semaphore> }
export type Ledger = { bytes: number; accounts: Map<string, Account> }

export type MemoryReservation = {
  /**
   * Counts bytes until the returned function is called or the reservation is closed.
   *
   * @throws MediaError `busy` when the account or the process is at its limit.
   */
  reserve(bytes: number): () => void
  /** Waits until the account may read one more. The returned function ends the turn. @throws the signal's reason. */
  turn(kind: keyof typeof MAX_TURNS, signal: AbortSignal): Promise<() => void>
  close(): void
}

export function openMemoryReservation(
  accountId: string,
  ledger = perProcess('media-in-hand', createLedger),
): MemoryReservation {
  const account = ledger.accounts.get(accountId) ?? createAccount()
  ledger.accounts.set(accountId, account)
  account.users++
  let bytes = 0
  let isClosed = false
  const count = (more: number) => {
    bytes += more
    account.bytes += more
    ledger.bytes += more
  }
  return {
    reserve(more) {
      if (isClosed || account.bytes + more > MAX_ACCOUNT_BYTES || ledger.bytes + more > MAX_BYTES) {
        throw new MediaError('busy', 'Too many large files are being read at the moment. Try again in a few seconds.')
      }
      count(more)
      let isBack = false
      return () => {
        if (!isBack && !isClosed) count(-more)
        isBack = true
      }
    },
    turn: (kind, signal) => account.turns[kind].acquire(signal),
    close() {
      if (isClosed) return
      count(-bytes)
      isClosed = true
      account.users--
      if (account.users === 0) ledger.accounts.delete(accountId)
    },
  }
}

export const createLedger = (): Ledger => ({ bytes: 0, accounts: new Map() })

const createAccount = (): Account => ({
  users: 0,
  bytes: 0,
  turns: { file: new Semaphore(MAX_TURNS.file), page: new Semaphore(MAX_TURNS.page) },
})

type Options = {
  accountId: string
  left: AbortSignal
  deadlineMs?: number
  timeoutError: (cause: unknown) => unknown
  toCallerError: (error: unknown) => unknown
}

/** Runs work on media within a deadline, with a memory reservation that is closed at its end. */
export async function withMemoryAndDeadline<T>(
  options: Options,
  work: (memory: MemoryReservation, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { accountId, left, deadlineMs = WHOLE_REPLY_DEADLINE_MS, timeoutError, toCallerError } = options
  const late = AbortSignal.timeout(deadlineMs)
  const memory = openMemoryReservation(accountId)
  try {
    return await work(memory, AbortSignal.any([left, late]))
  } catch (error) {
    throw late.aborted && !left.aborted ? timeoutError(error) : toCallerError(error)
  } finally {
    memory.close()
  }
}
