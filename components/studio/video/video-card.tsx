'use client'

import { VideoPlayer } from '@/components/studio/audio/player'
import { requeue } from '@/components/studio/jobs/queue'
import { changeForm, reuse } from '@/components/studio/media-form'
import {
  CardMenu,
  DownloadButton,
  GenerationCard,
  ResultNotes,
  ReuseButton,
  removeGeneration,
} from '@/components/studio/parts/card'
import { Placeholder } from '@/components/studio/parts/media'
import { holdLabel, JobProgress } from '@/components/studio/parts/progress'
import { readVideoImage } from '@/components/studio/read-media'
import { loadFile } from '@/components/studio/store'
import { sendToChat } from '@/components/studio/to-chat'
import { lastFrameOf } from '@/components/studio/video/last-frame'
import { durationLabel } from '@/components/studio/video/video-form'
import { videoModelsQuery } from '@/components/studio/video/video-model'
import { Item, Separator } from '@/components/ui/menu-parts'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

export function VideoCard({ generation }: { generation: Generation }) {
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
