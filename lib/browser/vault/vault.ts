import { DEFAULT_PREFERENCES, readPreference } from '@/lib/browser/preferences'
import { isWriting } from '@/lib/browser/running-answers'
import { db, HistoryDatabase, OPEN_NAME, PLAIN_NAME, vaultGate } from '@/lib/browser/storage/database'
import {
  keysOf,
  newDataKey,
  unwrapByPassphrase,
  type VaultKeys,
  wrapByPassphrase,
} from '@/lib/browser/vault/encryption'
import { hasMark, markVault, noteOpen } from '@/lib/browser/vault/flag'
import { type Memory, VaultGate } from '@/lib/browser/vault/gate'
import { clearPlain, copyOut, moveIn, type OnProgress, removeVault } from '@/lib/browser/vault/move-records'
import { type Change, VaultSession, VaultStore } from '@/lib/browser/vault/session'

const FREE_TRIES = 5
const FIRST_WAIT_MS = 2_000
const MAX_WAIT_MS = 60_000
const TEXT_KEY_PREFIXES = ['lagoon:draft', 'lagoon:queue']

/** Messages between tabs. Keys in them cannot be exported, and are never stored. */
type TabMessage = { kind: 'changed' | 'lock' | 'ask' | 'active' } | { kind: 'keys'; keys: VaultKeys }

let store: VaultStore | undefined
let session: VaultSession | undefined
let opening: Promise<void> | undefined
let openKeys: VaultKeys | undefined
let channel: BroadcastChannel | undefined
let isLocking = false
let isEmptying = false
const followers = new Set<(changes: readonly Change[]) => void>()

export const theStore = (): VaultStore => {
  store ??= new VaultStore()
  return store
}

export type VaultFound = { stage: 'filling' | 'on' | 'emptying'; hasPasskey: boolean; waitMs: number }

/** Returns what the lock screen begins with; nothing when the vault is gone, and the page reloads. */
export async function findVault(onProgress: OnProgress): Promise<VaultFound | undefined> {
  const state = await theStore().state.get('state')
  if (!state || state.stage === 'emptied') {
    await removeVault(theStore())
    markVault(false)
    window.location.reload()
    return undefined
  }
  listen(onProgress)
  say({ kind: 'ask' })
  const hasPasskey = state.wraps.some(({ kind }) => kind === 'passkey')
  return { stage: state.stage, hasPasskey, waitMs: waitAfter(state.wrongTries, state.triedAt) }
}

export function waitAfter(wrongTries: number, triedAt: number, now = Date.now()): number {
  if (wrongTries < FREE_TRIES) return 0
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (wrongTries - FREE_TRIES))
  return Math.max(0, Math.min(wait, triedAt + wait - now))
}

export async function unlock(passphrase: string, onProgress: OnProgress): Promise<{ waitMs: number } | 'open'> {
  const state = await theStore().state.get('state')
  const waitMs = waitAfter(state?.wrongTries ?? 0, state?.triedAt ?? 0)
  if (waitMs > 0) return { waitMs }
  const dataKey = await dataKeyBy(passphrase)
  if (!dataKey) {
    const wrongTries = (state?.wrongTries ?? 0) + 1
    await theStore().state.update('state', { wrongTries, triedAt: Date.now() })
    return { waitMs: waitAfter(wrongTries, Date.now()) }
  }
  await theStore().state.update('state', { wrongTries: 0 })
  await openOnce(await keysOf(dataKey), onProgress)
  return 'open'
}

export async function dataKeyBy(passphrase: string) {
  const wraps = (await theStore().state.get('state'))?.wraps ?? []
  for (const wrap of wraps) {
    const dataKey = await unwrapByPassphrase(wrap, passphrase)
    if (dataKey) return dataKey
  }
  return undefined
}

/** Opens the vault of this page once, whichever tab has the keys, and resumes what was interrupted. */
export function openOnce(keys: VaultKeys, onProgress: OnProgress): Promise<void> {
  opening ??= openNow(keys, onProgress).catch((error: unknown) => {
    opening = undefined
    throw error
  })
  return opening
}

async function openNow(keys: VaultKeys, onProgress: OnProgress): Promise<void> {
  if (!vaultGate) return
  const stage = (await theStore().state.get('state'))?.stage
  isEmptying = stage === 'emptying'
  const opened = await openVault(keys, db, vaultGate, onProgress)
  session = opened
  if (stage === 'emptying') return turnOff(onProgress)
  // Also what a tab wrote that did not yet know of the vault.
  await moveIn(PLAIN_NAME, db, onProgress)
  removePlainTexts()
  if (stage === 'filling') {
    await opened.store.state.update('state', { stage: 'on' })
  }
  openKeys = keys
  say({ kind: 'keys', keys })
  noteOpen()
  lockWhenIdle({ lock, onUse: () => say({ kind: 'active' }) })
}

async function openVault(
  keys: VaultKeys,
  database: HistoryDatabase,
  gate: VaultGate,
  onProgress: OnProgress,
): Promise<VaultSession> {
  const { IDBFactory, IDBKeyRange } = await import('fake-indexeddb')
  const memory: Memory = { indexedDB: new IDBFactory(), IDBKeyRange }
  const opened = new VaultSession(theStore(), keys, database, memory, {
    onChange: (changes) => {
      for (const follower of followers) follower(changes)
    },
    onCommitted: () => say({ kind: 'changed' }),
    onGone: () => {
      if (!isEmptying) window.location.reload()
    },
  })
  await opened.open(gate, memory, onProgress)
  return opened
}

/** Locks every tab by reloading it; pending writes are stored first. */
export function lock(): Promise<void> {
  say({ kind: 'lock' })
  return leave()
}

