'use client'

import { MessageSquarePlus, Pause, Play } from 'lucide-react'
import { useEffect } from 'react'
import { liveOf, useLive } from '@/components/studio/audio/live'
import { claimSpeaker } from '@/components/studio/audio/one-at-a-time'
import { SoundPlayer } from '@/components/studio/audio/sound-player'
import { reuse } from '@/components/studio/audio/use-again'
import { voiceName } from '@/components/studio/audio/voice-field'
import { askAbout, makeAgain, removeCreation } from '@/components/studio/parts/actions'
import { CreationCard, taskName } from '@/components/studio/parts/card'
import { DeleteButton, DownloadButton, ReuseButton, UnkeptNote } from '@/components/studio/parts/card-actions'
import { JobNote } from '@/components/studio/queue/job-note'
import { JobProgress } from '@/components/studio/queue/job-progress'
import { queueAgain } from '@/components/studio/queue/queue-again'
import { heldWords } from '@/components/studio/queue/queued-jobs'
import { extensionOf } from '@/components/studio/zip-download'
import { IconButton } from '@/components/ui/button'
import type { Generation } from '@/lib/browser/storage/generations'
import { formatNumber, t } from '@/lib/i18n/t'

const BARS = [0.45, 0.8, 1, 0.6, 0.9, 0.5, 0.75]

/** Speech, music or an effect: its shape, what was asked for, and what can be done with it. */
export function SoundCard({ creation }: { creation: Generation }) {
  const { id, task, results } = creation
  const [file] = results
  const isJob = task === 'music'
  return (
    <CreationCard
      creation={creation}
      facts={factsOf(creation)}
      place={task === 'speech' && <LiveSpeech id={id} />}
      media={file && <SoundPlayer file={file} liveId={id} label={taskName(task)} />}
      note={<Notes creation={creation} />}
      {...(isJob && { progress: <JobProgress creation={creation} /> })}
      onAgain={() => void (isJob ? queueAgain(creation) : makeAgain(creation))}
      onDelete={() => void removeCreation(creation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse(isJob ? 'music' : 'speech', creation)} />
          {file && (
            <>
              <DownloadButton {...{ creation, file }} />
              <IconButton label={t('Ask in a new chat')} onClick={() => void askAbout(file)}>
                <MessageSquarePlus aria-hidden="true" />
              </IconButton>
            </>
          )}
          <DeleteButton creation={creation} />
        </>
      }
    />
  )
}

function Notes({ creation }: { creation: Generation }) {
  return (
    <>
      {creation.isCut && (
        <p className="px-3 pt-2 text-13 text-ink-2">
          {t('Generation was interrupted. The received part is saved, and you paid only for that part.')}
        </p>
      )}
      <UnkeptNote files={creation.results} />
      <JobNote creation={creation} />
    </>
  )
}

function factsOf(creation: Generation): string[] {
  const { voice, speed, seconds } = creation.settings
  const [file] = creation.results
  return [
    typeof voice === 'string' ? voiceName(voice) : '',
    typeof speed === 'number' && speed !== 1 ? t('{speed}×', { speed: formatNumber(speed) }) : '',
    typeof seconds === 'number' ? t('{seconds} s', { seconds: formatNumber(seconds) }) : '',
    file ? extensionOf(file.mediaType).toUpperCase() : '',
    heldWords(creation),
  ].filter(Boolean)
}

/** While a text is read aloud that is not whole yet: that it is heard, and how to pause it. Nothing where it is not heard. */
function LiveSpeech({ id }: { id: string }) {
  const live = useLive(id)
  useEffect(() => {
    // It is the same sound whenever it goes on.
    if (live?.isPlaying) claimSpeaker(live.stop, () => liveOf(id)?.isPlaying && liveOf(id)?.pauseOrGoOn())
  }, [id, live])
  if (!live) return null
  return (
    <div className="flex items-center gap-3 px-3 pt-3">
      <IconButton label={live.isPlaying ? t('Pause') : t('Resume')} onClick={live.pauseOrGoOn}>
        {live.isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
      </IconButton>
      <span aria-hidden="true" className="flex h-6 items-center gap-0.5">
        {BARS.map((height, at) => (
          <span
            key={height}
            className={`w-0.5 rounded-chip bg-accent ${live.isPlaying ? 'motion-safe:animate-pulse' : ''}`}
            style={{ height: `${height * 100}%`, animationDelay: `${at * 120}ms` }}
          />
        ))}
      </span>
      <span className="text-13 text-ink-2">{live.isPlaying ? t('Playing during generation') : t('Paused')}</span>
    </div>
  )
}
