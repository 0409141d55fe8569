'use client'

import { Download, MessageSquarePlus, RotateCcw, Trash2 } from 'lucide-react'
import { LiveSpeech } from '@/components/studio/audio/live-speech'
import { SoundPlayer } from '@/components/studio/audio/sound-player'
import { reuse } from '@/components/studio/audio/use-again'
import { voiceName } from '@/components/studio/audio/voice-field'
import { makeAgain, removeCreation, saveResult } from '@/components/studio/parts/actions'
import { CreationCard, taskName } from '@/components/studio/parts/card'
import { heldWords } from '@/components/studio/queue/held'
import { JobNote } from '@/components/studio/queue/job-note'
import { JobProgress } from '@/components/studio/queue/job-progress'
import { queueAgain } from '@/components/studio/queue/queue-again'
import { IconButton } from '@/components/ui/button'
import type { Creation } from '@/lib/client/studio/creation'
import { isUnkept } from '@/lib/client/studio/files'
import { extensionOf } from '@/lib/client/studio/packed'
import { formatNumber, t } from '@/lib/i18n/t'

/** Speech, music or an effect: its shape, what was asked for, and what can be done with it. */
export function SoundCard({ creation }: { creation: Creation }) {
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
          <IconButton label={t('Use its settings again')} onClick={() => reuse(isJob ? 'music' : 'speech', creation)}>
            <RotateCcw aria-hidden="true" />
          </IconButton>
          {file && (
            <>
              <IconButton label={t('Download')} onClick={() => void saveResult(creation, file.id)}>
                <Download aria-hidden="true" />
              </IconButton>
              <IconButton label={t('Ask about it in a new chat')} onClick={() => void sendFileToChat(file)}>
                <MessageSquarePlus aria-hidden="true" />
              </IconButton>
            </>
          )}
          <IconButton label={t('Delete')} className="ms-auto" onClick={() => void removeCreation(creation)}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        </>
      }
    />
  )
}

function Notes({ creation }: { creation: Creation }) {
  return (
    <>
      {creation.isCut && (
        <p className="px-3 pt-2 text-13 text-ink-2">
          {t('It broke off. What came is kept, and only that was paid for.')}
        </p>
      )}
      {creation.results.some(isUnkept) && (
        <p className="px-3 pt-2 text-13 text-danger">
          {t('This browser has no room to keep it. Download it before you leave this page.')}
        </p>
      )}
      <JobNote creation={creation} />
    </>
  )
}

function factsOf(creation: Creation): string[] {
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

async function sendFileToChat(file: Creation['results'][number]): Promise<void> {
  const { sendToChat } = await import('@/components/studio/parts/to-chat')
  await sendToChat(file)
}
