'use client'

import { ArrowUp, Square } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type RefObject, type SubmitEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { answeringPart, type Chat } from '@/components/chat/asking/use-chat'
import type { CommandContext, Panel } from '@/components/chat/composer/commands'
import { Field, useOffering, withoutTrigger } from '@/components/chat/composer/field'
import { Toolbar } from '@/components/chat/composer/toolbar'
import { FileInput, useDrop } from '@/components/ui/file-input'
import type { GateRefusal } from '@/lib/browser/account-gate'
import { useSetup } from '@/lib/browser/chat-setup'
import { focusComposer, focusOnArrival } from '@/lib/browser/commands'
import { readDraft, restoreDraft, saveDraft, takeSentDraft, useDraft } from '@/lib/browser/drafts'
import { readyAttachments, useDraftFiles } from '@/lib/browser/files/draft-file-state'
import { ACCEPTED } from '@/lib/browser/files/limits'
import type { ModelCard } from '@/lib/browser/models'
import { NEW_CHAT, type Outgoing } from '@/lib/browser/storage/records'
import { NEW_TEMPORARY, useTemporary } from '@/lib/browser/temporary-chat'
import { msg, t } from '@/lib/i18n/t'

const ROUND =
  'inline-flex size-10 shrink-0 items-center justify-center rounded-[12px] transition-colors pointer-coarse:size-11'

const intake = () => import('@/components/chat/composer/intake')
const draftFiles = () => import('@/lib/browser/files/draft-files')
const openDraft = () => import('@/lib/browser/files/stored-draft-files')
const FileTray = dynamic(() => import('@/components/chat/composer/file-tray').then((m) => m.FileTray), { ssr: false })
const DropTarget = dynamic(() => import('@/components/chat/composer/file-tray').then((m) => m.DropTarget), {
  ssr: false,
})
const Suggestions = dynamic(() => import('@/components/chat/composer/suggestions').then((m) => m.Suggestions), {
  ssr: false,
})
const Dictation = dynamic(() => import('@/components/chat/composer/dictation').then((m) => m.Dictation), { ssr: false })
const DemoNote = dynamic(() => import('@/components/chat/composer/model-notes').then((m) => m.DemoNote), { ssr: false })
const NoModelNote = dynamic(() => import('@/components/chat/composer/model-notes').then((m) => m.NoModelNote), {
  ssr: false,
})
const Recorder = dynamic(() => import('@/components/common/recorder').then((m) => m.Recorder), { ssr: false })

type ComposerProps = {
  chatId: string | null
  chat: Chat
  model: ModelCard | undefined
  models: ModelCard[]
  /** The list of models is there, and empty. */
  hasNoModel: boolean
  onPickModel: (id: string) => void
}

