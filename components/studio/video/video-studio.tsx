'use client'

import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { Choices } from '@/components/studio/parts/fields'
import { StudioFrame } from '@/components/studio/parts/frame'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
import { QueuePanel } from '@/components/studio/queue/queue-panel'
import { AddressBar, AddressForm } from '@/components/studio/video/address-form'
import { FilmCard } from '@/components/studio/video/film-card'
import { FilmBar, FilmForm } from '@/components/studio/video/film-form'
import { useDraft } from '@/lib/browser/drafts'
import { t } from '@/lib/i18n/t'

const TASKS = ['video', 'video-transcription'] as const

/** The studio for films: make one, or have one of the web written down. */
export function VideoStudio() {
  const [kept, setTask] = useDraft('studio-video-task')
  const task = TASKS.find((one) => one === kept) ?? 'video'
  const isFilm = task === 'video'
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
          {isFilm ? <FilmForm /> : <AddressForm />}
        </>
      }
      bar={isFilm ? <FilmBar /> : <AddressBar />}
      wall={
        <>
          <QueuePanel kind="video" />
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
            render={(creation) =>
              creation.task === 'video-transcription' ? (
                <TranscriptCard creation={creation} />
              ) : (
                <FilmCard creation={creation} />
              )
            }
          />
        </>
      }
    />
  )
}