async function leave(): Promise<void> {
  isLocking = true
  await session?.exclusively(async () => undefined)
  window.location.reload()
}

/** Restores the mark where localStorage lost it and the vault has chats, and reloads the page. */
export async function recoverMark(): Promise<void> {
  if (!hasMark() && (await holdsChats())) goOn()
}

async function holdsChats(): Promise<boolean> {
  const stage = (await theStore().state.get('state'))?.stage
  return stage !== undefined && stage !== 'emptied' && (await theStore().records.count()) > 0
}

function goOn(): void {
  markVault(true)
  window.location.reload()
}

export async function turnOn(passphrase: string, onProgress: OnProgress): Promise<void> {
  // One that was begun is gone on with: to begin anew would drop what it has.
  if (await holdsChats()) return goOn()
  const dataKey = newDataKey()
  const wrap = await wrapByPassphrase(dataKey, passphrase)
  const { records, counters, state } = theStore()
  await theStore().transaction('rw', records, counters, state, async () => {
    await records.clear()
    await counters.clear()
    await state.put({ id: 'state', stage: 'filling', wraps: [wrap], wrongTries: 0, triedAt: 0 })
  })
  // From here on other tabs wait for the passphrase, and so does this one should it be loaded anew.
  markVault(true)
  const gate = new VaultGate()
  const database = gate.guard(new HistoryDatabase(OPEN_NAME, gate.options))
  await openVault(await keysOf(dataKey), database, gate, () => undefined)
  await moveIn(PLAIN_NAME, database, onProgress)
  removePlainTexts()
  await state.update('state', { stage: 'on' })
  window.location.reload()
}

/** Moves all records back to plain storage, removes the vault, and reloads the page. */
export async function turnOff(onProgress: OnProgress): Promise<void> {
  if (!session) return
  isEmptying = true
  try {
    await copyOut(session, PLAIN_NAME, onProgress)
  } catch (error) {
    // In this order: a copy that is left would later count as something new.
    await clearPlain(PLAIN_NAME)
    await theStore().state.update('state', { stage: 'on' })
    isEmptying = false
    throw error
  }
  await removeVault(theStore())
  markVault(false)
  window.location.reload()
}

/** Encrypts the data key with another passphrase; no record is touched. False when the old one is wrong. */
export async function changePassphrase(old: string, next: string): Promise<boolean> {
  const dataKey = await dataKeyBy(old)
  if (!dataKey) return false
  const wrap = await wrapByPassphrase(dataKey, next)
  const others = ((await theStore().state.get('state'))?.wraps ?? []).filter(({ kind }) => kind !== 'passphrase')
  await theStore().state.update('state', { wraps: [wrap, ...others] })
  return true
}

function removePlainTexts(): void {
  for (const key of Object.keys(localStorage)) {
    if (TEXT_KEY_PREFIXES.some((prefix) => key.startsWith(prefix))) localStorage.removeItem(key)
  }
}

function say(message: TabMessage): void {
  channel ??= new BroadcastChannel('lagoon-vault')
  channel.postMessage(message)
}

function listen(onProgress: OnProgress): void {
  channel ??= new BroadcastChannel('lagoon-vault')
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'lock') void leave()
    else if (data.kind === 'changed') void session?.refresh().catch(() => undefined)
    else if (data.kind === 'active') noteUse()
    else if (data.kind === 'ask' && openKeys && !isLocking) say({ kind: 'keys', keys: openKeys })
    else if (data.kind === 'keys' && !isLocking) void openOnce(data.keys, onProgress).catch(() => undefined)
  }
}

const TABLES = ['conversations', 'messages', 'parts']
const PAGE = 1_000

export async function feedRecords(give: (changes: readonly Change[]) => void): Promise<void> {
  if (!session) return
  give([])
  followers.add((changes) => {
    const wanted = changes.filter(({ table }) => TABLES.includes(table))
    if (wanted.length > 0) give(wanted)
  })
  for (const table of TABLES) {
    for await (const records of session.pagesOf(table, PAGE)) {
      // One that was deleted meanwhile is not there; its key says nothing without a record.
      give(records.flatMap((record) => (record ? [{ table, key: '', record }] : [])))
    }
  }
}

const LOOK_EVERY_MS = 5_000
const TELL_EVERY_MS = 10_000
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

/** When this page, or another tab of it, was last used; Unix milliseconds. */
let usedAt = 0

function noteUse(): void {
  usedAt = Date.now()
}

/**
 * Locks once no tab was used for as long as the preference says, and no answer is being written.
 *
 * @param options.onUse is called at most every ten seconds while this page is used: other tabs are to know.
 */
function lockWhenIdle({ lock, onUse }: { lock: () => Promise<void>; onUse: () => void }): void {
  noteUse()
  let notifiedAt = 0
  const note = () => {
    noteUse()
    if (usedAt - notifiedAt < TELL_EVERY_MS) return
    notifiedAt = usedAt
    onUse()
  }
  for (const sign of SIGNS) window.addEventListener(sign, note, { passive: true, capture: true })
  const look = () => {
    if (isIdle(Date.now() - usedAt, readPreference('vaultIdle')) && !isWriting()) void lock()
  }
  setInterval(look, LOOK_EVERY_MS)
  // A device that slept has not looked meanwhile.
  document.addEventListener('visibilitychange', look)
}

/** @param limit whole minutes, or `never`. */
export const isIdle = (unusedMs: number, limit: string): boolean =>
  limit !== 'never' && unusedMs >= (Number(limit) || Number(DEFAULT_PREFERENCES.vaultIdle)) * 60_000
