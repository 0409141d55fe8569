'use client'

import { useQuery } from '@tanstack/react-query'
import { AudioLines, Mic, Scissors } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { type TranscriptionModel, transcriptionModelsQuery } from '@/components/studio/audio/audio-model'
import { LanguageField } from '@/components/studio/audio/fields'
import { type GenerateOptions, generate, type NotSent } from '@/components/studio/generation-store'
import { changeSettings, definedSettings, type MediaForm, useMediaForm } from '@/components/studio/media-form'
import { chosenOf } from '@/components/studio/models'
import { ModelField, ModelState } from '@/components/studio/parts/fields'
import { FileWell } from '@/components/studio/parts/file-well'
import { GenerateBar, type PriceBefore, useProblem } from '@/components/studio/parts/generate-bar'
import { readRecording } from '@/components/studio/read-media'
import { Button, IconButton } from '@/components/ui/button'
import { Toggle } from '@/components/ui/toggle'
import { FileRefused } from '@/lib/browser/files/limits'
import { voiceCost } from '@/lib/browser/format/cost'
import { formatLength } from '@/lib/browser/format/numbers'
import type { CreationFile, CreationSettings } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

const Recorder = dynamic(() => import('@/components/common/recorder').then((module) => module.Recorder), { ssr: false })
const Trimmer = dynamic(() => import('@/components/common/trimmer').then((module) => module.Trimmer), { ssr: false })

const ACCEPT = 'audio/*,video/mp4,video/webm,video/quicktime,video/mpeg,.m4a,.flac,.oga,.mov'

export function TranscriptionForm() {
  const [form, change] = useMediaForm('transcription')
  return (
    <ModelState query={useQuery(transcriptionModelsQuery())} none={t('No transcription model is connected.')}>
      {(models) => {
        const model = chosenOf(models, form.modelId)
        if (!model) return null
        const { language, hasTimes } = transcriptionSettings(form)
        return (
          <>
            <Source files={form.inputs} onChange={(inputs) => change({ inputs })} />
            <ModelField models={models} value={model.id} onChange={(modelId) => change({ modelId })} />
            <LanguageField
              label={t('Language')}
              unset={t('Detect')}
              value={String(language ?? '')}
              onChange={(code) => changeSettings('transcription', { language: code || undefined })}
            />
            <Toggle
              label={t('Timestamps')}
              hint={t('Lets you jump to any part and download captions.')}
              isOn={hasTimes === true}
              onChange={(isOn) => changeSettings('transcription', { hasTimes: isOn })}
            />
          </>
        )
      }}
    </ModelState>
  )
}

type SourceProps = { files: CreationFile[]; onChange: (files: CreationFile[]) => void }

function Source({ files, onChange }: SourceProps) {
  const [isRecording, setIsRecording] = useState(false)
  const [problem, setProblem] = useState('')
  const [trimmed, setTrimmed] = useState<CreationFile>()
  const take = async (file: File | undefined) => {
    if (!file) return
    setProblem('')
    try {
      onChange([await readRecording(file)])
    } catch (error) {
      setProblem(error instanceof FileRefused ? error.message : t('The recording could not be saved.'))
    }
  }
  return (
    <div className="space-y-2">
      {isRecording ? (
        <div className="rounded-card border border-accent bg-surface p-3">
          <Recorder onDone={([file]) => void take(file)} onClose={() => setIsRecording(false)} />
        </div>
      ) : (
        <>
          <FileWell
            label={t('Audio or video')}
            hint={t('Audio or video, up to 30 minutes')}
            files={files}
            maxFiles={1}
            accept={ACCEPT}
            read={readRecording}
            onChange={onChange}
            icon={<AudioLines />}
            extra={(file) =>
              file.mediaType.startsWith('audio/') && (
                <IconButton label={t('Trim {name}', { name: file.name })} onClick={() => setTrimmed(file)}>
                  <Scissors aria-hidden="true" />
                </IconButton>
              )
            }
          />
          <Button className="w-full" onClick={() => setIsRecording(true)}>
            <Mic aria-hidden="true" className="size-4" strokeWidth={1.5} />
            {files.length > 0 ? t('Record another') : t('Record')}
          </Button>
        </>
      )}
      <p role="status" className="text-13 text-danger empty:hidden">
        {problem}
      </p>
      {trimmed && (
        <Trimmer
          attachment={{ ...trimmed, kind: 'audio' }}
          onClose={() => setTrimmed(undefined)}
          onDone={(file) => {
            setTrimmed(undefined)
            void take(file)
          }}
        />
      )}
    </div>
  )
}

export function TranscriptionBar() {
  const [form] = useMediaForm('transcription')
  const { data: models = [] } = useQuery(transcriptionModelsQuery())
  const model = chosenOf(models, form.modelId)
  const [recording] = form.inputs
  const problem = useProblem(model, t('You’re offline. Your selections are saved.'), (chosen) =>
    problemOf(chosen, recording),
  )
  const start = async (options?: GenerateOptions): Promise<NotSent | undefined> => {
    if (!model) return undefined
    const draft = {
      kind: 'audio',
      task: 'transcription',
      modelId: model.id,
      modelName: model.name,
      prompt: '',
    } as const
    const request = { ...draft, settings: transcriptionSettings(form), inputs: form.inputs }
    return await generate(request, { ...options, isFree: model.price === undefined })
  }
  return (
    <GenerateBar
      price={priceOf(model, recording)}
      note={recording?.durationMs === undefined ? undefined : formatLength(recording.durationMs)}
      problem={problem}
      label={t('Transcribe')}
      onGenerate={start}
    />
  )
}

// Each begun second is charged.
function priceOf(model: TranscriptionModel | undefined, recording: CreationFile | undefined): PriceBefore {
  if (model && !model.price) return { kind: 'free' }
  if (!model || recording?.durationMs === undefined) return { kind: 'unknown' }
  return { kind: 'exact', usd: voiceCost(recording.durationMs / 1_000, model.price) }
}

function problemOf(model: TranscriptionModel, recording: CreationFile | undefined): string | undefined {
  if (model.isOffline) return t('{model} is currently unavailable.', { model: model.name })
  return recording ? undefined : t('Record or choose a file.')
}

function transcriptionSettings({ settings }: Pick<MediaForm, 'settings'>): CreationSettings {
  const { language, hasTimes } = settings
  return definedSettings({ hasTimes: hasTimes !== false, language: language || undefined })
}