export function Composer({ chatId, chat, model, models, hasNoModel, onPickModel }: ComposerProps) {
  const [isTemporary, setTemporary] = useTemporary()
  const draftId = chatId ?? (isTemporary ? NEW_TEMPORARY : NEW_CHAT)
  const [draft, setDraft] = useDraft(draftId)
  const files = useDraftFiles(draftId)
  const setup = useSetup(chatId)
  const offering = useOffering(draft)
  const [panel, setPanel] = useState<Panel>()
  const [doFilesFit, setDoFilesFit] = useState(false)
  const [isBeginning, setIsBeginning] = useState(false)
  const composer = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const take = useCallback(
    (picked: File[]) => void intake().then(({ takeFiles }) => takeFiles(draftId, picked)),
    [draftId],
  )
  const isDropping = useDrop(take)
  useStoredFiles(draftId)
  useEarlyText(field, draftId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each chat that is opened
  useEffect(focusOnArrival, [chatId])
  const hasQueue = chat.queued.length > 0
  // Fetched at the first sign of a person, with what sends: what waits is shown without a connection, too.
  const answering = answeringPart.use(hasQueue)

  const attachments = useMemo(() => readyAttachments(files), [files])
  const hasDraft = draft.trim() !== '' || files.length > 0
  useEffect(() => {
    // The estimate is its part, too; without it the message can be written all the same.
    if (hasDraft) answeringPart.load().catch(() => undefined)
  }, [hasDraft])
  const isReady = files.length === 0 || (doFilesFit && attachments.length === files.length)
  const canSend = model !== undefined && !isBeginning && hasDraft && isReady

  const clear = () => {
    setDraft('')
    if (files.length > 0) void draftFiles().then(({ clearDraftFiles }) => clearDraftFiles(draftId))
  }
  // What was typed or added while it was on its way was not sent.
  const clearSent = () => {
    takeSentDraft(draftId, draft)
    const ids = attachments.map(({ id }) => id)
    if (ids.length > 0) void draftFiles().then(({ clearDraftFiles }) => clearDraftFiles(draftId, ids))
  }
  const submit = async (event?: SubmitEvent<HTMLFormElement>) => {
    event?.preventDefault()
    if (!canSend) return
    const outgoing: Outgoing = { text: draft.trim(), attachments }
    // Without a connection a chat that is there lets it wait; a new one is begun when there is one.
    if (chat.isBusy || (chatId !== null && navigator.onLine === false)) {
      chat.enqueue(outgoing)
      return clearSent()
    }
    // What was written stays in the field until it is on its way: a sign-in may come first, or be declined.
    setIsBeginning(true)
    const isBegun = await chat.send(outgoing).finally(() => setIsBeginning(false))
    if (isBegun) clearSent()
  }
  const editQueued = (outgoing: Outgoing) => void restoreDraft(draftId, outgoing).then(focusComposer)
  const takeOutTrigger = () => {
    if (offering.trigger) setDraft(withoutTrigger(draft, offering.trigger))
  }
  const context: CommandContext = {
    ...{ setup, model, isTemporary, setTemporary, clear },
    isNew: chatId === null,
    isBusy: chat.isBusy,
    stop: chat.stop,
    open: setPanel,
    pickFiles: () => picker.current?.click(),
    write: (text) => {
      setDraft(text)
      offering.onCaret(text.length)
      focusComposer()
    },
  }
  return (
    <div ref={composer} className="composer sheet-grid shrink-0 pb-[max(0.5rem,env(safe-area-inset-bottom))] md:pb-4">
      <div className="col-start-2 row-start-1 min-w-0">
        {hasQueue && answering && <answering.QueueChips chat={chat} onEdit={editQueued} />}
        <p role="status" className="px-3 text-13 text-ink-2 not-empty:pb-2">
          {chat.refusal && t(NOT_SENT[chat.refusal])}
        </p>
      </div>
      <form
        onSubmit={(event) => void submit(event)}
        className="sheet-words relative row-start-2 grid grid-cols-[auto_minmax(0,1fr)_auto] items-end gap-x-1 rounded-composer border border-control bg-surface p-2 shadow-one transition-shadow focus-within:border-accent has-[textarea:focus]:ring-1 has-[textarea:focus]:ring-accent"
      >
        {files.length > 0 && (
          <FileTray {...{ chatId, draftId, files, model, models, onPickModel }} onFit={setDoFilesFit} />
        )}
        {offering.trigger && (
          <Suggestions
            {...{ context, models, onPickModel }}
            trigger={offering.trigger}
            keys={offering.keys}
            onActive={offering.setActiveId}
            takeOut={takeOutTrigger}
            onClose={offering.dismiss}
          />
        )}
        {panel === 'record' ? (
          <Recorder onDone={take} onClose={() => setPanel(undefined)} />
        ) : (
          <>
            <Field
              {...{ field, draft, setDraft, offering }}
              onSend={() => void submit()}
              onFiles={take}
              onLongPaste={(text, at) => void intake().then(({ takePaste }) => takePaste(draftId, text, at))}
              className="col-start-2 row-start-2 md:col-span-3 md:col-start-1"
            />
            {panel === 'dictate' ? (
              <Dictation {...{ field, setDraft }} onClose={() => setPanel(undefined)} />
            ) : (
              <>
                <Toolbar
                  {...{ chatId, setup, model, models, panel }}
                  onPanel={setPanel}
                  onPick={() => picker.current?.click()}
                />
                <SendButtons isBusy={chat.isBusy} onStop={chat.stop} {...{ canSend, hasDraft }} />
              </>
            )}
          </>
        )}
        <FileInput
          ref={picker}
          multiple
          hidden
          accept={ACCEPTED}
          aria-label={t('Files for this message')}
          onFiles={take}
        />
      </form>
      <p
        className={`col-start-2 row-start-3 min-h-[1.375rem] px-3 pt-1.5 text-end font-mono text-12 text-ink-2 ${
          // A line that came with the estimate would move Send away under a finger.
          hasDraft ? '' : 'max-md:empty:hidden'
        }`}
      >
        {answering && <answering.QueueFocus root={composer} field={field} />}
        {hasDraft && model
          ? answering && (
              <answering.EstimateLine {...{ chatId, draft, attachments, model, models }} settings={setup.settings} />
            )
          : model?.isDemo && <DemoNote />}
        {hasNoModel && <NoModelNote />}
      </p>
      {isDropping && <DropTarget model={model} />}
    </div>
  )
}

const NOT_SENT: Record<GateRefusal | 'offline', string> = {
  offline: msg('Not sent: you’re offline. Your draft is saved.'),
  'not-signed-in': msg('Not sent. Sign in to send your message. Your draft is saved.'),
  'no-credit': msg('Not sent. Add credit to send your message. Your draft is saved.'),
}

/** Takes over what was typed before the page's code ran, behind the stored draft. */
function useEarlyText(field: RefObject<HTMLTextAreaElement | null>, draftId: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is taken over
  useEffect(() => {
    const early = field.current?.value ?? ''
    const stored = readDraft(draftId)
    if (early !== '' && early !== stored) saveDraft(draftId, stored + early)
  }, [])
}

function useStoredFiles(draftId: string) {
  useEffect(() => {
    const timer = setTimeout(() => void openDraft().then(({ openDraftFiles }) => openDraftFiles(draftId)), 0)
    return () => clearTimeout(timer)
  }, [draftId])
}

type SendButtonsProps = { isBusy: boolean; canSend: boolean; hasDraft: boolean; onStop: () => void }

function SendButtons({ isBusy, canSend, hasDraft, onStop }: SendButtonsProps) {
  return (
    <div className="col-start-3 row-start-2 flex items-center gap-1.5 md:row-start-3">
      {isBusy && (
        <button
          type="button"
          aria-label={t('Stop')}
          title={t('Stop (Esc)')}
          onClick={onStop}
          className={`${ROUND} bg-ink text-paper`}
        >
          <Square aria-hidden="true" className="size-3.5 fill-current" />
        </button>
      )}
      {(!isBusy || hasDraft) && (
        <button
          type="submit"
          aria-label={isBusy ? t('Send after this answer') : t('Send')}
          title={isBusy ? t('Send after this answer (Enter)') : t('Send (Enter)')}
          disabled={!canSend}
          className={`${ROUND} bg-accent text-on-accent hover:bg-accent-strong disabled:bg-hover disabled:text-ink-3`}
        >
          <ArrowUp aria-hidden="true" className="size-[18px]" strokeWidth={2} />
        </button>
      )}
    </div>
  )
}
