import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Address, address, type Blockhash, type EncodedAccount, getBase58Decoder, lamports } from '@solana/kit'
import { LiteSVM } from 'litesvm'
import { writePrivately } from '../atomic-write'
import { createHistory, type TransactionRecord } from './history.ts'

export type SolanaState = ReturnType<typeof openState>

export function openState(folder?: string) {
  // Blockhashes and repeats are judged here: LiteSVM knows the latest blockhash only.
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  const accounts = new Map<string, AccountRecord>()
  const history = createHistory()
  const genesis: Genesis = { seed: randomBytes(32).toString('hex'), startedAtMs: Date.now() }

  const place = (record: AccountRecord) => {
    if (record.lamports === '0') accounts.delete(record.address)
    else accounts.set(record.address, record)
  }
  for (const entry of folder === undefined ? [] : readJournal(folder)) {
    Object.assign(genesis, entry.genesis)
    entry.accounts?.forEach(place)
    if (entry.transaction) history.add(entry.transaction)
  }
  for (const record of accounts.values()) svm.setAccount(toAccount(record))

  function* current(): Iterable<Entry> {
    yield { genesis, accounts: [...accounts.values()] }
    for (const transaction of history.all()) yield { transaction }
  }
  const clock = createClock(genesis)
  const journal = folder === undefined ? noJournal() : openJournal(folder, current)

  const account = (at: Address): EncodedAccount | undefined => {
    const found = svm.getAccount(at)
    return found.exists && found.lamports > 0n ? found : undefined
  }

  return {
    svm,
    clock,
    history,
    account,
    tick(): number {
      const slot = clock.slot()
      const sysvar = svm.getClock()
      sysvar.slot = BigInt(slot)
      sysvar.unixTimestamp = BigInt(Math.floor(Date.now() / 1_000))
      svm.setClock(sysvar)
      return slot
    },
    put(written: EncodedAccount): void {
      svm.setAccount(written)
      const record = toRecord(written.address, written)
      place(record)
      journal.append({ accounts: [record] })
    },
    keep(transaction: NonNullable<Entry['transaction']>, addresses: Address[]): void {
      const changed = addresses.map((at) => toRecord(at, account(at)))
      changed.forEach(place)
      history.add(transaction)
      journal.append({ transaction, accounts: changed })
    },
    skipSlots(count: number): void {
      clock.skip(count)
      journal.append({ genesis })
    },
    close: () => journal.close(),
  }
}

function toRecord(at: Address, account: EncodedAccount | undefined): AccountRecord {
  return {
    address: at,
    owner: account?.programAddress ?? '',
    lamports: String(account?.lamports ?? 0n),
    data: Buffer.from(account?.data ?? []).toString('base64'),
    executable: account?.executable ?? false,
  }
}

function toAccount({ address: at, owner, lamports: amount, data, executable }: AccountRecord): EncodedAccount {
  const bytes = new Uint8Array(Buffer.from(data, 'base64'))
  return {
    address: address(at),
    programAddress: address(owner),
    lamports: lamports(BigInt(amount)),
    data: bytes,
    space: BigInt(bytes.length),
    executable,
  }
}

type AccountRecord = {
  address: string
  owner: string
  lamports: string
  data: string
  executable: boolean
}

type Entry = { genesis?: Genesis; accounts?: AccountRecord[]; transaction?: TransactionRecord }

type Journal = { append: (entry: Entry) => void; close: () => void }

const FILE = 'solana.jsonl'
const MAX_APPENDED_BYTES = 64 * 1024 * 1024

const noJournal = (): Journal => ({ append: () => undefined, close: () => undefined })

/** Reads a journal in order; a last line that was torn by a crash is dropped. */
function readJournal(folder: string): Entry[] {
  let text: string
  try {
    text = readFileSync(path.join(folder, FILE), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const lines = text.split('\n')
  // What follows the last line break is nothing, or torn.
  lines.pop()
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Entry
    } catch (cause) {
      throw new Error(`line ${index + 1} of ${path.join(folder, FILE)} is damaged`, { cause })
    }
  })
}

function openJournal(folder: string, current: () => Iterable<Entry>): Journal {
  const file = path.join(folder, FILE)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let appended = 0
  let descriptor = begin()

  function begin(): number {
    let text = ''
    for (const entry of current()) text += `${JSON.stringify(entry)}\n`
    writePrivately(file, text)
    appended = 0
    return openSync(file, 'a')
  }

  return {
    append(entry) {
      const line = `${JSON.stringify(entry)}\n`
      appendFileSync(descriptor, line)
      appended += line.length
      if (appended < MAX_APPENDED_BYTES) return
      closeSync(descriptor)
      descriptor = begin()
    },
    close: () => closeSync(descriptor),
  }
}

const SLOT_MS = 400
const BLOCKHASH_SLOTS = 150

type Genesis = { seed: string; startedAtMs: number }

/**
 * Slots of a chain without blocks: they pass with time, and each has a derived blockhash. Nothing ticks, and hashes
 * from before a restart stay known.
 */
function createClock(genesis: Genesis) {
  const recent = new Map<string, number>()
  let computed = -1

  const slot = () => Math.max(computed, 1 + Math.floor((Date.now() - genesis.startedAtMs) / SLOT_MS))
  const blockhashOf = (at: number) =>
    getBase58Decoder().decode(createHash('sha256').update(`${genesis.seed} ${at}`).digest()) as Blockhash

  const advance = (): number => {
    const latest = slot()
    for (let at = Math.max(computed + 1, latest - BLOCKHASH_SLOTS); at <= latest; at++) recent.set(blockhashOf(at), at)
    for (const [hash, at] of recent) {
      if (at >= latest - BLOCKHASH_SLOTS) break
      recent.delete(hash)
    }
    computed = latest
    return latest
  }

  return {
    slot: advance,
    latest: () => {
      const at = advance()
      return { blockhash: blockhashOf(at), lastValidBlockHeight: at + BLOCKHASH_SLOTS }
    },
    skip: (slots: number) => {
      genesis.startedAtMs -= slots * SLOT_MS
    },
    isRecent: (blockhash: string) => {
      advance()
      return recent.has(blockhash)
    },
  }
}
