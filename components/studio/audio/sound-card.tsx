'use client'

import { MessageSquarePlus } from 'lucide-react'
import { LiveSpeech } from '@/components/studio/audio/live-speech'
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
