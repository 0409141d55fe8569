'use client'

import { useQuery } from '@tanstack/react-query'
import { Columns2, EyeOff, SlidersHorizontal, SquarePen } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useEffect } from 'react'
import { setSecondModel, useSecondModel } from '@/components/chat/asking/answer-store'
import { answeringPart, useChat, useSendOnline } from '@/components/chat/asking/use-chat'
import { Composer } from '@/components/chat/composer/composer'
import { ModelPicker } from '@/components/chat/models/model-picker'
import { Reserved } from '@/components/common/placeholders'
import { Slot } from '@/components/common/slots'
import { TopBar } from '@/components/common/top-bar'
import { Mark } from '@/components/common/wordmark'
import { IconButton } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import { isChanged, useSetup } from '@/lib/browser/chat-setup'
import { focusComposer, newChat, STOP_EVENT, useCommand } from '@/lib/browser/commands'
import { saveDraft } from '@/lib/browser/drafts'
import { atFirstSign } from '@/lib/browser/first-sign'
import { chosenModel, type ModelCard } from '@/lib/browser/models'
import { useChatId } from '@/lib/browser/navigation'
import { modelsQuery, sessionQuery } from '@/lib/browser/queries'
import { isTemporary, NEW_CHAT } from '@/lib/browser/storage/records'
import { isGone, useTemporary } from '@/lib/browser/temporary-chat'
import { pickModel, useNewModel, useWantedModel } from '@/lib/browser/wanted-model'
import { msg, t } from '@/lib/i18n/t'

const CompareStrip = dynamic(() => import('@/components/chat/turns/comparison').then((module) => module.CompareStrip), {
  ssr: false,
})

export function Chat() {
  const chatId = useChatId()
  const isNew = chatId === null
  const [isNextTemporary] = useTemporary()
  const isHidden = isNew ? isNextTemporary : isTemporary(chatId)
  const models = useQuery(modelsQuery())
  const list = models.data ?? []
  const model = chosenModel(list, useWantedModel(isHidden))
  const chat = useChat(chatId, model?.id)
  const second = useSecondModel()
  const answering = answeringPart.use(!isNew)
  useCopyCommands(!isNew)
  useStopEvent(chat.isBusy ? chat.stop : undefined)
  useSendOnline(chatId)
  useWarmUp()
  useNewModel(isNew)
  if (chatId && isGone(chatId)) {
    return (
      <>
        <TopBar>{null}</TopBar>
        {answering && <answering.GoneChat />}
      </>
    )
  }
  return (
    <>
      <TopBar>
        {chatId && answering && <answering.ChatTitle chatId={chatId} />}
        <ModelPicker models={models} model={model} onPick={pickModel} />
        {model && <Slot part="DataLeavingButton" chatId={chatId} model={model} />}
        {models.isPending && <Reserved className="max-sm:hidden" />}
        <Slot part="CharacterButton" chatId={chatId} />
        <CompareButton models={list} model={model} />
        {models.isPending && <Reserved className="max-sm:hidden" />}
        <SetupButton chatId={chatId} model={model} />
        {isNew && <TemporaryToggle />}
        {chatId && model && answering && <answering.ContextGauge chatId={chatId} model={model} />}
        {chatId && (
          <IconButton label={t('New chat')} onClick={newChat} className="ms-auto md:hidden">
            <SquarePen aria-hidden="true" />
          </IconButton>
        )}
      </TopBar>
      {isHidden && <TemporaryBanner isNew={isNew} />}
      <div
        className={`flex min-h-0 flex-1 flex-col ${isNew ? 'thin-scroll overflow-y-auto' : 'has-ledger relative'} ${isHidden ? 'm-2 mt-0 rounded-b-card border-2 border-t-0 border-dashed border-control' : ''}`}
      >
        {isNew && <EmptyState />}
        {chatId &&
          (answering ? (
            <answering.Thread key={chatId} chatId={chatId} chat={chat} models={list} onPickModel={pickModel} />
          ) : (
            <div className="flex-1" />
          ))}
        {second && model && <CompareStrip models={list} model={model} />}
        <Composer
          chatId={chatId}
          chat={chat}
          model={model}
          models={list}
          hasNoModel={models.isSuccess && list.length === 0}
          onPickModel={pickModel}
        />
        {isNew && <Starters />}
      </div>
    </>
  )
}

function useCopyCommands(isEnabled: boolean) {
  const load = () => import('@/components/chat/chat-commands')
  useCommand('copy-answer', () => void load().then(({ copyAnswer }) => copyAnswer()), { isEnabled })
  useCommand('copy-code', () => void load().then(({ copyCode }) => copyCode()), { isEnabled })
}

function useStopEvent(stop: (() => void) | undefined) {
  useEffect(() => {
    if (!stop) return
    const onStop = (event: Event) => {
      event.preventDefault()
      stop()
    }
    window.addEventListener(STOP_EVENT, onStop)
    return () => window.removeEventListener(STOP_EVENT, onStop)
  }, [stop])
}

function useWarmUp() {
  useEffect(
    () =>
      atFirstSign(() => {
        // Without a connection a chat that is opened says so.
        answeringPart.load().then(
          ({ loadLongThread }) => document.querySelector('aside a[href^="/c/"]') && void loadLongThread(),
          () => undefined,
        )
      }),
    [],
  )
}

