'use client'

import { FilmPlayer } from '@/components/studio/audio/film-player'
import { reuse } from '@/components/studio/audio/use-again'
import { askAbout, removeCreation } from '@/components/studio/parts/actions'
import { CreationCard } from '@/components/studio/parts/card'
import { CardMenu, DownloadButton, ReuseButton, UnkeptNote } from '@/components/studio/parts/card-actions'
import { useFileUrl } from '@/components/studio/parts/use-file'
import { JobNote } from '@/components/studio/queue/job-note'
import { JobProgress } from '@/components/studio/queue/job-progress'
import { queueAgain } from '@/components/studio/queue/queue-again'
import { heldWords } from '@/components/studio/queue/queued-jobs'
import { durationWords } from '@/components/studio/video/film-form'
import { beginWithLastFrame, saveLastFrame } from '@/components/studio/video/last-frame'
import { Item, Separator } from '@/components/ui/menu-parts'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** A film of the queue: how far it is, then the film. */
export function FilmCard({ creation }: { creation: Generation }) {
  const [file] = creation.results
  return (
    <CreationCard
      creation={creation}
      facts={factsOf(creation)}
      place={<Place creation={creation} />}
      media={file && <FilmPlayer file={file} label={creation.prompt || t('Video')} />}
      note={<Notes creation={creation} />}
      progress={<JobProgress creation={creation} />}
      onAgain={() => void queueAgain(creation)}
      onDelete={() => void removeCreation(creation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse('video', creation)} />
          {file && <DownloadButton {...{ creation, file }} />}
          <FilmMenu creation={creation} />
        </>
      }
    />
  )
}

function Notes({ creation }: { creation: Generation }) {
  return (
    <>
      <UnkeptNote files={creation.results} />
      <JobNote creation={creation} />
    </>
  )
}

function FilmMenu({ creation }: { creation: Generation }) {
  const [file] = creation.results
  return (
    <CardMenu>
      {file && (
        <>
          <Item onPick={() => void beginWithLastFrame(file)}>{t('Start a video from the last frame')}</Item>
          <Item onPick={() => void saveLastFrame(file)}>{t('Download last frame')}</Item>
          <Item onPick={() => void askAbout(file)}>{t('Ask in a new chat')}</Item>
          <Separator />
        </>
      )}
      <Item isDanger onPick={() => void removeCreation(creation)}>
        {t('Delete')}
      </Item>
    </CardMenu>
  )
}

function factsOf(creation: Generation): string[] {
  const { duration, aspectRatio, resolution } = creation.settings
  return [
    typeof duration === 'string' ? durationWords(duration) : '',
    typeof aspectRatio === 'string' ? aspectRatio : '',
    typeof resolution === 'string' ? resolution : '',
    heldWords(creation),
  ].filter(Boolean)
}

/** A box of the shape that the film will have, with the picture that it begins with. */
function Place({ creation: { inputs, settings } }: { creation: Generation }) {
  const url = useFileUrl(inputs[0])
  const [, across = '16', down = '9'] = /^(\d+):(\d+)$/.exec(String(settings.aspectRatio)) ?? []
  return (
    <div
      aria-hidden="true"
      className="relative max-h-[34rem] w-full overflow-hidden bg-sunken"
      style={{ aspectRatio: `${across} / ${down}` }}
    >
      {url && (
        // biome-ignore lint/performance/noImgElement: its bytes are in this browser
        <img src={url} alt="" className="size-full scale-105 object-cover opacity-50 blur-md" />
      )}
      <span className={`skeleton absolute inset-0 ${url ? 'opacity-40' : ''}`} />
    </div>
  )
}
