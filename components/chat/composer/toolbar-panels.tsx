'use client'

import { AudioLines, Columns2, Drama, Mic, Paperclip } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { ReactNode, RefObject } from 'react'
import { setSecondModel, useHasSearchFailed, useSecondModel } from '@/components/chat/asking/answer-store'
import { openDictation, openRecorder, type Panel } from '@/components/chat/composer/commands'
import { Slot } from '@/components/common/slots'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import { Sheet } from '@/components/ui/modal'
import { useNarrow } from '@/components/ui/use-narrow'
import type { useSetup } from '@/lib/browser/chat-setup'
import { supportedKinds } from '@/lib/browser/files/model-refusals'
import { formatMoney } from '@/lib/browser/format/cost'
import type { Effort, ModelCard } from '@/lib/browser/models'
import type { Sources } from '@/lib/browser/storage/records'
import { WEB_SOURCE_PRICE } from '@/lib/contract/prices'
import { msg, t } from '@/lib/i18n/t'

const ModelPopover = dynamic(
  () => import('@/components/chat/models/model-popover').then((module) => module.ModelPopover),
  { ssr: false },
)

type ToolbarPanelsProps = {
  chatId: string | null
  setup: ReturnType<typeof useSetup>
  model: ModelCard | undefined
  models: ModelCard[]
  panel: Panel | undefined
  onPanel: (panel: Panel | undefined) => void
  onPick: () => void
  anchors: Record<'add' | 'sources' | 'think', RefObject<HTMLButtonElement | null>>
}

export function ToolbarPanels({ chatId, setup, model, models, panel, onPanel, onPick, anchors }: ToolbarPanelsProps) {
  const second = useSecondModel()
  const others = models.filter(({ id, isOffline }) => id !== model?.id && !isOffline)
  const close = () => onPanel(undefined)
  // A phone shows one button; what a command opens there hangs from it.
  const anchorOf = (own: RefObject<HTMLButtonElement | null>) => (own.current?.offsetParent ? own : anchors.add)
  return (
    <>
      <Floating isOpen={panel === 'add'} onClose={close} anchor={anchors.add} label={t('Add to this message')}>
        <AddPanel
          {...{ setup, model }}
          hasOthers={others.length > 0}
          onPick={() => {
            close()
            onPick()
          }}
          onOpen={onPanel}
        />
      </Floating>
      <Floating isOpen={panel === 'sources'} onClose={close} anchor={anchorOf(anchors.sources)} label={t('Sources')}>
        <SourcesPanel {...{ setup, model }} />
      </Floating>
      {model && (
        <Floating isOpen={panel === 'think'} onClose={close} anchor={anchorOf(anchors.think)} label={t('Thinking')}>
          <ThinkPanel {...{ setup, model }} />
        </Floating>
      )}
      {panel === 'character' && <Slot part="CharacterPicker" chatId={chatId} onClose={close} />}
      {panel === 'compare' && (
        <ModelPopover
          isOpen
          onClose={close}
          anchor={anchors.add}
          models={others}
          chosenId={second}
          onPick={setSecondModel}
        />
      )}
    </>
  )
}

type AddPanelProps = {
  setup: ReturnType<typeof useSetup>
  model: ModelCard | undefined
  hasOthers: boolean
  onPick: () => void
  onOpen: (panel: Panel) => void
}

function AddPanel({ setup, model, hasOthers, onPick, onOpen }: AddPanelProps) {
  const isPhone = useNarrow()
  const second = useSecondModel()
  return (
    <div>
      <Row icon={<Paperclip />} label={t('Images and files')} onClick={onPick}>
        {model && t('{model} accepts {kinds}.', { model: model.name, kinds: supportedKinds(model) })}
      </Row>
      <Row icon={<Mic />} label={t('Dictate')} onClick={() => openDictation(onOpen)}>
        {t('Turn your speech into text.')}
      </Row>
      <Row icon={<AudioLines />} label={t('Record audio')} onClick={() => openRecorder(onOpen)}>
        {t('Recordings stay on this device until you send them.')}
      </Row>
      <Row icon={<Drama />} label={t('Character')} onClick={() => onOpen('character')}>
        {t('Select a character for this chat.')}
      </Row>
      {isPhone && hasOthers && (
        <Row
          icon={<Columns2 />}
          label={second ? t('Change second model') : t('Second model')}
          onClick={() => onOpen('compare')}
        >
          {t('Both models answer. You pay for both.')}
        </Row>
      )}
      {isPhone && (
        <div className="mt-2 border-t border-line pt-1">
          <SourcesPanel setup={setup} model={model} />
        </div>
      )}
      {isPhone && model?.badges.includes('reasoning') && (
        <div className="mt-2 border-t border-line pt-1">
          <ThinkPanel setup={setup} model={model} />
        </div>
      )}
    </div>
  )
}

type RowProps = { icon: ReactNode; label: string; onClick: () => void; children: ReactNode }

function Row({ icon, label, onClick, children }: RowProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-11 w-full items-start gap-3 rounded-control px-2 py-2 text-start hover:bg-hover [&>svg]:mt-px [&>svg]:size-[18px] [&>svg]:shrink-0 [&>svg]:stroke-[1.5] [&>svg]:text-ink-3"
    >
      {icon}
      <span className="min-w-0">
        <span className="block text-14 text-ink">{label}</span>
        <span className="block text-12 text-ink-2 empty:hidden">{children}</span>
      </span>
    </button>
  )
}

type ThinkPanelProps = { setup: ReturnType<typeof useSetup>; model: ModelCard }

