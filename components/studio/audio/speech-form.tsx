'use client'

import { useQuery } from '@tanstack/react-query'
import { type SpeechModel, speechModelsQuery } from '@/components/studio/audio/audio-model'
import { SpeedField, VoiceField } from '@/components/studio/audio/fields'
import { canHearLive } from '@/components/studio/audio/live'
import { type GenerateOptions, generate, type NotSent } from '@/components/studio/generation-store'
import { changeSettings, definedSettings, type MediaForm, useMediaForm } from '@/components/studio/media-form'
import { chosenOf } from '@/components/studio/models'
import { Choices, ModelField, ModelState, More, PromptField } from '@/components/studio/parts/fields'
import { GenerateBar, type PriceBefore, useProblem } from '@/components/studio/parts/generate-bar'
import { Toggle } from '@/components/ui/toggle'
import { voiceCost } from '@/lib/browser/format/cost'
import type { CreationSettings } from '@/lib/browser/storage/generations'
import { MAX_SPEECH_CHARS, MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { msg, plural, t } from '@/lib/i18n/t'

const FORMAT_ABOUT: Readonly<Record<string, string>> = {
  mp3: msg('Plays everywhere'),
  opus: msg('Smallest file'),
  aac: msg('Small, for phones'),
  flac: msg('Lossless, half the size'),
  wav: msg('Lossless, for editing'),
  pcm: msg('Raw samples, for developers'),
}

export function SpeechForm() {
  const [form, change] = useMediaForm('speech')
  return (
    <ModelState query={useQuery(speechModelsQuery())} none={t('No speech model is connected.')}>
      {(models) => {
        const model = chosenOf(models, form.modelId)
        if (!model) return null
        const settings = speechSettings(model, form)
        return (
          <>
            <PromptField
              label={t('Text')}
              placeholder={t('Text to speak')}
              value={form.prompt}
              onChange={(prompt) => change({ prompt })}
              max={MAX_SPEECH_CHARS}
              rows={6}
            />
            <VoiceField
              key={model.id}
              model={model}
              value={String(settings.voice ?? '')}
              onChange={(voice) => changeSettings('speech', { voice })}
            />
            <ModelField models={models} value={model.id} onChange={(modelId) => change({ modelId })} />
            <More>
              <SpeechDetails model={model} settings={settings} />
            </More>
          </>
        )
      }}
    </ModelState>
  )
}

function SpeechDetails({ model, settings }: { model: SpeechModel; settings: CreationSettings }) {
  const format = String(settings.format)
  return (
    <>
      <SpeedField
        value={Number(settings.speed)}
        min={MIN_SPEED}
        max={MAX_SPEED}
        onChange={(speed) => changeSettings('speech', { speed })}
      />
      {model.formats.length > 0 && (
        <Choices
          label={t('Format')}
          value={format}
          options={model.formats.map((value) => ({
            value,
            label: value.toUpperCase(),
            title: FORMAT_ABOUT[value] && t(FORMAT_ABOUT[value]),
          }))}
          onChange={(value) => changeSettings('speech', { format: value })}
        />
      )}
      <Toggle
        label={t('Play during generation')}
        hint={
          canHearLive(format)
            ? t('Playback starts with the first sentence.')
            : t('This format plays only when complete.')
        }
        isOn={settings.isLive === true}
        onChange={(isLive) => changeSettings('speech', { isLive })}
      />
    </>
  )
}

export function SpeechBar() {
  const [form] = useMediaForm('speech')
  const { data: models = [] } = useQuery(speechModelsQuery())
  const model = chosenOf(models, form.modelId)
  const characters = form.prompt.length
  const problem = useProblem(model, t('You’re offline. Your text is saved.'), (chosen) =>
    problemOf(chosen, form.prompt),
  )
  const start = async (options?: GenerateOptions): Promise<NotSent | undefined> => {
    if (!model) return undefined
    const draft = { kind: 'audio', task: 'speech', modelId: model.id, modelName: model.name } as const
    const request = { ...draft, prompt: form.prompt, settings: speechSettings(model, form), inputs: [] }
    return await generate(request, { ...options, isFree: model.price === undefined })
  }
  return (
    <GenerateBar
      price={priceOf(model, characters)}
      note={plural(characters, { one: '{count} character', other: '{count} characters' })}
      problem={problem}
      label={t('Generate speech')}
      onGenerate={start}
    />
  )
}

function priceOf(model: SpeechModel | undefined, characters: number): PriceBefore {
  if (!model) return { kind: 'unknown' }
  return model.price ? { kind: 'exact', usd: voiceCost(characters, model.price) } : { kind: 'free' }
}

function problemOf(model: SpeechModel, text: string): string | undefined {
  if (model.isOffline) return t('{model} is currently unavailable.', { model: model.name })
  if (text.trim() === '') return t('Enter some text.')
  if (!/[\p{L}\p{N}]/u.test(text)) return t('The text contains nothing to read aloud. Enter words or numbers.')
  if (text.length > MAX_SPEECH_CHARS) {
    return t('Enter up to {most} characters. For longer texts, use “Sound”.', { most: MAX_SPEECH_CHARS })
  }
  return undefined
}

// Returns the settings that apply to a model, with its defaults for what was not chosen.
function speechSettings(model: SpeechModel, { settings }: Pick<MediaForm, 'settings'>): CreationSettings {
  const { voices, formats } = model
  return definedSettings({
    speed: typeof settings.speed === 'number' ? settings.speed : 1,
    isLive: settings.isLive !== false,
    voice: voices.find((one) => one === settings.voice) ?? voices[0],
    format: formats.find((one) => one === settings.format) ?? formats[0],
  })
}
