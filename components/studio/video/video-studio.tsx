'use client'

import { useQuery } from '@tanstack/react-query'
import { type TranscriptionModel, transcriptionModelsQuery } from '@/components/studio/audio/models'
import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { type GenerateOptions, generate, type NotSent } from '@/components/studio/generation-store'
import { useMediaForm } from '@/components/studio/media-form'
import { ModelState } from '@/components/studio/parts/fields'
import { GenerateBar, type PriceBefore, useProblem } from '@/components/studio/parts/generate-bar'
import { TaskStudio } from '@/components/studio/parts/task-studio'
import { VideoCard } from '@/components/studio/video/video-card'
import { VideoBar, VideoForm } from '@/components/studio/video/video-form'
import { TextField } from '@/components/ui/form-fields'
import { voiceCost } from '@/lib/browser/format/cost'
import { MAX_SENT_URL_CHARS, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'
import { msg, t } from '@/lib/i18n/t'

export function VideoStudio() {
  return (
    <TaskStudio
      kind="video"
      tasks={[
        { id: 'video', name: msg('Video'), Form: VideoForm, Bar: VideoBar },
        { id: 'video-transcription', name: msg('Transcribe from URL'), Form: AddressForm, Bar: AddressBar },
      ]}
      layout="masonry"
      emptyTitle={t('Your videos appear here.')}
      emptyText={t(
        'Videos take a while, and you can leave this page. They stay on this device; the service keeps them for a day at most.',
      )}
      render={(generation) =>
        generation.task === 'video-transcription' ? (
          <TranscriptCard generation={generation} />
        ) : (
          <VideoCard generation={generation} />
        )
      }
    />
  )
}

function AddressForm() {
  const [form, change] = useMediaForm('video-transcription')
  const fault =
    form.prompt.trim() === '' || isAddress(form.prompt)
      ? undefined
      : t('Enter a URL that starts with https:// or http://.')
  return (
    <ModelState query={useQuery(transcriptionModelsQuery())} none={t('No transcription model is connected.')}>
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
              'The URL of a video, an audio file or a page with either, up to 10 minutes. Captions on the page are used for free; otherwise the audio is transcribed.',
            )}
          </p>
        </>
      )}
    </ModelState>
  )
}

function AddressBar() {
  const [form] = useMediaForm('video-transcription')
  const { data: models = [] } = useQuery(transcriptionModelsQuery())
  // The service takes its own choice, which is the first.
  const [model] = models
  const problem = useProblem(model, t('You’re offline. Your text is saved.'), () =>
    isAddress(form.prompt) ? undefined : t('Enter a video URL.'),
  )
  const start = async (options?: GenerateOptions): Promise<NotSent | undefined> => {
    if (!model) return undefined
    const task = { kind: 'video', task: 'video-transcription', modelId: model.id, modelName: model.name } as const
    const draft = { ...task, prompt: form.prompt.trim(), settings: {}, inputs: [] }
    return await generate(draft, { ...options, isFree: model.price === undefined })
  }
  return (
    <GenerateBar
      price={priceOf(model)}
      note={t('Billed per second. Captions are free.')}
      problem={problem}
      label={t('Transcribe')}
      onGenerate={start}
    />
  )
}

function priceOf(model: TranscriptionModel | undefined): PriceBefore {
  if (!model) return { kind: 'unknown' }
  return model.price ? { kind: 'at-most', usd: voiceCost(MAX_VIDEO_SECONDS, model.price) } : { kind: 'free' }
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+\.\S+$/.test(text.trim()) && URL.canParse(text.trim())
