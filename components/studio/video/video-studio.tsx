'use client'

import { useQuery } from '@tanstack/react-query'
import { type TranscriptionModel, transcriptionModelsQuery } from '@/components/studio/audio/models'
import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { type GenerateOptions, generate, type NotSent } from '@/components/studio/generation-store'
import { useMediaForm } from '@/components/studio/media-form'
import { Choices, ModelState } from '@/components/studio/parts/fields'
import { StudioFrame } from '@/components/studio/parts/frame'
import { GenerateBar, type PriceBefore } from '@/components/studio/parts/generate-bar'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
import { VideoCard } from '@/components/studio/video/video-card'
import { VideoBar, VideoForm } from '@/components/studio/video/video-form'
import { TextField } from '@/components/ui/form-fields'
import { useDraft } from '@/lib/browser/drafts'
import { voiceCost } from '@/lib/browser/format/cost'
import { useIsOnline } from '@/lib/browser/offline'
import { MAX_SENT_URL_CHARS, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

const TASKS = ['video', 'video-transcription'] as const

export function VideoStudio() {
  const [stored, setTask] = useDraft('studio-video-task')
  const task = TASKS.find((one) => one === stored) ?? 'video'
  const isVideo = task === 'video'
  return (
    <StudioFrame
      kind="video"
      form={
        <>
          <Choices
            label={t('Output')}
            value={task}
            options={[
              { value: 'video', label: t('Video') },
              { value: 'video-transcription', label: t('Transcribe from URL') },
            ]}
            onChange={setTask}
          />
          {isVideo ? <VideoForm /> : <AddressForm />}
        </>
      }
      bar={isVideo ? <VideoBar /> : <AddressBar />}
      wall={
        <Wall
          kind="video"
          layout="masonry"
          empty={
            <EmptyWall title={t('Your videos appear here.')}>
              <p>
                {t(
                  'Videos take a while, and you can leave this page. They stay on this device; the service keeps them for a day at most.',
                )}
              </p>
            </EmptyWall>
          }
          render={(generation) =>
            generation.task === 'video-transcription' ? (
              <TranscriptCard generation={generation} />
            ) : (
              <VideoCard generation={generation} />
            )
          }
        />
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
              'A video or audio URL, or a page that contains one, up to 10 minutes. Captions on the page are used for free; otherwise the audio is transcribed.',
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
  const isOnline = useIsOnline()
  // The service takes its own choice, which is the first.
  const [model] = models
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
      problem={isOnline ? problemOf(model, form.prompt) : t('You’re offline. Your text is saved.')}
      label={t('Transcribe')}
      onGenerate={start}
    />
  )
}

function priceOf(model: TranscriptionModel | undefined): PriceBefore {
  if (!model) return { kind: 'unknown' }
  return model.price ? { kind: 'at-most', usd: voiceCost(MAX_VIDEO_SECONDS, model.price) } : { kind: 'free' }
}

function problemOf(model: TranscriptionModel | undefined, address: string): string | undefined {
  if (!model) return t('No model is connected.')
  return isAddress(address) ? undefined : t('Enter a video URL.')
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+\.\S+$/.test(text.trim()) && URL.canParse(text.trim())
