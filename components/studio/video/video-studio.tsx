'use client'

import { useQuery } from '@tanstack/react-query'
import { type TranscriptionModel, transcriptionModelsQuery } from '@/components/studio/audio/audio-model'
import { VideoPlayer } from '@/components/studio/audio/player'
import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { type GenerateOptions, generate, type NotSent } from '@/components/studio/generation-store'
import { requeue } from '@/components/studio/jobs/queue'
import { changeForm, reuse, useMediaForm } from '@/components/studio/media-form'
import {
  CardMenu,
  DownloadButton,
  GenerationCard,
  ResultNotes,
  ReuseButton,
  removeGeneration,
  sendToChat,
} from '@/components/studio/parts/card'
import { ModelState } from '@/components/studio/parts/fields'
import { GenerateBar, type PriceBefore, useProblem } from '@/components/studio/parts/generate-bar'
import { Placeholder } from '@/components/studio/parts/media'
import { holdLabel, JobProgress } from '@/components/studio/parts/progress'
import { TaskStudio } from '@/components/studio/parts/task-studio'
import { readVideoImage } from '@/components/studio/read-media'
import { loadFile } from '@/components/studio/store'
import { durationLabel, VideoBar, VideoForm } from '@/components/studio/video/video-form'
import { videoModelsQuery } from '@/components/studio/video/video-model'
import { TextField } from '@/components/ui/form-fields'
import { Item, Separator } from '@/components/ui/menu-parts'
import { showToast } from '@/components/ui/toast'
import { voiceCost } from '@/lib/browser/format/cost'
import { queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
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

function VideoCard({ generation }: { generation: Generation }) {
  const [file] = generation.results
  return (
    <GenerationCard
      generation={generation}
      facts={factsOf(generation)}
      place={<Placeholder input={generation.inputs[0]} ratio={ratioOf(generation)} />}
      media={file && <VideoPlayer file={file} label={generation.prompt || t('Video')} />}
      note={<ResultNotes generation={generation} />}
      progress={<JobProgress generation={generation} />}
      onRetry={() => void requeue(generation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse('video', generation)} />
          {file && <DownloadButton generation={generation} file={file} />}
          <VideoMenu generation={generation} />
        </>
      }
    />
  )
}

function VideoMenu({ generation }: { generation: Generation }) {
  const [file] = generation.results
  return (
    <CardMenu>
      {file && (
        <>
          <Item onPick={() => void startWithLastFrame(file)}>{t('Start a video from the last frame')}</Item>
          <Item onPick={() => void saveLastFrame(file)}>{t('Download last frame')}</Item>
          <Item onPick={() => void sendToChat(file)}>{t('Ask in a new chat')}</Item>
          <Separator />
        </>
      )}
      <Item isDanger onPick={() => void removeGeneration(generation)}>
        {t('Delete')}
      </Item>
    </CardMenu>
  )
}

function factsOf(generation: Generation): string[] {
  const { duration, aspectRatio, resolution } = generation.settings
  return [
    typeof duration === 'string' ? durationLabel(duration) : '',
    typeof aspectRatio === 'string' ? aspectRatio : '',
    typeof resolution === 'string' ? resolution : '',
    holdLabel(generation),
  ].filter(Boolean)
}

function ratioOf({ settings }: Generation): string {
  const [, across = '16', down = '9'] = /^(\d+):(\d+)$/.exec(String(settings.aspectRatio)) ?? []
  return `${across} / ${down}`
}

async function startWithLastFrame(video: CreationFile): Promise<void> {
  const frame = await frameOf(video)
  if (!frame) return
  const models = await queryClient()
    .ensureQueryData(videoModelsQuery())
    .catch(() => [])
  const able = models.find(({ from }) => from !== 'text')
  if (!able) return showToast({ text: t('No connected model accepts a start image.') })
  changeForm('video', { inputs: [await readVideoImage(frame)], modelId: able.id })
  document.getElementById('studio-form')?.scrollIntoView({ block: 'start' })
  showToast({ text: t('Frame set as the start image of the next video.') })
}

async function saveLastFrame(video: CreationFile): Promise<void> {
  const frame = await frameOf(video)
  if (frame) saveFile(frame.name, frame)
}

async function frameOf(video: CreationFile): Promise<File | undefined> {
  const bytes = await loadFile(video)
  if (!bytes) {
    showToast({ text: t('This file is no longer on this device.') })
    return undefined
  }
  try {
    return new File([await lastFrameOf(bytes)], fileNameOf(video.name, 'png'), { type: 'image/png' })
  } catch {
    showToast({ text: t('This browser cannot extract a frame from this video.') })
    return undefined
  }
}

// At the very end there may be no frame.
const BEFORE_END_SECONDS = 0.05
const TIMEOUT_MS = 15_000

/** Returns the last frame as PNG. @throws Error where this browser cannot play the video. */
async function lastFrameOf(bytes: Blob): Promise<Blob> {
  const url = URL.createObjectURL(bytes)
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  video.src = url
  try {
    await once(video, 'loadeddata')
    video.currentTime = Math.max(0, video.duration - BEFORE_END_SECONDS)
    await once(video, 'seeked')
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    context.drawImage(video, 0, 0)
    return await canvas.convertToBlob({ type: 'image/png' })
  } finally {
    video.removeAttribute('src')
    URL.revokeObjectURL(url)
  }
}

function once(video: HTMLVideoElement, name: 'loadeddata' | 'seeked'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the video does not play')), TIMEOUT_MS)
    const settle = (end: () => void) => () => {
      clearTimeout(timer)
      end()
    }
    video.addEventListener(name, settle(resolve), { once: true })
    video.addEventListener(
      'error',
      settle(() => reject(new Error('the video does not play'))),
      { once: true },
    )
  })
}
