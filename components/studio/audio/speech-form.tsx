'use client'

import { useQuery } from '@tanstack/react-query'
import { canHearLive } from '@/components/studio/audio/live'
import { ModelState } from '@/components/studio/audio/model-state'
import { chosenOf, type SpeechModel, speechModelsQuery } from '@/components/studio/audio/models'
import { SpeedField } from '@/components/studio/audio/speed-field'
import { VoiceField } from '@/components/studio/audio/voice-field'
import { type KeptBack, type MakeOptions, make } from '@/components/studio/generation-store'
import { changeSettings, type MediaForm, useMediaForm } from '@/components/studio/media-form'
import { Choices, More, PromptField } from '@/components/studio/parts/fields'
import { MakeBar, type PriceBefore } from '@/components/studio/parts/make-bar'
import { ModelField } from '@/components/studio/parts/model-field'
import { Toggle } from '@/components/ui/toggle'
import { voiceCost } from '@/lib/browser/format/voice-cost'
import { useIsOnline } from '@/lib/browser/offline'
import type { CreationSettings } from '@/lib/browser/storage/generations'
import { MAX_SPEECH_CHARS, MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { msg, plural, t } from '@/lib/i18n/t'

/** What formats are for, for those who do not know them. */
const FORMAT_ABOUT: Readonly<Record<string, string>> = {
  mp3: msg('Plays everywhere'),
  opus: msg('Smallest file'),
  aac: msg('Small, for phones'),
  flac: msg('Lossless, half the size'),
  wav: msg('Lossless, for editing'),
  pcm: msg('Raw samples, for developers'),
}
/** Source: API contract, audio.md. */
const SPEED = { least: MIN_SPEED, most: MAX_SPEED }

/** What is to be said, by whom, and as what. */
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
              most={MAX_SPEECH_CHARS}
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
      <SpeedField value={Number(settings.speed)} {...SPEED} onChange={(speed) => changeSettings('speech', { speed })} />
      {model.formats.length > 0 && (
        <Choices
          label={t('Format')}
          value={format}
          options={model.formats.map((value) => ({
            value,
            label: value.toUpperCase(),
            ...(FORMAT_ABOUT[value] && { title: t(FORMAT_ABOUT[value]) }),
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

/** The price of a text, and what makes it heard. */
export function SpeechBar() {
  const [form] = useMediaForm('speech')
  const { data: models = [] } = useQuery(speechModelsQuery())
  const isOnline = useIsOnline()
  const model = chosenOf(models, form.modelId)
  const characters = form.prompt.length
  const start = async (options?: MakeOptions): Promise<KeptBack | undefined> => {
    if (!model) return undefined
    const draft = { kind: 'audio', task: 'speech', modelId: model.id, modelName: model.name } as const
    const asked = { ...draft, prompt: form.prompt, settings: speechSettings(model, form), inputs: [] }
    return await make(asked, { ...options, isFree: model.price === undefined })
  }
  return (
    <MakeBar
      price={priceOf(model, characters)}
      note={plural(characters, { one: '{count} character', other: '{count} characters' })}
      problem={isOnline ? problemOf(model, form.prompt) : t('You’re offline. Your text is saved.')}
      label={t('Generate speech')}
      onMake={start}
    />
  )
}

function priceOf(model: SpeechModel | undefined, characters: number): PriceBefore {
  if (!model) return { kind: 'unknown' }
  return model.price ? { kind: 'exact', usd: voiceCost(characters, model.price) } : { kind: 'free' }
}

function problemOf(model: SpeechModel | undefined, text: string): string | undefined {
  if (!model) return t('No model is connected.')
  if (model.isOffline) return t('{model} is currently unavailable.', { model: model.name })
  if (text.trim() === '') return t('Enter some text.')
  if (!/[\p{L}\p{N}]/u.test(text)) return t('The text has nothing to speak. Enter words or numbers.')
  if (text.length > MAX_SPEECH_CHARS) {
    return t('Enter up to {most} characters. For longer texts, use “Sound”.', { most: MAX_SPEECH_CHARS })
  }
  return undefined
}

/** What was chosen where the model has it, else what it does by itself. */
function speechSettings(model: SpeechModel, { settings }: Pick<MediaForm, 'settings'>): CreationSettings {
  const { voices, formats } = model
  const voice = voices.find((one) => one === settings.voice) ?? voices[0]
  const format = formats.find((one) => one === settings.format) ?? formats[0]
  return {
    speed: typeof settings.speed === 'number' ? settings.speed : 1,
    isLive: settings.isLive !== false,
    ...(voice !== undefined && { voice }),
    ...(format !== undefined && { format }),
  }
}