function ThinkPanel({ setup, model }: ThinkPanelProps) {
  const { settings, change } = setup
  const set = (value: Effort | 'own' | 'off') => {
    const { effort: _, isThinkingOff: __, ...rest } = settings
    if (value === 'off') change({ settings: { ...rest, isThinkingOff: true } })
    else change({ settings: value === 'own' ? rest : { ...rest, effort: value } })
  }
  return (
    <Choices<Effort | 'own' | 'off'>
      legend={t('Thinking is billed as output tokens.')}
      name="think"
      value={settings.isThinkingOff ? 'off' : (settings.effort ?? 'own')}
      onChange={set}
      choices={[
        { value: 'own', label: t('Model default'), hint: t('Uses the model’s own setting.') },
        ...model.efforts.map((effort) => ({
          value: effort,
          label: t(EFFORTS[effort].label),
          hint: t(EFFORTS[effort].hint),
        })),
        { value: 'off', label: t('Off'), hint: t('Answers right away, if supported.') },
      ]}
    />
  )
}

const EFFORTS: Record<Effort, { label: string; hint: string }> = {
  minimal: { label: msg('Minimal'), hint: msg('Very short thinking, for simple tasks.') },
  low: { label: msg('Low'), hint: msg('Short thinking.') },
  medium: { label: msg('Medium'), hint: msg('For most tasks.') },
  high: { label: msg('High'), hint: msg('Long thinking. Slower and more expensive.') },
}

type SourcesPanelProps = { setup: ReturnType<typeof useSetup>; model: ModelCard | undefined }

function SourcesPanel({ setup, model }: SourcesPanelProps) {
  const { settings, change } = setup
  const hasFailed = useHasSearchFailed()
  const price = formatMoney(WEB_SOURCE_PRICE)
  const sources = settings.sources ?? {}
  const set = (changes: { [Name in keyof Sources]: Sources[Name] | undefined }) => {
    const next = Object.entries({ ...sources, ...changes }).filter(
      ([, value]) => value !== undefined && value !== false,
    )
    const { sources: _, ...rest } = settings
    change({ settings: next.length > 0 ? { ...rest, sources: Object.fromEntries(next) as Sources } : rest })
  }
  if (model && !model.supportsWebSearch && !model.supportsXSearch) {
    return (
      <p className="p-2 text-14 text-ink-2">
        {t('{model} doesn’t support sources. Answers come from the model’s own knowledge.', { model: model.name })}
      </p>
    )
  }
  return (
    <div>
      {hasFailed && (
        <p role="note" className="mx-2 mt-2 mb-1 border-s-2 border-brass ps-2.5 text-13 text-brass">
          {t('The last web search failed. Answers may not use the web.')}
        </p>
      )}
      <Choices
        legend={t('Web search')}
        name="web"
        value={sources.web ?? 'off'}
        onChange={(web) => set({ web: web === 'off' ? undefined : web })}
        choices={[
          { value: 'off', label: t('Off'), hint: t('The model answers without searching the web.') },
          {
            value: 'auto',
            label: t('Auto'),
            hint: t('Searches when useful. {price} if results are found.', { price }),
          },
          {
            value: 'on',
            label: t('On'),
            hint: t('Searches for every message. {price} if results are found.', { price }),
          },
        ]}
      />
      <hr className="my-1.5 border-line" />
      <Switch
        label={t('Read links')}
        hint={t('Reads up to 5 links in your message instead of searching. {price} per page.', { price })}
        isOn={sources.readsLinks === true}
        onChange={(readsLinks) => set({ readsLinks })}
      />
      {model?.supportsXSearch && (
        <Switch
          label={t('Search X')}
          hint={t('Uses the model provider’s X search instead. {price} per result, up to 10 results.', { price })}
          isOn={sources.searchesX === true}
          onChange={(searchesX) => set({ searchesX })}
        />
      )}
    </div>
  )
}

type Choice<V extends string> = { value: V; label: string; hint?: ReactNode }
type ChoicesProps<V extends string> = {
  legend: string
  name: string
  choices: Choice<V>[]
  value: V
  onChange: (value: V) => void
}

function Choices<V extends string>({ legend, name, choices, value, onChange }: ChoicesProps<V>) {
  return (
    <fieldset className="min-w-0">
      <legend className="px-2 pt-2 pb-1 text-12 font-medium text-ink-3">{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={ROW}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            className="mt-[3px] size-4 shrink-0"
          />
          <LabelWithHint {...choice} />
        </label>
      ))}
    </fieldset>
  )
}

type SwitchProps = { label: string; hint?: ReactNode; isOn: boolean; onChange: (isOn: boolean) => void }

function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  return (
    <label className={ROW}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-[3px] size-4 shrink-0"
      />
      <LabelWithHint label={label} hint={hint} />
    </label>
  )
}

function LabelWithHint({ label, hint }: { label: string; hint?: ReactNode }) {
  return (
    <span className="min-w-0">
      <span className="block text-14 text-ink">{label}</span>
      {hint && <span className="block text-12 text-ink-2">{hint}</span>}
    </span>
  )
}

const ROW = 'flex min-h-9 items-start gap-2.5 rounded-control px-2 py-1.5 hover:bg-hover pointer-coarse:min-h-11'

type FloatingProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  label: string
  children: ReactNode
}

function Floating({ isOpen, onClose, anchor, label, children }: FloatingProps) {
  const isPhone = useNarrow()
  if (isPhone) {
    return (
      <Sheet isOpen={isOpen} onClose={onClose} title={label}>
        <div className="-mx-2 pt-3">{children}</div>
      </Sheet>
    )
  }
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor, label }}
      side="top"
      align="start"
      className={`${OVERLAY} thin-scroll max-h-[min(32rem,70dvh)] w-[min(20rem,calc(100vw-1rem))] overflow-y-auto p-1.5`}
    >
      {children}
    </AnchoredPopover>
  )
}
