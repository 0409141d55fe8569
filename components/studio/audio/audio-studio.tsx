'use client'

import { AudioCard } from '@/components/studio/audio/audio-card'
import { AudioBar, AudioForm } from '@/components/studio/audio/audio-form'
import { SpeechBar, SpeechForm } from '@/components/studio/audio/speech-form'
import { TranscriptCard } from '@/components/studio/audio/transcript-card'
import { TranscriptionBar, TranscriptionForm } from '@/components/studio/audio/transcription-form'
import { Choices } from '@/components/studio/parts/fields'
import { StudioFrame } from '@/components/studio/parts/frame'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
import { useDraft } from '@/lib/browser/drafts'
import { msg, t } from '@/lib/i18n/t'

const TASKS = ['speech', 'transcription', 'music'] as const
type Task = (typeof TASKS)[number]

const TASK_NAME: Readonly<Record<Task, string>> = {
  speech: msg('Speech'),
  transcription: msg('Transcript'),
  music: msg('Sound'),
}

const FORMS: Readonly<Record<Task, () => React.ReactNode>> = {
  speech: () => <SpeechForm />,
  transcription: () => <TranscriptionForm />,
  music: () => <AudioForm />,
}

const BARS: Readonly<Record<Task, () => React.ReactNode>> = {
  speech: () => <SpeechBar />,
  transcription: () => <TranscriptionBar />,
  music: () => <AudioBar />,
}

export function AudioStudio() {
  const [stored, setTask] = useDraft('studio-audio-task')
  const task = TASKS.find((one) => one === stored) ?? 'speech'
  return (
    <StudioFrame
      kind="audio"
      form={
        <>
          <Choices
            label={t('Output')}
            value={task}
            options={TASKS.map((value) => ({ value, label: t(TASK_NAME[value]) }))}
            onChange={setTask}
          />
          {FORMS[task]()}
        </>
      }
      bar={BARS[task]()}
      wall={
        <Wall
          kind="audio"
          layout="list"
          empty={
            <EmptyWall title={t('Your audio and transcripts appear here.')}>
              <p>
                {t(
                  'Results stay on this device and in your chat backups. The service keeps queued results for a day at most, and nothing else.',
                )}
              </p>
            </EmptyWall>
          }
          render={(generation) =>
            generation.task === 'transcription' ? (
              <TranscriptCard generation={generation} />
            ) : (
              <AudioCard generation={generation} />
            )
          }
        />
      }
    />
  )
}
