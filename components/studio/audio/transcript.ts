import { count } from '@/components/studio/models'
import { asReply, isRecord } from '@/lib/browser/api'
import { type Cue, toSrt, toVtt } from '@/lib/contract/audio'
import type { TranscriptionResponse } from '@/lib/contract/audio.schema'

/** Lists are absent where the model does not give such times. */
export type Transcript = { text: string; seconds?: number; segments?: Cue[]; words?: Cue[] }

export const TRANSCRIPT_FORMATS = ['txt', 'srt', 'vtt', 'json'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

const TYPES: Record<TranscriptFormat, string> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  json: 'application/json',
}

// Without segments, a caption ends after so many words or seconds.
const MAX_CAPTION_WORDS = 12
const CAPTION_SECONDS = 6

/** Reads a reply of `POST /audio/transcriptions`. Source: API contract, audio.md. */
export function transcriptIn(reply: unknown): Transcript {
  const { text = '', duration, timestamps: times } = asReply<TranscriptionResponse>(reply)
  return {
    text: text.trim(),
    seconds: duration,
    segments: cuesIn(times?.segment, 'text'),
    words: cuesIn(times?.word, 'word'),
  }
}

/** Reads a stored transcript, which another program may have changed. */
export function storedTranscript(value: unknown): Transcript {
  const { text, seconds, segments, words } = isRecord(value) ? value : {}
  return {
    text: typeof text === 'string' ? text : '',
    seconds: count(seconds),
    segments: cuesIn(segments, 'text'),
    words: cuesIn(words, 'text'),
  }
}

function cuesIn(list: unknown, name: 'text' | 'word'): Cue[] | undefined {
  if (!Array.isArray(list)) return undefined
  return list.filter(isRecord).flatMap((one) => {
    const [text, start, end] = [one[name], count(one.start), count(one.end)]
    return typeof text === 'string' && start !== undefined && end !== undefined ? [{ text, start, end }] : []
  })
}

/** Returns captions in their order; none where the model gave no times. */
export function captionsOf({ segments, words }: Transcript): Cue[] {
  if (segments && segments.length > 0) return segments
  const captions: Cue[] = []
  let held = 0
  for (const word of words ?? []) {
    const last = captions.at(-1)
    if (!last || held === MAX_CAPTION_WORDS || word.end - last.start > CAPTION_SECONDS) {
      captions.push({ ...word })
      held = 1
    } else {
      last.text += ` ${word.text.trim()}`
      last.end = word.end
      held += 1
    }
  }
  return captions
}

export function transcriptFile(transcript: Transcript, format: TranscriptFormat): Blob {
  const type = `${TYPES[format]};charset=utf-8`
  return new Blob([WRITERS[format](transcript)], { type })
}

const WRITERS: Record<TranscriptFormat, (transcript: Transcript) => string> = {
  txt: ({ text }) => `${text}\n`,
  srt: (transcript) => toSrt(captionsOf(transcript)),
  vtt: (transcript) => toVtt(captionsOf(transcript)),
  json: (transcript) => `${JSON.stringify(transcript, null, 2)}\n`,
}
