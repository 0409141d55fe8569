import { type ClipboardEvent, type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { editLastQuestion } from '@/components/chat/composer/edit-last'
import { pastedIn } from '@/components/chat/composer/paste'
import { isEditKey, isSendKey } from '@/components/chat/composer/send-key'
import type { KeyTaker } from '@/components/chat/composer/suggestions'
import { type Trigger, triggerAt } from '@/components/chat/composer/trigger'
import { useFit } from '@/components/chat/composer/use-fit'
import { usePreference } from '@/lib/browser/preferences'
import { COMPOSER_ID } from '@/lib/browser/shortcut-handlers'
import { t } from '@/lib/i18n/t'

/** The list under the field; its options are named by it. */
const LIST_ID = 'composer-suggestions'

/** The list that the field has asked for, and what it says back. */
export type Offering = {
  trigger: Trigger | undefined
  /** Not asked for again until the word is another one. */
  dismiss: () => void
  keys: RefObject<KeyTaker | undefined>
  activeId: string | undefined
  setActiveId: (id: string | undefined) => void
  onCaret: (caret: number) => void
}

/** Which list the words before the caret ask for. */
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

/** Where a question is written. */
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
