import { type ClipboardEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { COMPOSER_ID } from '@/lib/browser/commands'
import { usePreference } from '@/lib/browser/preferences'
import { t } from '@/lib/i18n/t'

const LIST_ID = 'composer-suggestions'

export type KeyTaker = (event: KeyboardEvent) => boolean

export type Offering = {
  trigger: Trigger | undefined
  dismiss: () => void
  keys: RefObject<KeyTaker | undefined>
  activeId: string | undefined
  setActiveId: (id: string | undefined) => void
  onCaret: (caret: number) => void
}

export function useOffering(draft: string): Offering {
  const [caret, setCaret] = useState(0)
  const [dismissed, setDismissed] = useState('')
  const [activeId, setActiveId] = useState<string>()
  const keys = useRef<KeyTaker>(undefined)
  const found = triggerAt(draft, Math.min(caret, draft.length))
  const name = found ? `${found.kind}${found.start}` : ''
  if (dismissed !== '' && dismissed !== name) setDismissed('')
  const trigger = found && dismissed !== name ? found : undefined
  return { trigger, dismiss: () => setDismissed(name), keys, activeId, setActiveId, onCaret: setCaret }
}

type FieldProps = {
  field: RefObject<HTMLTextAreaElement | null>
  draft: string
  setDraft: (draft: string) => void
  offering: Offering
  onSend: () => void
  onFiles: (files: File[]) => void
  onLongPaste: (text: string, at: { start: number; end: number }) => void
  className: string
}

export function Field({ field, draft, setDraft, offering, onSend, onFiles, onLongPaste, className }: FieldProps) {
  const [enterSends] = usePreference('enterSends')
  useFit(field, draft)
  const onKeyDown = (event: KeyboardEvent) => {
    if (offering.trigger && offering.keys.current?.(event)) return event.preventDefault()
    if (isSendKey(event, enterSends === 'on')) {
      event.preventDefault()
      onSend()
    } else if (isEditKey(event) && draft === '' && editLastQuestion()) {
      event.preventDefault()
    }
  }
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = pastedIn(event.clipboardData)
    if (!pasted) return
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    if (pasted.kind === 'files') onFiles(pasted.files)
    else onLongPaste(pasted.text, { start: selectionStart, end: selectionEnd })
  }
  return (
    <textarea
      ref={field}
      id={COMPOSER_ID}
      aria-label={t('Message')}
      dir={draft === '' ? undefined : 'auto'}
      aria-autocomplete="list"
      aria-haspopup="listbox"
      aria-controls={offering.trigger ? LIST_ID : undefined}
      aria-activedescendant={offering.trigger ? offering.activeId : undefined}
      placeholder={t('Ask anything…')}
      rows={1}
      enterKeyHint={enterSends === 'on' ? 'send' : 'enter'}
      autoComplete="off"
      value={draft}
      onChange={(event) => {
        offering.onCaret(event.target.selectionStart)
        setDraft(event.target.value)
      }}
      onSelect={(event) => offering.onCaret(event.currentTarget.selectionStart)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      className={`thin-scroll field-sizing-content max-h-[40vh] min-h-10 w-full resize-none bg-transparent px-2 py-[7px] text-16 outline-none placeholder:text-ink-3 ${className}`}
    />
  )
}

const EDIT_QUESTION = 'data-edit-question'

function editLastQuestion(): boolean {
  const last = [...document.querySelectorAll<HTMLElement>(`[${EDIT_QUESTION}]`)].at(-1)
  last?.click()
  return last !== undefined
}

/** The `max-h` class of the field says the same. */
const MAX_HEIGHT_SHARE = 0.4

/**
 * Grows the field with its text in browsers without `field-sizing`; elsewhere, measuring would lay out the page with
 * each key.
 */
function useFit(field: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight, window.innerHeight * MAX_HEIGHT_SHARE)}px`
  }, [field, text])
}

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey' | 'keyCode'> & {
  nativeEvent: Pick<globalThis.KeyboardEvent, 'isComposing'>
}

/** While an input method composes, its keys pick a word; Safari says so by the key code only. */
export const isComposing = (event: Key): boolean => event.nativeEvent.isComposing || event.keyCode === 229

function isEditKey(event: Key): boolean {
  const isModified = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey
  return event.key === 'ArrowUp' && !isModified && !isComposing(event)
}

export function isSendKey(event: Key, enterSends: boolean): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey || isComposing(event)) return false
  return enterSends || event.ctrlKey || event.metaKey
}

/** A word that opens a list while it is written: `/` at the start for a command, `@` for a model or a character. */
export type Trigger = { kind: '/' | '@'; query: string; start: number; end: number }

const COMMAND = /^\/([\p{L}\p{N}-]{0,32})$/u
const MENTION = /(?:^|\s)@([\p{L}\p{N}._:/-]{0,48})$/u

export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret)
  const command = COMMAND.exec(before)
  if (command) return { kind: '/', query: command[1] ?? '', start: 0, end: caret }
  const mention = MENTION.exec(before)
  if (!mention) return undefined
  const query = mention[1] ?? ''
  return { kind: '@', query, start: caret - query.length - 1, end: caret }
}

export function withoutTrigger(text: string, { start, end }: Trigger): string {
  return text.slice(0, start) + text.slice(end).replace(/^ /, '')
}

/** A longer text becomes a file. */
const LONG_PASTE_CHARS = 4_000

type Pasted = { kind: 'files'; files: File[] } | { kind: 'long-text'; text: string } | undefined

/** Decides what a paste brings. Office programs add a picture to their text; the text is meant. */
export function pastedIn(data: Pick<DataTransfer, 'files' | 'getData'>): Pasted {
  const text = data.getData('text/plain')
  const files = [...data.files]
  if (files.length > 0 && text.trim() === '') return { kind: 'files', files }
  return text.length > LONG_PASTE_CHARS ? { kind: 'long-text', text } : undefined
}
