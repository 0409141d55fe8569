'use client'

import { ArrowUp, Square } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type KeyboardEvent, type SubmitEvent, useLayoutEffect, useRef, useState } from 'react'
import type { Chat } from '@/components/chat/use-chat'
import { COMPOSER_ID } from '@/components/shell/shortcuts'
import type { Kept } from '@/components/wallet/gate'
import { NEW_CHAT, useDraft } from '@/lib/client/drafts'
import type { ModelCard } from '@/lib/client/models'
import { usePreference } from '@/lib/client/preferences'

/** Fetched by those who have set a cap. */
const CapLine = dynamic(() => import('@/components/chat/cap-line').then((module) => module.CapLine), { ssr: false })

/** The share of the window that a long question may take before it scrolls in itself. */
const MAX_HEIGHT_SHARE = 0.4

type ComposerProps = { chatId: string | null; chat: Chat; model: ModelCard | undefined }

/** Where a question is written. Enter sends, Shift+Enter makes a line; what is written is kept until it is sent. */
export function Composer({ chatId, chat, model }: ComposerProps) {
  const [draft, setDraft] = useDraft(chatId ?? NEW_CHAT)
  const [cap] = usePreference('capPerMessage')
  const [isBeginning, setIsBeginning] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useFit(field, draft)
  const canSend = model !== undefined && !chat.isBusy && !isBeginning && draft.trim() !== ''

  const submit = async (event?: SubmitEvent<HTMLFormElement>) => {
    event?.preventDefault()
    if (!canSend) return
    // What was written stays in the field until it is on its way: a sign-in may come first, or be declined.
    setIsBeginning(true)
    const isBegun = await chat.send(draft.trim()).finally(() => setIsBeginning(false))
    if (isBegun) setDraft('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes, Enter picks a word; Safari says so by the key code only.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key !== 'Enter' || event.shiftKey || isComposing) return
    event.preventDefault()
    void submit()
  }
  return (
    <div className="composer sheet-grid shrink-0 pb-[max(0.5rem,env(safe-area-inset-bottom))] md:pb-4">
      <form
        onSubmit={(event) => void submit(event)}
        className="sheet-words row-start-2 flex items-end gap-2 rounded-composer border border-control bg-surface p-2 shadow-one transition-colors focus-within:border-accent"
      >
        <textarea
          ref={field}
          id={COMPOSER_ID}
          aria-label="Message"
          placeholder="Ask anything…"
          rows={1}
          enterKeyHint="send"
          autoComplete="off"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          className="thin-scroll min-h-10 flex-1 resize-none bg-transparent px-2 py-[7px] text-16 outline-none placeholder:text-ink-3"
        />
        {chat.isBusy ? (
          <button
            type="button"
            aria-label="Stop"
            title="Stop (Esc)"
            onClick={chat.stop}
            className={`${ROUND} bg-ink text-paper`}
          >
            <Square aria-hidden="true" className="size-3.5 fill-current" />
          </button>
        ) : (
          <button
            type="submit"
            aria-label="Send"
            title="Send (Enter)"
            disabled={!canSend}
            className={`${ROUND} bg-accent text-on-accent hover:bg-accent-strong disabled:bg-hover disabled:text-ink-3`}
          >
            <ArrowUp aria-hidden="true" className="size-[18px]" strokeWidth={2} />
          </button>
        )}
      </form>
      <p role="status" className="col-start-2 row-start-1 px-3 text-13 text-ink-2 not-empty:pb-2">
        {chat.kept && KEPT[chat.kept]}
      </p>
      {cap !== '' && (
        <p className="col-start-2 row-start-3 px-3 pt-1.5 text-end font-mono text-12 text-ink-2 empty:hidden">
          <CapLine chatId={chatId} draft={draft} model={model} />
        </p>
      )}
    </div>
  )
}

/** Why what was sent is still here. */
const KEPT: Record<Kept, string> = {
  'not-signed-in': 'Nothing was sent. Your message is kept here until you sign in.',
  'no-credit': 'Nothing was sent. Your message is kept here until there is credit.',
}

const ROUND =
  'inline-flex size-10 shrink-0 items-center justify-center rounded-[12px] transition-colors pointer-coarse:size-11'

/** Grows the field with its text. `field-sizing` would do it, but not in every browser yet. */
function useFit(field: React.RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight, window.innerHeight * MAX_HEIGHT_SHARE)}px`
  }, [field, text])
}
