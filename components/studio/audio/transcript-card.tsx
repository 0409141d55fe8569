'use client'

import { Download, MessageSquarePlus } from 'lucide-react'
import { useRef, useState } from 'react'
import { FilmPlayer } from '@/components/studio/audio/film-player'
import { type PlayerHandle, SoundPlayer } from '@/components/studio/audio/sound-player'
import {
  captionsOf,
  TRANSCRIPT_FORMATS,
  type Transcript,
  type TranscriptFormat,
  transcriptFile,
} from '@/components/studio/audio/transcript'
import { TranscriptText } from '@/components/studio/audio/transcript-text'
import { reuse, sendWordsToChat } from '@/components/studio/audio/use-again'
import { useTranscript } from '@/components/studio/audio/use-transcript'
import { makeAgain, removeCreation } from '@/components/studio/parts/actions'
import { CreationCard } from '@/components/studio/parts/card'
import { CardMenu, DeleteButton, ReuseButton } from '@/components/studio/parts/card-actions'
import { IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Item } from '@/components/ui/menu-parts'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { Generation } from '@/lib/browser/storage/generations'
import { msg, t } from '@/lib/i18n/t'

/** What was said in a recording: its words, each part where it was said. */
export function TranscriptCard({ creation }: { creation: Generation }) {
  const [recording] = creation.inputs
  const transcript = useTranscript(creation)
  const words = transcript?.text ?? creation.text ?? ''
  return (
    <CreationCard
      creation={creation}
      facts={recording ? [recording.name] : []}
      media={<Said creation={creation} transcript={transcript} />}
      onAgain={() => void makeAgain(creation)}
      onDelete={() => void removeCreation(creation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse(formOf(creation), creation)} />
          {words !== '' && (
            <>
              <CopyButton text={words} label={t('Copy transcript')} />
              <DownloadMenu name={nameOf(creation)} transcript={transcript ?? { text: words }} />
              <IconButton label={t('Send transcript to a new chat')} onClick={() => sendWordsToChat(words)}>
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

const formOf = ({ task }: Generation) => (task === 'video-transcription' ? task : 'transcription')

const nameOf = ({ inputs, prompt }: Generation): string =>
  inputs[0]?.name.replace(/\.\w{1,5}$/, '') || prompt || t('Transcript')

function Said({ creation, transcript }: { creation: Generation; transcript: Transcript | undefined }) {
  const player = useRef<PlayerHandle>(null)
  const [at, setAt] = useState<number>()
  const [recording] = creation.inputs
  const parts = {
    label: t('Recording'),
    handle: player,
    onTime: (seconds: number) => setAt(seconds > 0 ? seconds : undefined),
  }
  const isFilm = recording?.mediaType.startsWith('video/') === true
  return (
    <>
      {recording && (isFilm ? <FilmPlayer file={recording} {...parts} /> : <SoundPlayer file={recording} {...parts} />)}
      <TranscriptText
        text={creation.text ?? ''}
        captions={transcript ? captionsOf(transcript) : []}
        at={at}
        {...(recording && { onSeek: (seconds: number) => player.current?.seek(seconds, true) })}
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
        <Item key={format} onPick={() => saveFile(fileNameOf(name, format), transcriptFile(transcript, format))}>
          {t(FORMAT_NAME[format])}
        </Item>
      ))}
    </CardMenu>
  )
}
