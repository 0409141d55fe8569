'use client'

import { Download, MessageSquarePlus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useLoaded } from '@/components/common/stored-bytes'
import { AudioPlayer, type PlayerHandle, VideoPlayer } from '@/components/studio/audio/player'
import {
  captionsOf,
  storedTranscript,
  TRANSCRIPT_FORMATS,
  type Transcript,
  type TranscriptFormat,
  transcriptFile,
} from '@/components/studio/audio/transcript'
import { reuse } from '@/components/studio/media-form'
import {
  CardMenu,
  DeleteButton,
  GenerationCard,
  ReuseButton,
  regenerate,
  sendTextToChat,
} from '@/components/studio/parts/card'
import { loadFile } from '@/components/studio/store'
import { Button, IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Item } from '@/components/ui/menu-parts'
import { formatLength } from '@/lib/browser/format/numbers'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import type { Cue } from '@/lib/contract/audio'
import { msg, plural, t } from '@/lib/i18n/t'

export function TranscriptCard({ generation }: { generation: Generation }) {
  const [recording] = generation.inputs
  const [file] = generation.results
  const transcript = useLoaded(file?.hash, () => loadTranscript(file)) ?? undefined
  const text = transcript?.text ?? generation.text ?? ''
  return (
    <GenerationCard
      generation={generation}
      facts={recording ? [recording.name] : []}
      media={<TranscriptLines generation={generation} transcript={transcript} />}
      onRetry={() => void regenerate(generation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse(formOf(generation), generation)} />
          {text !== '' && (
            <>
              <CopyButton text={text} label={t('Copy transcript')} />
              <DownloadMenu name={transcriptName(generation)} transcript={transcript ?? { text }} />
              <IconButton label={t('Send transcript to a new chat')} onClick={() => sendTextToChat(text)}>
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

const formOf = ({ task }: Generation) => (task === 'video-transcription' ? task : 'transcription')

const transcriptName = ({ inputs, prompt }: Generation): string =>
  inputs[0]?.name.replace(/\.\w{1,5}$/, '') || prompt || t('Transcript')

function TranscriptLines({ generation, transcript }: { generation: Generation; transcript: Transcript | undefined }) {
  const player = useRef<PlayerHandle>(null)
  const [at, setAt] = useState<number>()
  const [recording] = generation.inputs
  const parts = {
    label: t('Recording'),
    handle: player,
    onTime: (seconds: number) => setAt(seconds > 0 ? seconds : undefined),
  }
  const isVideo = recording?.mediaType.startsWith('video/') === true
  return (
    <>
      {recording &&
        (isVideo ? <VideoPlayer file={recording} {...parts} /> : <AudioPlayer file={recording} {...parts} />)}
      <TranscriptText
        text={generation.text ?? ''}
        captions={transcript ? captionsOf(transcript) : []}
        at={at}
        onSeek={recording && ((seconds: number) => player.current?.seek(seconds, true))}
      />
    </>
  )
}

const FORMAT_NAME: Readonly<Record<TranscriptFormat, string>> = {
  txt: msg('Plain text'),
  srt: msg('Captions, SRT'),
  vtt: msg('Captions, WebVTT'),
  json: msg('All data, JSON'),
}

function DownloadMenu({ name, transcript }: { name: string; transcript: Transcript }) {
  const hasTimes = captionsOf(transcript).length > 0
  const formats = TRANSCRIPT_FORMATS.filter((format) => hasTimes || (format !== 'srt' && format !== 'vtt'))
  return (
    <CardMenu label={t('Download transcript')} icon={<Download aria-hidden="true" />} align="start">
      {formats.map((format) => (
        <Item
          key={format}
          onPick={() => saveFile(fileNameOf(name, format, 'transcript'), transcriptFile(transcript, format))}
        >
          {t(FORMAT_NAME[format])}
        </Item>
      ))}
    </CardMenu>
  )
}

// A recording of half an hour has hundreds of cues.
const FIRST = 12

type TranscriptTextProps = {
  text: string
  captions: readonly Cue[]
  /** Playback position in seconds. */
  at: number | undefined
  onSeek: ((seconds: number) => void) | undefined
}

function TranscriptText({ text, captions, at, onSeek }: TranscriptTextProps) {
  const [isWhole, setIsWhole] = useState(false)
  if (text === '' && captions.length === 0) {
    return <p className="px-3 pt-3 text-14 text-ink-2">{t('No speech detected.')}</p>
  }
  if (captions.length === 0) {
    return (
      <p dir="auto" className="thin-scroll max-h-96 overflow-y-auto px-3 pt-3 text-16 whitespace-pre-line">
        {text}
      </p>
    )
  }
  const shown = isWhole ? captions : captions.slice(0, FIRST)
  return (
    <div className="px-1 pt-2">
      <ol aria-label={t('Timed transcript')} className="thin-scroll max-h-96 overflow-y-auto">
        {shown.map((one) => (
          <Part key={`${one.start} ${one.end}`} cue={one} isNow={isNow(one, at)} onSeek={onSeek} />
        ))}
      </ol>
      {shown.length < captions.length && (
        <Button kind="plain" onClick={() => setIsWhole(true)}>
          {plural(captions.length - shown.length, { one: 'Show {count} more', other: 'Show {count} more' })}
        </Button>
      )}
    </div>
  )
}

type PartProps = { cue: Cue; isNow: boolean; onSeek: ((seconds: number) => void) | undefined }

function Part({ cue: { text, start }, isNow, onSeek }: PartProps) {
  const time = formatLength(start * 1_000)
  const look = `flex w-full items-baseline gap-3 rounded-control px-2 py-1 text-start ${isNow ? 'bg-accent-soft' : ''}`
  const inner = (
    <>
      <span className="w-10 shrink-0 text-end font-mono text-12 text-ink-3 tabular-nums" dir="ltr">
        {time}
      </span>
      <span dir="auto" className="min-w-0 flex-1 text-16 wrap-anywhere">
        {text}
      </span>
    </>
  )
  return (
    <li aria-current={isNow ? 'true' : undefined}>
      {onSeek ? (
        <button
          type="button"
          title={t('Play from here')}
          onClick={() => onSeek(start)}
          className={`${look} ${isNow ? '' : 'hover:bg-hover'} pointer-coarse:min-h-11`}
        >
          {inner}
        </button>
      ) : (
        <span className={look}>{inner}</span>
      )}
    </li>
  )
}

const isNow = ({ start, end }: Cue, at: number | undefined): boolean => at !== undefined && at >= start && at < end

async function loadTranscript(file: CreationFile | undefined): Promise<Transcript | undefined> {
  const bytes = file && (await loadFile(file))
  return bytes && storedTranscript(JSON.parse(await bytes.text()))
}
