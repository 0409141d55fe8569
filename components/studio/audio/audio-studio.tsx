'use client'

import { MessageSquarePlus, Pause, Play } from 'lucide-react'
import { useEffect } from 'react'
import { AudioBar, AudioForm } from '@/components/studio/audio/audio-form'
import { voiceName } from '@/components/studio/audio/fields'
import { liveOf, useLive } from '@/components/studio/audio/live'
import { AudioPlayer, claimSpeaker } from '@/components/studio/audio/player'
import { SpeechBar, SpeechForm } from '@/components/studio/audio/speech-form'
import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { TranscriptionBar, TranscriptionForm } from '@/components/studio/audio/transcription-form'
import { requeue } from '@/components/studio/jobs/queue'
import { reuse } from '@/components/studio/media-form'
import {
  DeleteButton,
  DownloadButton,
  GenerationCard,
  ResultNotes,
  ReuseButton,
  regenerate,
  sendToChat,
  taskName,
} from '@/components/studio/parts/card'
import { holdLabel, JobProgress } from '@/components/studio/parts/progress'
import { TaskStudio } from '@/components/studio/parts/task-studio'
import { extensionOf } from '@/components/studio/store'
import { IconButton } from '@/components/ui/button'
import type { Generation } from '@/lib/browser/storage/generations'
import { formatNumber, msg, t } from '@/lib/i18n/t'

export function AudioStudio() {
  return (
    <TaskStudio
      kind="audio"
      tasks={[
        { id: 'speech', name: msg('Speech'), Form: SpeechForm, Bar: SpeechBar },
        { id: 'transcription', name: msg('Transcript'), Form: TranscriptionForm, Bar: TranscriptionBar },
        { id: 'music', name: msg('Sound'), Form: AudioForm, Bar: AudioBar },
      ]}
      layout="list"
      emptyTitle={t('Your audio and transcripts appear here.')}
      emptyText={t(
        'Results stay on this device and in your chat backups. The service keeps queued results for a day at most, and nothing else.',
      )}
      render={(generation) =>
        generation.task === 'transcription' ? (
          <TranscriptCard generation={generation} />
        ) : (
          <AudioCard generation={generation} />
        )
      }
    />
  )
}

const BARS = [0.45, 0.8, 1, 0.6, 0.9, 0.5, 0.75]

function AudioCard({ generation }: { generation: Generation }) {
  const { id, task, results } = generation
  const [file] = results
  const isJob = task === 'music'
  return (
    <GenerationCard
      generation={generation}
      facts={factsOf(generation)}
      place={task === 'speech' && <LiveSpeech id={id} />}
      media={file && <AudioPlayer file={file} liveId={id} label={taskName(task)} />}
      note={<ResultNotes generation={generation} />}
      progress={isJob ? <JobProgress generation={generation} /> : undefined}
      onRetry={() => void (isJob ? requeue(generation) : regenerate(generation))}
      actions={
        <>
          <ReuseButton onReuse={() => reuse(isJob ? 'music' : 'speech', generation)} />
          {file && (
            <>
              <DownloadButton generation={generation} file={file} />
              <IconButton label={t('Ask in a new chat')} onClick={() => void sendToChat(file)}>
                <MessageSquarePlus aria-hidden="true" />
              </IconButton>
            </>
          )}
          <DeleteButton generation={generation} />
        </>
      }
    />
  )
}

function factsOf(generation: Generation): string[] {
  const { voice, speed, seconds } = generation.settings
  const [file] = generation.results
  return [
    typeof voice === 'string' ? voiceName(voice) : '',
    typeof speed === 'number' && speed !== 1 ? t('{speed}×', { speed: formatNumber(speed) }) : '',
    typeof seconds === 'number' ? t('{seconds} s', { seconds: formatNumber(seconds) }) : '',
    file ? extensionOf(file.mediaType).toUpperCase() : '',
    holdLabel(generation),
  ].filter(Boolean)
}

function LiveSpeech({ id }: { id: string }) {
  const live = useLive(id)
  useEffect(() => {
    // It is the same sound whenever it goes on.
    if (live?.isPlaying) claimSpeaker(live.stop, () => liveOf(id)?.isPlaying && liveOf(id)?.toggle())
  }, [id, live])
  if (!live) return null
  return (
    <div className="flex items-center gap-3 px-3 pt-3">
      <IconButton label={live.isPlaying ? t('Pause') : t('Resume')} onClick={live.toggle}>
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
