'use client'

import { useQuery } from '@tanstack/react-query'
import {
  type AudioModel,
  audioModelsQuery,
  audioProblem,
  audioQuoteBody,
  audioSettings,
  isReading,
} from '@/components/studio/audio/audio-model'
import { LanguageField, SpeedField, voiceLabel } from '@/components/studio/audio/fields'
import type { GenerateOptions, NotSent } from '@/components/studio/generation-store'
import { queueAudio } from '@/components/studio/jobs/queue'
import { changeSettings, type SettingChanges, useMediaForm } from '@/components/studio/media-form'
import { chosenOf } from '@/components/studio/models'
import { Choices, ModelField, ModelState, PromptField, RangeField } from '@/components/studio/parts/fields'
import { GenerateBar, priceBefore, useProblem, useQuote } from '@/components/studio/parts/generate-bar'
import { SelectField } from '@/components/ui/form-fields'
import { Toggle } from '@/components/ui/toggle'
import { formatLength } from '@/lib/browser/format/numbers'
import type { CreationSettings } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

const change = (changes: SettingChanges) => changeSettings('music', changes)

export function AudioForm() {
  const [form, changeForm] = useMediaForm('music')
  return (
    <ModelState query={useQuery(audioModelsQuery())} none={t('No music or sound model is connected.')}>
      {(models) => {
        const model = chosenOf(models, form.modelId)
        if (!model) return null
        const settings = audioSettings(model, form.settings)
        return (
          <>
            <ModelField models={models} value={model.id} onChange={(modelId) => changeForm({ modelId })} />
            <PromptField
              label={isReading(model) ? t('Text') : t('Sound description')}
              placeholder={
                isReading(model) ? t('A chapter, a speech, a letter…') : t('A slow tide, strings, a distant bell…')
              }
              value={form.prompt}
              onChange={(prompt) => changeForm({ prompt })}
              max={model.prompt.max}
              rows={isReading(model) ? 8 : 4}
            />
            <Lyrics model={model} settings={settings} />
            <Length model={model} settings={settings} />
            <Details model={model} settings={settings} />
          </>
        )
      }}
    </ModelState>
  )
}

type FieldProps = { model: AudioModel; settings: CreationSettings }

function Lyrics({ model: { lyrics, writesLyrics }, settings }: FieldProps) {
  if (!lyrics) return null
  return (
    <>
      {settings.writesLyrics !== true && (
        <PromptField
          label={lyrics.isRequired && !writesLyrics ? t('Lyrics') : t('Lyrics (optional)')}
          placeholder={t('Verse and chorus')}
          value={String(settings.lyrics ?? '')}
          onChange={(text) => change({ lyrics: text || undefined })}
          max={lyrics.max ?? Number.POSITIVE_INFINITY}
        />
      )}
      {writesLyrics && (
        <Toggle
          label={t('Generate lyrics')}
          hint={t('The model writes lyrics from the sound description.')}
          isOn={settings.writesLyrics === true}
          onChange={(isOn) => change({ writesLyrics: isOn || undefined })}
        />
      )}
    </>
  )
}

function Length({ model: { lengths }, settings }: FieldProps) {
  if (!lengths) return null
  const seconds = Number(settings.seconds)
  if ('options' in lengths) {
    if (lengths.options.length < 2) return null
    return (
      <Choices
        label={t('Length')}
        value={String(seconds)}
        options={lengths.options.map((value) => ({ value: String(value), label: formatLength(value * 1_000) }))}
        onChange={(value) => change({ seconds: Number(value) })}
      />
    )
  }
  return (
    <RangeField
      label={t('Length')}
      value={seconds}
      min={lengths.min}
      max={lengths.max}
      step={1}
      shown={formatLength(seconds * 1_000)}
      onChange={(value) => change({ seconds: Math.round(value) })}
    />
  )
}

function Details({ model, settings }: FieldProps) {
  const { voices, speed } = model
  return (
    <>
      {voices.length > 0 && (
        <SelectField
          label={t('Voice')}
          value={String(settings.voice ?? '')}
          options={voices.map((voice) => ({ value: voice, label: voiceLabel(voice) }))}
          onChange={(voice) => change({ voice })}
        />
      )}
      {speed && (
        <SpeedField
          value={Number(settings.speed)}
          min={speed.min}
          max={speed.max}
          onChange={(value) => change({ speed: value })}
        />
      )}
      {model.takesLanguage && (
        <LanguageField
          label={t('Language')}
          unset={t('Auto')}
          value={String(settings.language ?? '')}
          onChange={(code) => change({ language: code || undefined })}
        />
      )}
      {model.canBeInstrumental && (
        <Toggle
          label={t('Instrumental')}
          hint={t('No vocals.')}
          isOn={settings.isInstrumental === true}
          onChange={(isOn) => change({ isInstrumental: isOn || undefined })}
        />
      )}
      {model.canLoop && (
        <Toggle
          label={t('Seamless loop')}
          hint={t('The end blends into the start.')}
          isOn={settings.isLoop === true}
          onChange={(isOn) => change({ isLoop: isOn || undefined })}
        />
      )}
    </>
  )
}

export function AudioBar() {
  const [form] = useMediaForm('music')
  const { data: models = [] } = useQuery(audioModelsQuery())
  const model = chosenOf(models, form.modelId)
  const settings = model && audioSettings(model, form.settings)
  const quoted = useQuote('audio', model && settings && audioQuoteBody(model, { prompt: form.prompt, settings }))
  const start = async (options?: GenerateOptions): Promise<NotSent | undefined> =>
    model && (await queueAudio(model, form, options))
  const { price, note } = priceBefore(quoted)
  const problem = useProblem(
    model,
    t('You’re offline. Your text is saved.'),
    (chosen) => audioProblem(chosen, form) ?? quoted.problem,
  )
  return <GenerateBar price={price} note={note} problem={problem} onGenerate={start} />
}