function TemporaryToggle() {
  const [isOn, set] = useTemporary()
  return (
    <IconButton
      label={isOn ? t('Turn off temporary chat') : t("Temporary chat (Ctrl Shift ')")}
      aria-pressed={isOn}
      className="bar-tool aria-pressed:bg-hover aria-pressed:text-ink"
      onClick={() => set(!isOn)}
    >
      <EyeOff aria-hidden="true" />
      <span className="bar-label">{t('Temporary')}</span>
    </IconButton>
  )
}

function TemporaryBanner({ isNew }: { isNew: boolean }) {
  return (
    <p role="note" className="shrink-0 bg-ink px-4 py-1.5 text-center text-13 text-paper">
      {isNew
        ? t('Temporary chat. Not saved on this device; deleted when you close or reload the page.')
        : t('Temporary chat: deleted when you close or reload the page.')}
    </p>
  )
}

const modelPopover = createPart(() => import('@/components/chat/models/model-popover'))

type CompareButtonProps = { models: ModelCard[]; model: ModelCard | undefined }

function CompareButton({ models, model }: CompareButtonProps) {
  const second = useSecondModel()
  const { trigger, popover } = usePopover(modelPopover)
  const others = models.filter(({ id, isOffline }) => id !== model?.id && !isOffline)
  if (!model || others.length === 0) return null
  return (
    <>
      <IconButton
        {...trigger}
        label={t('Compare with another model')}
        aria-pressed={second !== undefined}
        className="bar-tool aria-pressed:text-accent max-sm:hidden"
      >
        <Columns2 aria-hidden="true" />
        <span className="bar-label">{t('Compare')}</span>
      </IconButton>
      {popover && (
        <popover.part.ModelPopover {...popover.props} models={others} chosenId={second} onPick={setSecondModel} />
      )}
    </>
  )
}

const setupPanel = createPart(() => import('@/components/chat/setup-panel'))

type SetupButtonProps = { chatId: string | null; model: ModelCard | undefined }

function SetupButton({ chatId, model }: SetupButtonProps) {
  const { settings } = useSetup(chatId)
  const { trigger, popover } = usePopover(setupPanel)
  const hasChanges = isChanged(settings)
  return (
    <>
      <span className="relative inline-flex">
        <IconButton
          {...trigger}
          label={hasChanges ? t('Chat settings, changed') : t('Chat settings')}
          className="bar-tool"
        >
          <SlidersHorizontal aria-hidden="true" />
          <span className="bar-label">{t('Chat settings')}</span>
        </IconButton>
        {hasChanges && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute end-1 top-1 size-2 pointer-coarse:end-2.5 pointer-coarse:top-2.5 rounded-chip bg-accent"
          />
        )}
      </span>
      {popover && <popover.part.SetupPanel {...popover.props} chatId={chatId} model={model} />}
    </>
  )
}

const STARTERS = [
  { label: msg('Explain the tides'), prompt: msg('Explain in simple words why there are two high tides a day.') },
  { label: msg('Compare two options'), prompt: msg('Compare cycling and taking the bus to work in a short table.') },
  {
    label: msg('Write a shell command'),
    prompt: msg('Write a shell command that lists the ten largest files in this folder and its subfolders.'),
  },
  { label: msg('Plan a weekend'), prompt: msg('Plan a quiet weekend by the sea for two on a small budget.') },
]

function EmptyState() {
  return (
    <div className="flex flex-1 flex-col justify-center px-4 pt-6 pb-6 [@media(width>=40rem)_and_(height>=40rem)]:flex-none [@media(width>=40rem)_and_(height>=40rem)]:pt-[22vh] max-md:[@media(height<26rem)]:py-3 md:flex-none md:pt-[22vh] md:pb-9">
      <Mark className="mx-auto mb-5 size-11 md:hidden [@media(height<26rem)]:hidden" />
      <h1 className="text-center font-serif text-[2rem] leading-9 font-[420] tracking-[-0.3px] text-balance max-md:[@media(height<26rem)]:text-24 md:text-40">
        {t('What would you like to know?')}
      </h1>
    </div>
  )
}

export function Starters() {
  const session = useQuery(sessionQuery())
  const [isTemporary] = useTemporary()
  const begin = (prompt: string) => {
    saveDraft(NEW_CHAT, prompt)
    focusComposer()
  }
  return (
    <div className="starters px-4">
      <ul
        aria-label={t('Conversation starters')}
        className="mx-auto flex max-w-180 flex-wrap justify-center gap-2 py-2"
      >
        {STARTERS.map(({ label, prompt }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => begin(t(prompt))}
              className="min-h-9 rounded-chip border border-line px-3.5 text-14 text-ink-2 transition-colors hover:border-control hover:text-ink pointer-coarse:min-h-11"
            >
              {t(label)}
            </button>
          </li>
        ))}
      </ul>
      <ul className="mx-auto mt-5 flex max-w-180 flex-wrap justify-center gap-x-6 gap-y-1 border-t border-line pt-4 pb-6 text-13 text-ink-3">
        <li>{isTemporary ? t('Nothing is stored on this device') : t('Chats stay on this device')}</li>
        <li>{t('No account needed')}</li>
        <li>{t('Every answer shows its cost')}</li>
        {session.data?.sandbox && <li>{t('Test credit: no real charges')}</li>}
      </ul>
    </div>
  )
}
