import { create } from 'zustand'
import { readStored, writeStored } from '@/lib/browser/local-storage'
import { isTemporary, type Outgoing } from '@/lib/browser/storage/records'
import { isVaultOn } from '@/lib/browser/vault/flag'

const KEY_PREFIX = 'lagoon:draft:'
/** Longer drafts last as long as the page; localStorage holds about five million characters in all. */
const MAX_STORED_CHARS = 200_000
const SAVE_AFTER_MS = 250

const useDrafts = create<Record<string, string>>(() => ({}))
const unsaved = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

if (typeof window !== 'undefined') {
  // The first render shows what the server knew: nothing. From then on state is another object, which stored drafts join.
  useDrafts.setState({})
  window.addEventListener('pagehide', flush)
}

export function useDraft(chatId: string): [string, (draft: string) => void] {
  const draft = useDrafts((drafts) => (drafts === useDrafts.getInitialState() ? '' : readDraft(chatId)))
  return [draft, (next) => saveDraft(chatId, next)]
}

export function saveDraft(chatId: string, draft: string): void {
  useDrafts.setState({ [chatId]: draft })
  // What is typed in a chat that leaves no trace is never written down.
  if (isWritten(chatId)) {
    unsaved.add(chatId)
    timer ??= setTimeout(flush, SAVE_AFTER_MS)
  }
}

export function readDraft(chatId: string): string {
  const drafts = useDrafts.getState()
  // Of no news to whoever shows it: it was so before.
  drafts[chatId] ??= isWritten(chatId) ? (readStored(KEY_PREFIX + chatId) ?? '') : ''
  return drafts[chatId]
}

export function takeSentDraft(chatId: string, sent: string): void {
  const now = readDraft(chatId)
  if (now.startsWith(sent)) saveDraft(chatId, now.slice(sent.length).trimStart())
}

/** Puts what was not sent back into the draft, before what was typed since. */
export async function restoreDraft(chatId: string, { text, attachments }: Outgoing): Promise<void> {
  const since = readDraft(chatId)
  if (since !== text) saveDraft(chatId, [text, since].filter((part) => part.trim() !== '').join('\n\n'))
  if (attachments.length === 0) return
  const { putDraftFiles } = await import('@/lib/browser/files/draft-files')
  await putDraftFiles(chatId, attachments)
}

/** localStorage is synchronous, so this also works on `pagehide`. */
function flush(): void {
  clearTimeout(timer)
  timer = undefined
  for (const chatId of unsaved) {
    const draft = useDrafts.getState()[chatId] ?? ''
    const isStored = draft !== '' && draft.length <= MAX_STORED_CHARS
    writeStored(KEY_PREFIX + chatId, isStored ? draft : null)
  }
  unsaved.clear()
}

/** With the vault on nothing is stored in plain: a draft lasts until the page is locked. */
const isWritten = (chatId: string): boolean => !isTemporary(chatId) && !isVaultOn()
