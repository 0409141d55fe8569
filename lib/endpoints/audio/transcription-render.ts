import 'server-only'
import { toSrt, toVtt } from '@/lib/contract/captions'
import { chargedSeconds, type TranscriptionWork } from '@/lib/endpoints/audio/transcription-quote'
import type { Transcript } from '@/lib/endpoints/audio/transcription-run'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import type { Timed } from '@/lib/services/engines/transcription-engine'

const PLAIN = 'text/plain; charset=utf-8'

/** A transcript in the form that was asked for. Contract, audio.md. */
export async function renderTranscription(output: Promise<Transcript>, work: TranscriptionWork): Promise<Reply> {
  const heard = await output
  switch (work.format) {
    case 'text':
      return { body: heard.text, contentType: PLAIN }
    case 'srt':
      return { body: toSrt(heard.segments ?? []), contentType: PLAIN }
    case 'vtt':
      return { body: toVtt(heard.segments ?? []), contentType: 'text/vtt; charset=utf-8' }
    case 'verbose_json':
      return jsonReply(verbose(heard))
    default:
      return jsonReply({
        text: heard.text,
        duration: rounded(heard.seconds),
        usage: usageOf(heard),
        ...(work.wantsTimes && { timestamps: timestampsOf(heard) }),
      })
  }
}

/** Only what the recogniser truly knows. */
function timestampsOf({ segments, words }: Transcript) {
  return { ...(words && { word: words.map(wordOf) }), ...(segments && { segment: segments.map(segmentOf) }) }
}

function verbose({ text, seconds, language, segments, words }: Transcript) {
  return {
    task: 'transcribe',
    ...(language !== undefined && { language }),
    duration: rounded(seconds),
    text,
    usage: usageOf({ seconds }),
    segments: (segments ?? []).map((segment, id) => ({ id, ...segmentOf(segment) })),
    ...(words && { words: words.map(wordOf) }),
  }
}

/** Seconds that are charged, in the form of OpenAI: `duration` is how long the recording is. */
const usageOf = ({ seconds }: Pick<Transcript, 'seconds'>) => ({ type: 'duration', seconds: chargedSeconds(seconds) })

const wordOf = ({ text, start, end }: Timed) => ({ word: text, start: rounded(start), end: rounded(end) })
const segmentOf = ({ text, start, end }: Timed) => ({ text, start: rounded(start), end: rounded(end) })

/** To a millisecond. */
const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000
