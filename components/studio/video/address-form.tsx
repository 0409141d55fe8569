'use client'

import { useQuery } from '@tanstack/react-query'
import { ModelState } from '@/components/studio/audio/model-state'
import { type HearingModel, hearingModelsQuery } from '@/components/studio/audio/models'
import { type KeptBack, type MakeOptions, make } from '@/components/studio/generation-store'
import { useMediaForm } from '@/components/studio/media-form'
import { MakeBar, type PriceBefore } from '@/components/studio/parts/make-bar'
import { TextField } from '@/components/ui/form-fields'
import { voiceCost } from '@/lib/browser/format/voice-cost'
import { useIsOnline } from '@/lib/browser/offline'
import { MAX_SENT_URL_CHARS, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/** The address of a film, or of a page that shows one, to be written down. */
export function AddressForm() {
  const [form, change] = useMediaForm('video-transcription')
  const fault =
    form.prompt.trim() === '' || isAddress(form.prompt)
      ? undefined
      : t('Enter a URL that starts with https:// or http://.')
  return (
    <ModelState query={useQuery(hearingModelsQuery())} none={t('No transcription model is connected.')}>
      {() => (
        <>
          <TextField
            label={t('Address')}
            value={form.prompt}
            onChange={(prompt) => change({ prompt })}
            fault={fault}
            maxLength={MAX_SENT_URL_CHARS}
            placeholder="https://"
          />
          <p className="text-13 text-ink-3">
            {t(
              'A video or audio URL, or a page that contains one, up to 10 minutes. Captions on the page are used for free; otherwise the audio is transcribed.',
            )}
          </p>
        </>
      )}
    </ModelState>
  )
}

/** What it costs at most, and what begins it. */
export function AddressBar() {
  const [form] = useMediaForm('video-transcription')
  const { data: models = [] } = useQuery(hearingModelsQuery())
  const isOnline = useIsOnline()
  // The service takes its own choice, which is the first.
  const [model] = models
  const start = async (options?: MakeOptions): Promise<KeptBack | undefined> => {
    if (!model) return undefined
    const asked = { kind: 'video', task: 'video-transcription', modelId: model.id, modelName: model.name } as const
    const draft = { ...asked, prompt: form.prompt.trim(), settings: {}, inputs: [] }
    return await make(draft, { ...options, isFree: model.price === undefined })
  }
  return (
    <MakeBar
      price={priceOf(model)}
      note={t('Billed per second. Captions are free.')}
      problem={isOnline ? problemOf(model, form.prompt) : t('You’re offline. Your text is saved.')}
      label={t('Transcribe')}
      onMake={start}
    />
  )
}

function priceOf(model: HearingModel | undefined): PriceBefore {
  if (!model) return { kind: 'unknown' }
  return model.price ? { kind: 'at-most', usd: voiceCost(MAX_VIDEO_SECONDS, model.price) } : { kind: 'free' }
}

function problemOf(model: HearingModel | undefined, address: string): string | undefined {
  if (!model) return t('No model is connected.')
  return isAddress(address) ? undefined : t('Enter a video URL.')
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+\.\S+$/.test(text.trim()) && URL.canParse(text.trim())
