'use client'

import { AudioCard } from '@/components/studio/audio/audio-card'
import { AudioBar, AudioForm } from '@/components/studio/audio/audio-form'
import { SpeechBar, SpeechForm } from '@/components/studio/audio/speech-form'
import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { TranscriptionBar, TranscriptionForm } from '@/components/studio/audio/transcription-form'
import { TaskStudio } from '@/components/studio/parts/task-studio'
import { msg, t } from '@/lib/i18n/t'

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
