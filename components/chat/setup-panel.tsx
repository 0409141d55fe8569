'use client'

import { type RefObject, useId, useState } from 'react'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { Button } from '@/components/ui/button'
import { NumberField } from '@/components/ui/form-fields'
import { OVERLAY } from '@/components/ui/menu'
import { Sheet } from '@/components/ui/modal'
import { Toggle } from '@/components/ui/toggle'
import { useNarrow } from '@/components/ui/use-narrow'
import { isChanged, useSetup } from '@/lib/browser/chat-setup'
import { EFFORTS, type ModelCard } from '@/lib/browser/models'
import type { ChatSettings } from '@/lib/browser/storage/records'
import { msg, t } from '@/lib/i18n/t'

type SetupPanelProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  chatId: string | null
  model: ModelCard | undefined
}

const TITLE = msg('Chat settings')

export function SetupPanel({ isOpen, onClose, anchor, chatId, model }: SetupPanelProps) {
  const isPhone = useNarrow()
  const fields = <SetupFields key={chatId} chatId={chatId} model={model} />
  if (isPhone) {
    return isOpen ? (
      <Sheet isOpen onClose={onClose} title={t(TITLE)}>
        {fields}
      </Sheet>
    ) : null
  }
  return (
    <AnchoredPopover
      isOpen={isOpen}
      onClose={onClose}
      anchor={anchor}
      label={t(TITLE)}
      align="end"
      className={`${OVERLAY} thin-scroll max-h-[min(40rem,var(--radix-popover-content-available-height))] w-88 overflow-y-auto p-4 pt-3`}
    >
      <h2 className="text-14 font-medium">{t(TITLE)}</h2>
      {fields}
    </AnchoredPopover>
  )
}

type SetupFieldsProps = { chatId: string | null; model: ModelCard | undefined }

const EFFORT_LABELS = { minimal: msg('Minimal'), low: msg('Low'), medium: msg('Medium'), high: msg('High') } as const

const MAX_LENGTH = 1_000_000

function SetupFields({ chatId, model }: SetupFieldsProps) {
  const { settings, change } = useSetup(chatId)
  // A new key draws the fields anew, with what they have then.
  const [resets, setResets] = useState(0)
  const set = (changes: Partial<ChatSettings>) => change({ settings: withoutEmpty({ ...settings, ...changes }) })
  const reset = () => {
    change({ settings: withoutEmpty({ sources: settings.sources }) })
    setResets(resets + 1)
  }
  const canThink = model === undefined || model.badges.includes('reasoning') || model.efforts.length > 0
  return (
    <div key={resets} className="mt-3 space-y-4">
      <SystemPrompt text={settings.systemPrompt ?? ''} onChange={(systemPrompt) => set({ systemPrompt })} />
      <Toggle
        label={t('Service prompt')}
        hint={t('Adds today’s date and formatting hints before your prompt.')}
        isOn={!settings.isServicePromptOff}
        onChange={(isOn) => set({ isServicePromptOff: !isOn })}
      />
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label={t('Temperature')}
          hint={t('0–2. Lower is more predictable.')}
          value={settings.temperature}
          min={0}
          max={2}
          onChange={(temperature) => set({ temperature })}
        />
        <NumberField
          label={t('Top p')}
          hint={t('0–1. Lower is more focused.')}
          value={settings.topP}
          min={0}
          max={1}
          onChange={(topP) => set({ topP })}
        />
      </div>
      <NumberField
        label={t('Max answer length (tokens)')}
        hint={
          model?.maxOutputTokens
            ? t('Maximum for this model: {tokens} tokens.', { tokens: model.maxOutputTokens })
            : t('Longer answers are cut off. You can continue them.')
        }
        value={settings.maxOutputTokens}
        min={1}
        max={MAX_LENGTH}
        isWhole
        onChange={(maxOutputTokens) => set({ maxOutputTokens })}
      />
      {canThink && (
        <>
          <Effort value={settings.effort} model={model} onChange={(effort) => set({ effort })} />
          <Toggle
            label={t('Thinking')}
            hint={t('Without thinking, some models answer faster and cost less.')}
            isOn={!settings.isThinkingOff}
            onChange={(isOn) => set({ isThinkingOff: !isOn })}
          />
        </>
      )}
      <div className="flex items-center justify-between gap-3 border-t border-line pt-3">
        <p className="text-12 text-ink-3">{t('Applies from your next message.')}</p>
        <Button kind="plain" disabled={!isChanged(settings)} onClick={reset}>
          {t('Reset')}
        </Button>
      </div>
    </div>
  )
}

function SystemPrompt({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const id = useId()
  const [draft, setDraft] = useState(text)
  return (
    <div>
      <label htmlFor={id} className="text-14">
        {t('System prompt')}
      </label>
      <textarea
        id={id}
        dir={draft === '' ? undefined : 'auto'}
        rows={4}
        value={draft}
        placeholder={t('For example: Answer briefly, in plain words.')}
        onChange={(event) => {
          setDraft(event.target.value)
          onChange(event.target.value)
        }}
        className="thin-scroll mt-1 w-full resize-y rounded-control border border-control bg-surface px-2.5 py-2 text-14 placeholder:text-ink-3 pointer-coarse:text-16"
      />
      <p className="text-12 text-ink-3">{t('Sent before every message in this chat. Billed as input tokens.')}</p>
    </div>
  )
}

type EffortProps = {
  value: ChatSettings['effort']
  model: ModelCard | undefined
  onChange: (effort: ChatSettings['effort']) => void
}

function Effort({ value, model, onChange }: EffortProps) {
  const id = useId()
  const efforts = model ? model.efforts : EFFORTS
  if (efforts.length === 0) return null
  return (
    <div>
      <label htmlFor={id} className="text-14">
        {t('Thinking effort')}
      </label>
      <select
        id={id}
        value={value ?? ''}
        onChange={(event) => onChange(EFFORTS.find((effort) => effort === event.target.value))}
        className="mt-1 min-h-9 w-full rounded-control border border-control bg-surface px-2 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16"
      >
        <option value="">{t('Model default')}</option>
        {efforts.map((effort) => (
          <option key={effort} value={effort}>
            {t(EFFORT_LABELS[effort])}
          </option>
        ))}
      </select>
    </div>
  )
}

function withoutEmpty(settings: ChatSettings): ChatSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== '' && value !== false),
  )
}
