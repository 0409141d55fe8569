import 'server-only'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { SPEECH_FORMATS, type SpeechFormat } from '@/lib/contract/speech-types'
import { config } from '@/lib/kernel/config'

/** These are written without help; the others by ffmpeg, which is an optional package. */
const UNAIDED: ReadonlySet<SpeechFormat> = new Set(['flac', 'wav', 'pcm'])

/** What sound can be written as on this installation. */
export function formatsMadeHere(root = config().root): SpeechFormat[] {
  const hasEncoders = existsSync(path.join(root, 'node_modules', '@ffmpeg', 'core', 'package.json'))
  return SPEECH_FORMATS.filter((format) => hasEncoders || UNAIDED.has(format))
}
