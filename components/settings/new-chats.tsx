'use client'

import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { DraftField } from '@/components/settings/general'
import { Choice } from '@/components/ui/form-fields'
import { PreferenceSetting, Setting } from '@/components/ui/setting'
import { MAX_PROMPT_CHARS, type NewChatSettings, useNewChatSettings } from '@/lib/browser/chat-setup'
import { usePreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'
import type { Sources } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

export function NewChats() {
  const [settings, change] = useNewChatSettings()
  return (
    <>
      <NewModel />
      <Setting id="new-prompt" isWide>
        <DraftField
          label={t('System prompt')}
          value={settings.systemPrompt ?? ''}
          onChange={(systemPrompt) => change({ systemPrompt })}
          maxLength={MAX_PROMPT_CHARS}
          placeholder={t('Answer briefly, in British English.')}
          rows={4}
        />
      </Setting>
      <NewSources sources={settings.sources ?? {}} onChange={(sources) => change({ sources })} />
      <Setting id="new-thinking" isWide>
        <Choice
          label={t('Default thinking effort')}
          value={thinkingOf(settings)}
          onChange={(wanted) => change(THINKING[wanted])}
          options={[
            { value: 'model', label: t('Model default') },
            { value: 'off', label: t('Off') },
            { value: 'low', label: t('Low') },
            { value: 'medium', label: t('Medium') },
            { value: 'high', label: t('High') },
          ]}
        />
      </Setting>
      <Suggestions />
    </>
  )
}

function Suggestions() {
  return <PreferenceSetting id="suggestions" preference="suggestions" labels={{ off: t('Off'), on: t('On') }} />
}

type Thinking = 'model' | 'off' | 'low' | 'medium' | 'high'

const THINKING: Record<Thinking, NewChatSettings> = {
  model: { effort: undefined, isThinkingOff: undefined },
  off: { effort: undefined, isThinkingOff: true },
  low: { effort: 'low', isThinkingOff: undefined },
  medium: { effort: 'medium', isThinkingOff: undefined },
  high: { effort: 'high', isThinkingOff: undefined },
}

function thinkingOf({ effort, isThinkingOff }: NewChatSettings): Thinking {
  if (isThinkingOff) return 'off'
  if (!effort) return 'model'
  return effort === 'minimal' ? 'low' : effort
}

function NewModel() {
  const [wanted, setWanted] = usePreference('newModel')
  const models = useQuery(modelsQuery())
  const id = useId()
  const isGone = wanted !== '' && models.isSuccess && !models.data.some((model) => model.id === wanted)
  return (
    <Setting id="new-model">
      <label htmlFor={id} className="sr-only">
        {t('Default model')}
      </label>
      <select
        id={id}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        className="min-h-11 w-full max-w-72 rounded-control border border-control bg-surface px-2 text-14 pointer-coarse:text-16"
      >
        <option value="">{t('Last used model')}</option>
        {wanted !== '' && !models.data?.some((model) => model.id === wanted) && (
          <option value={wanted}>{wanted}</option>
        )}
        {models.data
          ?.filter(({ isOffline }) => !isOffline)
          .map((model) => (
            <option key={model.id} value={model.id}>
              {model.name}
            </option>
          ))}
      </select>
      <p role="status" className="mt-2 text-13 text-ink-2 empty:hidden">
        {isGone && t('This model is no longer available. New chats start with the last used model.')}
        {models.isError && t('Models couldn’t be loaded. Reload the page.')}
      </p>
    </Setting>
  )
}

type NewSourcesProps = { sources: Sources; onChange: (sources: Sources) => void }

function NewSources({ sources, onChange }: NewSourcesProps) {
  return (
    <Setting id="new-sources" isWide>
      <Choice
        label={t('Web search in new chats')}
        value={sources.web ?? 'off'}
        onChange={(web) => onChange({ ...sources, web: web === 'off' ? undefined : web })}
        options={[
          { value: 'off', label: t('Off') },
          { value: 'auto', label: t('Auto') },
          { value: 'on', label: t('Always') },
        ]}
      />
      <div className="mt-3 flex flex-wrap gap-x-6">
        <Check
          label={t('Read links in messages')}
          isOn={sources.readsLinks === true}
          onChange={(readsLinks) => onChange({ ...sources, readsLinks })}
        />
        <Check
          label={t('Search X, if supported')}
          isOn={sources.searchesX === true}
          onChange={(searchesX) => onChange({ ...sources, searchesX })}
        />
      </div>
    </Setting>
  )
}

type CheckProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void }

function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label className="inline-flex min-h-9 items-center gap-2 text-14 pointer-coarse:min-h-11">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} className="size-4" />
      {label}
    </label>
  )
}
