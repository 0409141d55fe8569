'use client'

import { VideoPlayer } from '@/components/studio/audio/player'
import { requeue } from '@/components/studio/jobs/queue'
import { reuse } from '@/components/studio/media-form'
import { removeGeneration, sendToChat } from '@/components/studio/parts/actions'
import { CardMenu, DownloadButton, GenerationCard, ReuseButton, UnsavedNote } from '@/components/studio/parts/card'
import { Placeholder } from '@/components/studio/parts/media'
import { holdLabel, JobNote, JobProgress } from '@/components/studio/parts/progress'
import { saveLastFrame, startWithLastFrame } from '@/components/studio/video/last-frame'
import { durationLabel } from '@/components/studio/video/video-form'
import { Item, Separator } from '@/components/ui/menu-parts'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

export function VideoCard({ generation }: { generation: Generation }) {
  const [file] = generation.results
  return (
    <GenerationCard
      generation={generation}
      facts={factsOf(generation)}
      place={<Placeholder input={generation.inputs[0]} ratio={ratioOf(generation)} />}
      media={file && <VideoPlayer file={file} label={generation.prompt || t('Video')} />}
      note={<Notes generation={generation} />}
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

function Notes({ generation }: { generation: Generation }) {
  return (
    <>
      <UnsavedNote files={generation.results} />
      <JobNote generation={generation} />
    </>
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
